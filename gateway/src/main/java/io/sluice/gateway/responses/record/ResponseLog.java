package io.sluice.gateway.responses.record;

import java.util.Optional;

/** The log of all responses of a pool. Thread-safe; methods block for a bounded time. */
public interface ResponseLog {

  /**
   * Appends a record; returns when it is durable.
   *
   * @throws ResponseLogException if it could not be written, or not in time
   */
  void append(ResponseRecord record);

  /**
   * Finds a response.
   *
   * @return empty if there is none of that id, it was deleted, or its record is too old to be kept
   * @throws ResponseLogException if the log could not be read, or not in time
   */
  Optional<StoredResponse> find(String requestId);

  /**
   * Returns whether a response was deleted, so that {@link #find} will not find it any more.
   *
   * @throws ResponseLogException if the log could not be read, or not in time
   */
  boolean isDeleted(String requestId);

  /** Returns whether {@link #find} can do without a search of the log. Does not block. */
  boolean remembers(String requestId);
}
