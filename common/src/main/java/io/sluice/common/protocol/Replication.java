package io.sluice.common.protocol;

import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many replicas the topics have that a service makes. */
public final class Replication {
  private static final int WANTED = 3;
  private static final long WAIT_SECONDS = 30;
  private static final Logger log = LoggerFactory.getLogger(Replication.class);

  private Replication() {}

  /**
   * What was asked for; else as many as there are brokers, three at most. Blocks for a bounded
   * time.
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
          "event=few_replicas brokers={} replicas={} effect=\"topics made now are lost with {} of the brokers\" hint=\"for more than a trial use three brokers\"",
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
      throw new IllegalStateException("cannot count the brokers; is Kafka well? " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while counting the brokers", e);
    }
  }
}
