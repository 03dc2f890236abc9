package io.sluice.router.request;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The records of requests. They stay in the log where their callers put them; recent ones are
 * cached. All tasks of a router share one instance. Thread-safe; no method waits.
 */
public interface RequestBodies {

  /** What is known about a request's record now. */
  sealed interface Lookup {
    /** The record is in the cache. */
    record Cached(RequestBody body) implements Lookup {}

    /** The record is being read from the log. Ask again some milliseconds later. */
    record Loading() implements Lookup {}

    /** The record is no longer in the log. */
    record Gone() implements Lookup {}
  }

  /** A request's record has arrived. It stays in the cache for a while. */
  void came(RequestMetadata.Source source, RequestBody body);

  /** Returns a cached record. Never reads the log. */
  Optional<RequestBody> cached(RequestMetadata.Source source);

  /** Looks a record up, and starts to read it from the log if it is not cached. */
  Lookup find(RequestMetadata.Source source);

  /**
   * Reads a record, possibly for the last time.
   *
   * @return completes on any thread: with {@link RequestBody#lost} if the record is no longer in
   *     the log, exceptionally if the log cannot be read now
   */
  CompletableFuture<RequestBody> read(RequestMetadata.Source source);

  /** The request has ended. Its record need not be cached any longer. */
  void forget(RequestMetadata.Source source);
}
