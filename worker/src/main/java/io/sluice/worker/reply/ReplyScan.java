package io.sluice.worker.reply;

import io.sluice.common.protocol.ReplyAddress;
import java.time.Duration;
import java.util.OptionalLong;

/** Reads the log's part of a request's answer. Thread-safe. */
public interface ReplyScan {

  /** Starts a scan of one request's records. */
  Session open(Query query);

  /**
   * What to look for, and where to begin.
   *
   * @param fromOffset the offset of the request's first record, if it is known
   * @param fromTimeMillis otherwise a broker time before which the request has no records
   */
  record Query(
      ReplyAddress address, String requestId, OptionalLong fromOffset, long fromTimeMillis) {}

  /**
   * A scan that only moves forward. For one thread; not usable after one of its folds has failed.
   */
  interface Session {

    /**
     * Folds all records that are in the log now.
     *
     * @param atMost time limit for the reading; it may wait for other sessions before that
     * @throws ScanException if the log cannot be read within the time
     */
    void foldToEnd(Duration atMost) throws ScanException, InterruptedException;

    /**
     * Folds all records up to and including an offset.
     *
     * @param atMost time limit for the reading; it may wait for other sessions before that
     * @throws ScanException if the log cannot be read within the time
     */
    void foldThrough(long offset, Duration atMost) throws ScanException, InterruptedException;

    /** Returns the result of the folds so far. */
    PartialReply reply();
  }

  /** The log cannot be read. */
  final class ScanException extends Exception {
    private static final long serialVersionUID = 1L;

    public ScanException(String message) {
      super(message);
    }

    public ScanException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
