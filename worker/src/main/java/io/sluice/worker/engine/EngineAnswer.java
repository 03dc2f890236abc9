package io.sluice.worker.engine;

/**
 * The complete answer of one of the engine's small endpoints.
 *
 * @param status the HTTP status
 */
@SuppressWarnings("ArrayRecordComponent") // never changed, never compared
public record EngineAnswer(int status, byte[] body) {

  /** Returns whether the status is 200. */
  public boolean isOk() {
    return status == 200;
  }
}
