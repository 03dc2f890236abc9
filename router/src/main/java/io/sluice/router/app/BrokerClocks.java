package io.sluice.router.app;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.router.clock.BrokerProbe;
import io.sluice.router.clock.PoolClock;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;

/** Keeps the time of a router that of its brokers. Thread-safe. */
final class BrokerClocks implements AutoCloseable {
  /** How long to wait for the clocks of all brokers, and of any broker. */
  private static final Duration ALL_WITHIN = Duration.ofSeconds(3);

  private static final Duration ANY_WITHIN = Duration.ofSeconds(30);

  private final PoolClock clock;
  private final Producer<String, byte[]> producer;
  private final BrokerProbe probe;

  BrokerClocks(Lanes lanes, Admin admin, RouterClients clients, Clock wallClock) {
    this.clock = new PoolClock(System::nanoTime, wallClock);
    this.producer = clients.clockProducer();
    this.probe = new BrokerProbe(admin, producer, led(lanes), clock, System::nanoTime);
  }

  /**
   * Returns once the clock has the time of the brokers.
   *
   * @throws IllegalStateException if no broker tells its time
   */
  PoolClock start() {
    try {
      probe.start(ALL_WITHIN, ANY_WITHIN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking the brokers for the time", e);
    }
    return clock;
  }

  private static Set<String> led(Lanes lanes) {
    Set<String> topics = new HashSet<>(Set.of(Topics.BULK, Topics.REPLIES, Topics.DECISIONS));
    lanes.all().forEach(lane -> topics.add(Topics.requests(lane)));
    return topics;
  }

  @Override
  public void close() {
    probe.close();
    producer.close();
  }
}
