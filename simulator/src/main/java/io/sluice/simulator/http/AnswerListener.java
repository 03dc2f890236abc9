package io.sluice.simulator.http;

/** Is told of answered requests that count. Called on the event loop. */
@FunctionalInterface
public interface AnswerListener {

  /**
   * A request was answered.
   *
   * @param path the path without its query
   * @param responseBytes the content length; 0 for a stream
   * @param nanos from the request's arrival to the end of its answer
   */
  void answered(
      String path, String method, int status, long requestBytes, long responseBytes, long nanos);
}
