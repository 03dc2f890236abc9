package io.sluice.router.explain;

import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.Topics;
import io.sluice.common.protocol.UnservedRequest;
import io.sluice.router.schedule.task.DispatchEvent;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.router.schedule.task.UnservedEvent;
import io.sluice.router.thread.BackgroundThreads;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes decisions, and which requests wait for a worker to start, to {@code sluice.decisions} on
 * its own thread, so that explaining never delays deciding. If it cannot keep up or Kafka is
 * unreachable, decisions are dropped and counted, because requests do not depend on them.
 * Thread-safe.
 */
public final class DecisionPublisher implements SchedulerListener, AutoCloseable {
  private static final int QUEUED = 1_000;
  private static final Logger log = LoggerFactory.getLogger(DecisionPublisher.class);

  private final Producer<String, byte[]> producer;
  private final String router;
  private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(QUEUED);
  private final AtomicLong dropped = new AtomicLong();
  private final Thread writer;

  /** A record that is still to be made. */
  private record Entry(String requestId, Supplier<byte[]> json) {}

  /**
   * Starts to write.
   *
   * @param producer used only here, and not closed here
   * @param router the name under which this router decides
   */
  public DecisionPublisher(
      Producer<String, byte[]> producer, String router, BackgroundThreads threads) {
    this.producer = producer;
    this.router = router;
    this.writer = threads.dispensable("decisions", this::write);
    writer.start();
  }

  /** Publishes a decision later, and returns at once. */
  @Override
  public void dispatched(DispatchEvent placed) {
    offer(new Entry(placed.metadata().requestId(), () -> Explanation.of(placed, router).toJson()));
  }

  /** Publishes later that a request is unserved, and returns at once. */
  @Override
  public void unserved(UnservedEvent unserved) {
    offer(
        new Entry(
            unserved.metadata().requestId(),
            () ->
                new UnservedRequest(
                        unserved.metadata().requestId(),
                        unserved.metadata().model(),
                        unserved.atEpochMillis(),
                        router,
                        unserved.sinceEpochMillis(),
                        unserved.metadata().deadlineEpochMillis(),
                        unserved.known())
                    .toJson()));
  }

  private void offer(Entry entry) {
    if (!queue.offer(entry)) {
      dropped.incrementAndGet();
    }
  }

  /** Returns the number of decisions that were not written since the start. */
  public long dropped() {
    return dropped.get();
  }

  @Override
  public void close() {
    writer.interrupt();
  }

  private void write() {
    try {
      while (true) {
        send(queue.take());
      }
    } catch (InterruptedException e) {
      // The router stops. Unwritten decisions are dropped.
    }
  }

  private void send(Entry entry) {
    try {
      RecordSend.send(
          producer,
          new ProducerRecord<>(Topics.DECISIONS, entry.requestId(), entry.json().get()),
          (metadata, failure) -> {
            if (failure != null) {
              drop(failure);
            }
          });
    } catch (RuntimeException e) {
      drop(e);
    } catch (Error e) {
      dropped.incrementAndGet();
      throw e;
    }
  }

  private void drop(Exception reason) {
    dropped.incrementAndGet();
    log.debug("event=decision_dropped reason=\"{}\"", reason.getMessage());
  }
}
