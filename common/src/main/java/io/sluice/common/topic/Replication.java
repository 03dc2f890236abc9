package io.sluice.common.topic;

import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses the replication factor of the topics that a service creates. */
public final class Replication {
  private static final int WANTED = 3;
  private static final long WAIT_SECONDS = 30;
  private static final Logger log = LoggerFactory.getLogger(Replication.class);

  private Replication() {}

  /**
   * Returns the requested number of replicas, or else the number of brokers, three at most. Blocks
   * for a bounded time.
   *
   * @throws IllegalStateException if the brokers cannot be counted
   */
  public static short of(Optional<Short> asked, Admin admin) {
    return asked.orElseGet(() -> ofCluster(brokers(admin)));
  }

  private static short ofCluster(int brokers) {
    int replicas = Math.clamp(brokers, 1, WANTED);
    if (replicas < WANTED) {
      log.warn(
          "event=few_replicas brokers={} replicas={} effect=\"topics created now are lost with {} of the brokers\" hint=\"use at least three brokers in production\"",
          brokers,
          replicas,
          replicas);
    }
    return (short) replicas;
  }

  private static int brokers(Admin admin) {
    try {
      return admin.describeCluster().nodes().get(WAIT_SECONDS, TimeUnit.SECONDS).size();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "cannot count the brokers; check that Kafka is healthy: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while counting the brokers", e);
    }
  }
}
