package io.sluice.worker.intake;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recreates the worker's topic if it is missing. Routers delete the topics of workers that they
 * have not seen for an hour, but such a worker may only have lost its connection to the registry.
 * Routers give assignments that the worker does not read from the new topic to other workers after
 * two seconds. Thread-safe.
 */
public final class TopicGuard {
  private static final Logger log = LoggerFactory.getLogger(TopicGuard.class);

  private final String topic;
  private final Supplier<CompletionStage<Boolean>> exists;
  private final Runnable create;
  private final AtomicBoolean isChecking = new AtomicBoolean();

  /**
   * A guard that has not checked yet.
   *
   * @param exists asks the brokers; fails if they do not answer
   * @param create creates the topic; may block
   */
  public TopicGuard(String topic, Supplier<CompletionStage<Boolean>> exists, Runnable create) {
    this.topic = topic;
    this.exists = exists;
    this.create = create;
  }

  /** Checks for the topic. Returns at once; does nothing while an earlier check is in progress. */
  public void check() {
    if (isChecking.compareAndSet(false, true)) {
      ask()
          .whenComplete(
              (isThere, failure) -> {
                if (failure == null && !isThere) {
                  Thread.ofVirtual().name("topic-guard").start(this::makeAgain);
                } else {
                  isChecking.set(false);
                }
              });
    }
  }

  private CompletionStage<Boolean> ask() {
    try {
      return exists.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void makeAgain() {
    try {
      log.warn("event=worker_topic_gone topic={} action=\"creating it\"", topic);
      create.run();
    } catch (RuntimeException e) {
      log.warn("event=worker_topic_not_created topic={} reason=\"{}\"", topic, e.getMessage());
    } finally {
      isChecking.set(false);
    }
  }
}
