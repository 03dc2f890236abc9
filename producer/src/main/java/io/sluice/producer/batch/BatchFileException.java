package io.sluice.producer.batch;

/** A file of a batch job cannot be used; the message is one sentence for a person. */
public final class BatchFileException extends RuntimeException {
  BatchFileException(String message) {
    super(message);
  }

  BatchFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
