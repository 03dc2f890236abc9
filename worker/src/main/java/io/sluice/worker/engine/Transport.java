package io.sluice.worker.engine;

import java.util.Map;
import java.util.Optional;

/**
 * HTTP as an engine client needs it: responses are delivered as they arrive, and an abort closes
 * the connection. Thread-safe.
 */
public interface Transport {

  /** Sends a request and returns at once. */
  Exchange send(Call call);

  /**
   * A request.
   *
   * @param method {@code GET} or {@code POST}
   * @param path absolute path, with the query
   */
  @SuppressWarnings("ArrayRecordComponent") // never changed, never compared
  record Call(String method, String path, Map<String, String> headers, byte[] body) {
    public Call {
      headers = Map.copyOf(headers);
    }
  }

  /** How far a failed request got. */
  enum Reach {
    /** Nothing listens at the address. */
    REFUSED,
    /** No connection was established, so no server has the request. */
    UNSENT,
    /** It was sent on a connection, so the server may have it. */
    SENT
  }

  /** A request in flight. One thread polls; any thread may abort. */
  interface Exchange {

    /** Returns the next signal; empty if none came within the time. */
    Optional<Signal> poll(long nanos) throws InterruptedException;

    /** Closes the connection at once; has no effect on a finished exchange. */
    void abort();
  }

  /** The parts of a response, in order: a head, bytes, an end; a failure can come at any point. */
  sealed interface Signal {

    /** The response's head. */
    record Head(int status, Optional<String> contentType, Optional<String> retryAfter)
        implements Signal {}

    /** A part of the response body. */
    @SuppressWarnings("ArrayRecordComponent") // never changed, never compared
    record Bytes(byte[] bytes) implements Signal {}

    /** The response is complete. */
    record End() implements Signal {}

    /** The connection failed. */
    record Failed(String reason, Reach reach) implements Signal {}
  }
}
