package io.sluice.simulator.http;

/** Receives each answered request that counts in the metrics. Called on the event loop. */
@FunctionalInterface
public interface AnswerListener {

  /**
   * Called when the answer of a request is complete.
   *
   * @param path the request path without the query
   * @param responseBytes the content length; 0 for a stream
   * @param nanos the time from the arrival of the request to the end of its answer
   */
  void answered(
      String path, String method, int status, long requestBytes, long responseBytes, long nanos);
}
