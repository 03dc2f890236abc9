package io.sluice.bench.torture.pool;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.common.ElectionType;

/**
 * Waits until every partition has all its replicas in sync, since only then another broker may be
 * disrupted, and spreads the leaders again. Thread-safe.
 */
public final class Replicas implements AutoCloseable {
  private static final Duration WITHIN = Duration.ofSeconds(90);

  private final Admin admin;

  public Replicas(String kafka) {
    admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka));
  }

  /** Waits until all replicas of all partitions are in sync. */
  public void awaitInSync() throws InterruptedException, TimeoutException {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (!areInSync()) {
      if (System.nanoTime() - end > 0) {
        throw new TimeoutException("replicas were not in sync within " + WITHIN.toSeconds() + " s");
      }
      TimeUnit.MILLISECONDS.sleep(300);
    }
  }

  /**
   * Makes the first replica of each partition its leader. A broker that was away leads nothing, and
   * Kafka does this by itself only every five minutes.
   */
  public void lead() throws InterruptedException, TimeoutException {
    try {
      admin
          .electLeaders(ElectionType.PREFERRED, null)
          .partitions()
          .get(WITHIN.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new TimeoutException("leaders were not elected: " + e.getCause());
    }
  }

  private boolean areInSync() throws InterruptedException {
    try {
      var names =
          admin
              .listTopics(new ListTopicsOptions().listInternal(true))
              .names()
              .get(WITHIN.toSeconds(), TimeUnit.SECONDS);
      return admin
          .describeTopics(names)
          .allTopicNames()
          .get(WITHIN.toSeconds(), TimeUnit.SECONDS)
          .values()
          .stream()
          .flatMap(topic -> topic.partitions().stream())
          .allMatch(
              partition ->
                  partition.leader() != null
                      && partition.isr().size() == partition.replicas().size());
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(2));
  }
}
