package io.sluice.worker.intake;

import io.sluice.common.kafka.GrouplessConsumers;
import io.sluice.common.protocol.Topics;
import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the worker's own topic on one platform thread. Starts at the end of the topic: older
 * records were meant for an earlier process.
 *
 * <p>The maximum age of a record is found with the monotonic clock only: a record that is read
 * after the whole topic had been read was appended later than that. A broker that stood still
 * meanwhile goes unnoticed; the revocations of the assignments that it held back then follow in the
 * same topic.
 */
public final class IntakeLoop implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration RETRY = Duration.ofMillis(500);
  private static final Duration POSITION_BOUND = Duration.ofSeconds(30);
  private static final Duration CLOSE_BOUND = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(IntakeLoop.class);

  private final Consumer<String, byte[]> consumer;
  private final TopicPartition partition;
  private final Intake intake;
  private final Ticker ticker;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;

  /** All records appended before this time have been read. */
  private long readToEndNanos;

  private volatile long lag;

  /**
   * A loop that owns its consumer.
   *
   * @param consumer without a group
   */
  public IntakeLoop(
      Consumer<String, byte[]> consumer, String workerId, Intake intake, Ticker ticker) {
    this.consumer = consumer;
    this.partition = new TopicPartition(Topics.worker(workerId), 0);
    this.intake = intake;
    this.ticker = ticker;
    this.thread =
        Thread.ofPlatform().name("sluice-intake-" + workerId).daemon().unstarted(this::run);
  }

  /**
   * Fixes the position at the end of the topic, then starts to poll. All records that are appended
   * after this method returns are read.
   */
  public void start() {
    readToEndNanos = ticker.nanos();
    consumer.assign(List.of(partition));
    consumer.seekToEnd(List.of(partition));
    consumer.position(partition, POSITION_BOUND);
    thread.start();
  }

  /** Returns the records of the topic that are not read yet, as of the last poll. */
  public long lag() {
    return lag;
  }

  @Override
  public void close() {
    stopping.countDown();
    consumer.wakeup();
    try {
      thread.join(CLOSE_BOUND.toMillis() * 2);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (stopping.getCount() > 0) {
        pollOnce();
      }
    } catch (InterruptedException | InterruptException e) {
      log.warn("event=intake_interrupted topic={}", partition.topic());
    } finally {
      closeConsumer();
    }
  }

  private void pollOnce() throws InterruptedException {
    try {
      long begun = ticker.nanos();
      for (var record : consumer.poll(POLL)) {
        intake.take(record, ticker.since(readToEndNanos));
      }
      OptionalLong behind = consumer.currentLag(partition);
      lag = behind.orElse(lag);
      if (behind.orElse(-1) == 0) {
        readToEndNanos = begun;
      }
    } catch (WakeupException e) {
      // Only close() wakes the consumer up; the loop checks its latch next.
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      log.warn("event=intake_failed topic={} reason=\"{}\"", partition.topic(), e.getMessage());
      if (stopping.await(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (RuntimeException e) {
      log.error("event=intake_broken topic={}", partition.topic(), e);
    }
  }

  private void closeConsumer() {
    try {
      GrouplessConsumers.close(consumer);
    } catch (KafkaException e) {
      log.debug("event=intake_close_failed reason=\"{}\"", e.getMessage());
    }
  }
}
