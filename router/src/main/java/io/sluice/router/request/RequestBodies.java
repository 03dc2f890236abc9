package io.sluice.router.request;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The records of requests. They stay where their callers put them, in the log; those that came or
 * were read lately are at hand. One for all tasks of a router; thread-safe, and no method waits.
 */
public interface RequestBodies {

  /** What is known of a request's record now. */
  sealed interface Lookup {
    /** Here it is. */
    record Cached(RequestBody body) implements Lookup {}

    /** It is being read from the log; to be asked for again, some milliseconds later. */
    record Loading() implements Lookup {}

    /** The log does not have it any more. */
    record Gone() implements Lookup {}
  }

  /** A request's record has come; it is at hand for a while. */
  void came(RequestMetadata.Source source, RequestBody body);

  /** A record that is at hand; nothing is read for it. */
  Optional<RequestBody> cached(RequestMetadata.Source source);

  /** Looks a record up; one that is not at hand is read from the log meanwhile. */
  Lookup find(RequestMetadata.Source source);

  /**
   * Reads a record, for the last time maybe.
   *
   * @return completes on any thread, with {@link RequestBody#lost} if the log does not have it any
   *     more, exceptionally if the log cannot be read now
   */
  CompletableFuture<RequestBody> read(RequestMetadata.Source source);

  /** The request is over: what is at hand of it need not be kept. */
  void forget(RequestMetadata.Source source);
}
