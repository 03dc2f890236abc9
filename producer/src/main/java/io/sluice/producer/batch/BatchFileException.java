package io.sluice.producer.batch;

/** A file of a batch job that cannot be used. The message is one sentence for a person. */
public final class BatchFileException extends RuntimeException {
  BatchFileException(String message) {
    super(message);
  }

  BatchFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
