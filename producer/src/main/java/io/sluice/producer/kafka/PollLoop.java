package io.sluice.producer.kafka;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.kafka.GrouplessConsumers;
import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls a consumer on a thread of its own until it is closed. If Kafka fails, it tries again a
 * second later. Thread-safe.
 */
public final class PollLoop implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(PollLoop.class);

  private final String name;
  private final Consumer<?, ?> consumer;
  private final boolean isInGroup;
  private final Runnable turn;
  private final Thread thread;
  private volatile boolean isClosed;

  private PollLoop(String name, Consumer<?, ?> consumer, boolean isInGroup, Runnable turn) {
    this.name = name;
    this.consumer = consumer;
    this.isInGroup = isInGroup;
    this.turn = turn;
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
  }

  /**
   * Starts to poll.
   *
   * @param name of the thread, and in the log
   * @param consumer without a group; is closed at the end
   * @param turn polls the consumer once
   */
  public static PollLoop start(String name, Consumer<?, ?> consumer, Runnable turn) {
    return start(new PollLoop(name, consumer, false, turn));
  }

  /** Starts to poll a consumer that leaves its group at the end; otherwise like {@link #start}. */
  public static PollLoop startInGroup(String name, Consumer<?, ?> consumer, Runnable turn) {
    return start(new PollLoop(name, consumer, true, turn));
  }

  private static PollLoop start(PollLoop started) {
    started.thread.start();
    return started;
  }

  private void run() {
    try {
      while (!isClosed) {
        try {
          turn.run();
        } catch (WakeupException e) {
          log.debug("event=poll_woken loop={}", name);
        } catch (KafkaException e) {
          log.warn("event=poll_failed loop={} reason=\"{}\"", name, Reasons.of(e));
          Thread.sleep(AGAIN_AFTER);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closeConsumer();
    }
  }

  private void closeConsumer() {
    if (isInGroup) {
      consumer.close();
    } else {
      GrouplessConsumers.close(consumer);
    }
  }

  /** Ends the thread and closes the consumer, within some seconds. */
  @Override
  public void close() {
    isClosed = true;
    consumer.wakeup();
    try {
      thread.join(CLOSE_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
