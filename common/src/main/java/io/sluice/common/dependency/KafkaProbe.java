package io.sluice.common.dependency;

import io.sluice.common.kafka.ClientPropertyNames;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the brokers which cluster they are. It has a client of its own, because the clients of the
 * service wait longer for a broker than a probe may. Thread-safe.
 */
public final class KafkaProbe implements Dependency.Probe, AutoCloseable {
  /** Shorter than the watch waits, so that the reason is that of the client. */
  private static final Duration ANSWER_WITHIN = WatchedDependency.ANSWER_WITHIN.minusMillis(100);

  /** How long a service waits for its brokers when it starts. */
  private static final Duration START_WITHIN = Duration.ofSeconds(7);

  private static final Logger log = LoggerFactory.getLogger(KafkaProbe.class);

  private final Admin admin;

  private KafkaProbe(Admin admin) {
    this.admin = admin;
  }

  /**
   * Opens the client.
   *
   * @param properties of Kafka's clients, such as those for security
   * @throws org.apache.kafka.common.KafkaException if the properties or the addresses are wrong
   */
  public static KafkaProbe open(String bootstrapServers, Map<String, String> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    all.put(AdminClientConfig.CLIENT_ID_CONFIG, "sluice-probe");
    int millis = Math.toIntExact(ANSWER_WITHIN.toMillis());
    all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
    all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    all.put(AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, millis);
    all.put(AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, millis);
    return new KafkaProbe(Admin.create(all));
  }

  /**
   * Returns once a broker answers. A service calls it first, so that it fails with one line if its
   * Kafka is away. Warns about properties that no Kafka client has. Blocks for 8 s at most, and
   * some moments.
   *
   * @param properties of Kafka's clients, such as those for security
   * @throws IllegalStateException if no broker answers, or the brokers reject the client; the
   *     message is one line, with the settings to check
   */
  public static void requireAnswer(String bootstrapServers, Map<String, String> properties) {
    ClientPropertyNames.unknownOf(properties.keySet())
        .forEach(
            name ->
                log.warn(
                    "event=kafka_property_unknown property={} effect=\"ignored\" hint=\"correct its name in --kafka-config\"",
                    name));
    try (KafkaProbe probe = open(bootstrapServers, properties)) {
      long start = System.nanoTime();
      while (true) {
        try {
          probe.ask().toCompletableFuture().join();
          return;
        } catch (CompletionException e) {
          boolean isSilent = e.getCause() instanceof TimeoutException;
          if (!isSilent || System.nanoTime() - start > START_WITHIN.toNanos()) {
            throw e;
          }
        }
      }
    } catch (CompletionException | KafkaException e) {
      throw new IllegalStateException(
          "Kafka at %s cannot be used: %s; check the brokers, --kafka (SLUICE_KAFKA) and --kafka-config (SLUICE_KAFKA_CONFIG)"
              .formatted(bootstrapServers, Reasons.of(e)),
          e);
    }
  }

  @Override
  public CompletionStage<?> ask() {
    return admin
        .describeCluster(
            new DescribeClusterOptions().timeoutMs(Math.toIntExact(ANSWER_WITHIN.toMillis())))
        .clusterId()
        .toCompletionStage()
        .exceptionally(
            failure -> {
              throw new CompletionException(said(failure));
            });
  }

  /** Kafka's message about a time-out names its calls, not what happened. */
  private static Throwable said(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof TimeoutException
        ? new TimeoutException(
            "no broker answered within %d ms".formatted(ANSWER_WITHIN.toMillis()))
        : cause;
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
