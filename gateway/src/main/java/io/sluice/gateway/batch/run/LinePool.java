package io.sluice.gateway.batch.run;

import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import java.util.concurrent.CompletableFuture;

/** The pool, as lines of batches use it. Thread-safe. */
@FunctionalInterface
interface LinePool {
  /**
   * A request in the pool.
   *
   * @param answer fails with {@link io.sluice.producer.reply.RequestFailedException}
   * @param cancel asks the pool to end the request; returns at once
   * @param close ends the reading; the pool continues with the request
   */
  record Asked(CompletableFuture<Answer> answer, Runnable cancel, Runnable close) {}

  /**
   * Sends a request that has an id.
   *
   * @throws io.sluice.producer.ClientException if that is not possible now
   * @throws IllegalArgumentException if a request of the same id is being read
   */
  Asked ask(InferenceRequest request);
}
