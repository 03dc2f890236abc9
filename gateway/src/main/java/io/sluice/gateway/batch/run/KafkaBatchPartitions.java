package io.sluice.gateway.batch.run;

import io.sluice.common.protocol.ConsumerGroups;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaSettings;
import io.sluice.producer.kafka.PollLoop;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares the partitions among the gateways of a pool by a consumer group that reads nothing. If a
 * gateway dies, the others get its partitions after Kafka's session time-out. Thread-safe.
 */
public final class KafkaBatchPartitions implements BatchPartitions, AutoCloseable {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(KafkaBatchPartitions.class);

  private final Consumer<String, byte[]> consumer;
  private final Set<Integer> owned = ConcurrentHashMap.newKeySet();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final PollLoop loop;

  private KafkaBatchPartitions(Consumer<String, byte[]> consumer) {
    this.consumer = consumer;
    consumer.subscribe(List.of(Topics.BATCHES), new Changes());
    this.loop = PollLoop.startInGroup("sluice-batch-owner", consumer, () -> consumer.poll(POLL));
  }

  /** Joins the group. */
  public static KafkaBatchPartitions join(ClientConfig config) {
    return new KafkaBatchPartitions(KafkaSettings.groupConsumer(config, ConsumerGroups.BATCHES));
  }

  @Override
  public Set<Integer> owned() {
    return Set.copyOf(owned);
  }

  @Override
  public void onChange(Runnable task) {
    listeners.add(task);
  }

  @Override
  public void close() {
    loop.close();
    owned.clear();
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
