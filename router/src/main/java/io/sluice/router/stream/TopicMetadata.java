package io.sluice.router.stream;

import io.sluice.router.schedule.TopicDirectory;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool's topics as the brokers listed them a moment ago; a topic is known within {@value
 * #REFRESH_MILLIS} ms of its making. Topics are never forgotten while the process lives, for a pool
 * never deletes one. Thread-safe.
 */
public final class TopicMetadata implements TopicDirectory, AutoCloseable {
  private static final long REFRESH_MILLIS = 500;
  private static final Duration WAIT = Duration.ofSeconds(5);
  private static final String PREFIX = "sluice.";
  private static final Logger log = LoggerFactory.getLogger(TopicMetadata.class);

  private final Admin admin;
  private final ScheduledExecutorService refresher;
  private volatile Map<String, Integer> partitions = Map.of();

  /** Reads the topics once, then again and again. */
  public TopicMetadata(Admin admin) {
    this.admin = admin;
    this.refresher =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("topic-metadata").factory());
    refresh();
    var _ =
        refresher.scheduleWithFixedDelay(
            this::refresh, REFRESH_MILLIS, REFRESH_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public OptionalInt partitions(String topic) {
    Integer count = partitions.get(topic);
    return count == null ? OptionalInt.empty() : OptionalInt.of(count);
  }

  @Override
  public void close() {
    refresher.shutdownNow();
  }

  private void refresh() {
    try {
      Set<String> names = admin.listTopics().names().get(WAIT.toMillis(), TimeUnit.MILLISECONDS);
      var unknown =
          names.stream()
              .filter(name -> name.startsWith(PREFIX) && !partitions.containsKey(name))
              .toList();
      if (!unknown.isEmpty()) {
        Map<String, Integer> known = new HashMap<>(partitions);
        admin
            .describeTopics(unknown)
            .allTopicNames()
            .get(WAIT.toMillis(), TimeUnit.MILLISECONDS)
            .forEach((name, description) -> known.put(name, description.partitions().size()));
        partitions = Map.copyOf(known);
      }
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      // An exception that left this method would end the refreshing for good.
      log.warn("event=topics_not_read reason=\"{}\"", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
