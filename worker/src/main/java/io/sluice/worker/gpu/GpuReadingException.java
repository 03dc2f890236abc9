package io.sluice.worker.gpu;

/** The GPUs could not be read; the message says why, and what to do. */
final class GpuReadingException extends Exception {
  private static final long serialVersionUID = 1L;

  GpuReadingException(String message) {
    super(message);
  }
}
