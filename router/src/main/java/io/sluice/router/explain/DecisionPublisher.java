package io.sluice.router.explain;

import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.Topics;
import io.sluice.router.schedule.DispatchEvent;
import io.sluice.router.schedule.SchedulerListener;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes decisions to {@code sluice.decisions} on its own thread, so that explaining never delays
 * deciding. If it cannot keep up or Kafka is unreachable, decisions are dropped and counted,
 * because requests do not depend on them. Thread-safe.
 */
public final class DecisionPublisher implements SchedulerListener, AutoCloseable {
  private static final int QUEUED = 1_000;
  private static final Logger log = LoggerFactory.getLogger(DecisionPublisher.class);

  private final Producer<String, byte[]> producer;
  private final String router;
  private final BlockingQueue<DispatchEvent> queue = new ArrayBlockingQueue<>(QUEUED);
  private final AtomicLong dropped = new AtomicLong();
  private final Thread writer;

  /**
   * Starts to write.
   *
   * @param producer used only here, and not closed here
   * @param router the name under which this router decides
   */
  public DecisionPublisher(Producer<String, byte[]> producer, String router) {
    this.producer = producer;
    this.router = router;
    this.writer = Thread.ofPlatform().daemon().name("decisions").start(this::write);
  }

  /** Publishes a decision later, and returns at once. */
  @Override
  public void dispatched(DispatchEvent placed) {
    if (!queue.offer(placed)) {
      dropped.incrementAndGet();
    }
  }

  /** The number of decisions that were not written since the start. */
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
    } catch (InterruptedException | InterruptException e) {
      // The router stops. Unwritten decisions are dropped.
    }
  }

  private void send(DispatchEvent placed) {
    try {
      RoutingDecision decision = Explanation.of(placed, router);
      var _ =
          producer.send(
              new ProducerRecord<>(Topics.DECISIONS, decision.requestId(), decision.toJson()),
              (metadata, failure) -> {
                if (failure != null) {
                  dropped.incrementAndGet();
                }
              });
    } catch (InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      dropped.incrementAndGet();
      log.debug("event=decision_dropped reason=\"{}\"", e.getMessage());
    }
  }
}
