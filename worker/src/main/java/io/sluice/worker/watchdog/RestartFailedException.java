package io.sluice.worker.watchdog;

/** An engine was not restarted, or did not answer afterwards. */
final class RestartFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  RestartFailedException(String message) {
    super(message);
  }
}
