package io.sluice.producer.stream;

import io.sluice.producer.follow.Follower;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The part of a client that a stream depends on. */
public interface StreamOwner {

  /** Returns the executor for callers' code, so that it never delays the reading of Kafka. */
  Executor executor();

  /** Returns how many unread events a stream holds. */
  int bufferedEvents();

  /** Limits what all streams together hold of unread events. */
  UnreadBytes unreadBytes();

  /** The stream has ended. */
  void ended(FoldedStream stream);

  /** Returns the time by which streams expire. */
  long nanoTime();

  /** Asks the pool to cancel the request; completes when Kafka has accepted the message. */
  CompletableFuture<Void> cancel(FoldedStream stream);

  /** Starts reading a part of the log for a follower. */
  void follow(Follower follower);
}
