package io.sluice.router.clock;

import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.Topics;
import io.sluice.common.time.RepeatingThread;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the clock of every broker once a second. It writes an empty record to a partition of {@code
 * sluice.decisions} that the broker leads, and takes the append time from the acknowledgement. It
 * also tells a {@link PoolClock} which broker leads which partition. Thread-safe.
 */
public final class BrokerProbe implements AutoCloseable {
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** At the start, when the first round trips also open connections and load classes. */
  private static final Duration AGAIN_AT_START = Duration.ofMillis(50);

  private static final Duration ERROR_AT_START = Duration.ofMillis(20);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(10);
  private static final byte[] NOTHING = new byte[0];
  private static final Logger log = LoggerFactory.getLogger(BrokerProbe.class);

  private final Admin admin;
  private final Producer<String, byte[]> producer;
  private final Set<String> topics;
  private final PoolClock clock;
  private final LongSupplier nanoClock;
  private final RepeatingThread asker = new RepeatingThread("broker-clocks");

  /** The brokers whose last record was not acknowledged. */
  private final Set<Integer> silent = ConcurrentHashMap.newKeySet();

  private volatile int asked;
  private boolean isAway;

  /**
   * Creates a probe that does nothing before {@link #start}.
   *
   * @param producer one that waits for leaders only and does not batch; it is not closed here
   * @param topics the topics whose leaders the clock needs, including {@code sluice.decisions}
   * @param nanoClock monotonic nanoseconds, the same as the clock's
   */
  public BrokerProbe(
      Admin admin,
      Producer<String, byte[]> producer,
      Set<String> topics,
      PoolClock clock,
      LongSupplier nanoClock) {
    this.admin = admin;
    this.producer = producer;
    this.topics = Set.copyOf(topics);
    this.clock = clock;
    this.nanoClock = nanoClock;
  }

  /**
   * Starts, and waits until the clocks are known to 20 ms.
   *
   * @param all how long to wait for that
   * @param any how long to wait for any answer of any broker
   * @throws IllegalStateException if none has answered by then
   */
  public void start(Duration all, Duration any) throws InterruptedException {
    long begun = nanoClock.getAsLong();
    Future<?> eager = asker.repeat(Duration.ZERO, AGAIN_AT_START, this::ask);
    while (asked == 0 || clock.known(ERROR_AT_START) < asked) {
      long waited = nanoClock.getAsLong() - begun;
      if (clock.isKnown() && waited > all.toNanos()) {
        break;
      }
      if (waited > any.toNanos()) {
        throw new IllegalStateException(
            "no broker acknowledges a record on %s, so the pool's time is not known; check the leaders of the topic"
                .formatted(Topics.DECISIONS));
      }
      Thread.sleep(LOOK_AGAIN);
    }
    eager.cancel(false);
    var _ = asker.repeat(AGAIN, AGAIN, this::ask);
  }

  @Override
  public void close() {
    asker.close();
  }

  private void ask() {
    try {
      Map<TopicPartition, Integer> leaders = leaders();
      clock.lead(leaders);
      Map<Integer, TopicPartition> ofBroker = new HashMap<>();
      leaders.forEach(
          (partition, broker) -> {
            if (partition.topic().equals(Topics.DECISIONS)) {
              ofBroker.put(broker, partition);
            }
          });
      ofBroker.forEach(this::probe);
      asked = ofBroker.size();
      isAway = false;
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      if (!isAway) {
        warn(e);
      }
      isAway = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void probe(int broker, TopicPartition partition) {
    long sent = nanoClock.getAsLong();
    var record =
        new ProducerRecord<String, byte[]>(partition.topic(), partition.partition(), null, NOTHING);
    RecordSend.send(
        producer,
        record,
        (metadata, failure) -> {
          if (failure != null) {
            if (silent.add(broker)) {
              warn(failure);
            }
            return;
          }
          silent.remove(broker);
          if (metadata.hasTimestamp()) {
            clock.appended(broker, metadata.timestamp(), sent, nanoClock.getAsLong());
          }
        });
  }

  private static void warn(Exception e) {
    log.warn(
        "event=broker_clocks_not_read effect=\"the last known clocks are continued\" reason=\"{}\"",
        e.toString());
  }

  private Map<TopicPartition, Integer> leaders()
      throws ExecutionException, TimeoutException, InterruptedException {
    Map<TopicPartition, Integer> leaders = new HashMap<>();
    admin
        .describeTopics(List.copyOf(topics))
        .allTopicNames()
        .get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            (topic, description) ->
                description
                    .partitions()
                    .forEach(
                        info -> {
                          Node leader = info.leader();
                          if (leader != null && !leader.isEmpty()) {
                            leaders.put(new TopicPartition(topic, info.partition()), leader.id());
                          }
                        }));
    return leaders;
  }
}
