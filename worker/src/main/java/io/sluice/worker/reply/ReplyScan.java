package io.sluice.worker.reply;

import io.sluice.common.protocol.ReplyAddress;
import java.time.Duration;
import java.util.OptionalLong;

/** Reads back what the log holds of a request's answer. Thread-safe. */
public interface ReplyScan {

  /** Starts a scan of one request's records. */
  Session open(Query query);

  /**
   * What to look for, and from where.
   *
   * @param fromOffset of the request's first record, where it is known
   * @param fromTimeMillis else a broker time before which there is none
   */
  record Query(
      ReplyAddress address, String requestId, OptionalLong fromOffset, long fromTimeMillis) {}

  /**
   * A scan that only goes forward. For one thread; of no use any more after one of its folds has
   * failed.
   */
  interface Session {

    /**
     * Folds everything that is in the log now.
     *
     * @param atMost for the reading; a wait for other sessions' may come before it
     * @throws ScanException if that cannot be read within the time
     */
    void foldToEnd(Duration atMost) throws ScanException, InterruptedException;

    /**
     * Folds everything up to and including an offset.
     *
     * @param atMost for the reading; a wait for other sessions' may come before it
     * @throws ScanException if that cannot be read within the time
     */
    void foldThrough(long offset, Duration atMost) throws ScanException, InterruptedException;

    /** What has been folded so far. */
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
