package io.sluice.worker.engine;

import java.util.Map;
import java.util.Optional;

/**
 * HTTP as an engine client needs it: answers as they come, and an abort that closes. Thread-safe.
 */
public interface Transport {

  /** Sends a request and returns at once. */
  Exchange send(Call call);

  /**
   * A request.
   *
   * @param method {@code GET} or {@code POST}
   * @param path absolute, with its query
   */
  @SuppressWarnings("ArrayRecordComponent") // never changed, never compared
  record Call(String method, String path, Map<String, String> headers, byte[] body) {
    public Call {
      headers = Map.copyOf(headers);
    }
  }

  /** How far a request got that failed. */
  enum Reach {
    /** Nobody listens there. */
    REFUSED,
    /** Not as far as a connection: nobody has it. */
    UNSENT,
    /** On a connection: whoever is there may have it. */
    SENT
  }

  /** A request on its way. One thread polls; any thread may abort. */
  interface Exchange {

    /** The next signal; empty if there was none within the time. */
    Optional<Signal> poll(long nanos) throws InterruptedException;

    /** Closes the connection, at once; does nothing to an exchange that is over. */
    void abort();
  }

  /** What comes of a request, in order: a head, bytes, an end; or a failure at any point. */
  sealed interface Signal {

    /** The response's head. */
    record Head(int status, Optional<String> contentType, Optional<String> retryAfter)
        implements Signal {}

    /** Some of the response's bytes. */
    @SuppressWarnings("ArrayRecordComponent") // never changed, never compared
    record Bytes(byte[] bytes) implements Signal {}

    /** The response is whole. */
    record End() implements Signal {}

    /** The connection failed, at this point. */
    record Failed(String reason, Reach reach) implements Signal {}
  }
}
