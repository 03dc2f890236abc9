package io.sluice.worker.intake;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the worker's topic again when it is gone: routers delete the topics of workers that they
 * have not seen for an hour, which may only have been cut off from the registry. What is assigned
 * before the worker reads the new topic is given to others after two seconds. Thread-safe.
 */
public final class TopicGuard {
  private static final Logger log = LoggerFactory.getLogger(TopicGuard.class);

  private final String topic;
  private final Supplier<CompletionStage<Boolean>> exists;
  private final Runnable create;
  private final AtomicBoolean isChecking = new AtomicBoolean();

  /**
   * A guard that has not looked yet.
   *
   * @param exists asks the brokers; fails where they do not say
   * @param create makes the topic; may block
   */
  public TopicGuard(String topic, Supplier<CompletionStage<Boolean>> exists, Runnable create) {
    this.topic = topic;
    this.exists = exists;
    this.create = create;
  }

  /** Looks for the topic. Returns at once; a look is left out while one is under way. */
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
      log.warn("event=worker_topic_gone topic={} effect=\"it is made again\"", topic);
      create.run();
    } catch (RuntimeException e) {
      log.warn("event=worker_topic_not_made topic={} reason=\"{}\"", topic, e.getMessage());
    } finally {
      isChecking.set(false);
    }
  }
}
