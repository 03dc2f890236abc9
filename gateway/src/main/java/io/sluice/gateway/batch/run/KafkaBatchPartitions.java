package io.sluice.gateway.batch.run;

import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares the partitions among the gateways of a pool by a consumer group that reads nothing. If a
 * gateway dies, the others get its partitions after Kafka's session time-out. Thread-safe.
 */
public final class KafkaBatchPartitions implements BatchPartitions, AutoCloseable {
  private static final String GROUP = "sluice-gateway-batches";
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
  private static final long AGAIN_AFTER_MILLIS = 1_000;
  private static final Logger log = LoggerFactory.getLogger(KafkaBatchPartitions.class);

  private final Consumer<String, byte[]> consumer;
  private final Set<Integer> owned = ConcurrentHashMap.newKeySet();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean isClosed;

  private KafkaBatchPartitions(Consumer<String, byte[]> consumer) {
    this.consumer = consumer;
    this.thread = Thread.ofPlatform().name("sluice-batch-owner").daemon().unstarted(this::run);
  }

  /** Joins the group. */
  public static KafkaBatchPartitions join(ClientConfig config) {
    KafkaBatchPartitions partitions =
        new KafkaBatchPartitions(KafkaSettings.groupConsumer(config, GROUP));
    partitions.consumer.subscribe(List.of(Topics.BATCHES), partitions.new Changes());
    partitions.thread.start();
    return partitions;
  }

  @Override
  public Set<Integer> owned() {
    return Set.copyOf(owned);
  }

  @Override
  public void onChange(Runnable task) {
    listeners.add(task);
  }

  private void run() {
    try (consumer) {
      while (!isClosed) {
        try {
          var _ = consumer.poll(POLL);
        } catch (WakeupException e) {
          log.debug("woken to stop");
        } catch (KafkaException e) {
          log.warn("event=batch_owner_failed reason=\"{}\"", KafkaErrors.rootMessage(e));
          pause();
        }
      }
    } finally {
      owned.clear();
    }
  }

  private void pause() {
    try {
      Thread.sleep(AGAIN_AFTER_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      isClosed = true;
    }
  }

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

  private final class Changes implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      consumer.pause(partitions);
      partitions.forEach(partition -> owned.add(partition.partition()));
      changed("assigned", partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      partitions.forEach(partition -> owned.remove(partition.partition()));
      changed("revoked", partitions);
    }

    private void changed(String what, Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty()) {
        log.info("event=batch_partitions_{} count={}", what, partitions.size());
        listeners.forEach(Runnable::run);
      }
    }
  }
}
