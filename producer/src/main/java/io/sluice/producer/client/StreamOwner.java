package io.sluice.producer.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** What a stream needs of its client. */
interface StreamOwner {

  /** Where callers' code is run, so that it never holds up the reading of Kafka. */
  Executor executor();

  /** How many unread events a stream holds. */
  int bufferedEvents();

  /** The stream has its end. */
  void ended(ReplyStream stream);

  /** The time by which streams expire. */
  long nanoTime();

  /** Asks the pool to end the request; completes when it is sure to get that. */
  CompletableFuture<Void> cancel(ReplyStream stream);

  /** Has a part of the log read out. */
  void follow(Follower follower);
}
