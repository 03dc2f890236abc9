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
  private static final Duration START_WITHIN = Duration.ofSeconds(9);

  /**
   * How long a service that starts waits for one of them before it asks another: long enough for a
   * machine on which everything starts at once.
   */
  private static final Duration START_ATTEMPT_WITHIN = Duration.ofSeconds(3);

  private static final Logger log = LoggerFactory.getLogger(KafkaProbe.class);

  private final Admin admin;
  private final Duration answerWithin;

  private KafkaProbe(Admin admin, Duration answerWithin) {
    this.admin = admin;
    this.answerWithin = answerWithin;
  }

  /**
   * Opens the client.
   *
   * @param properties of Kafka's clients, such as those for security
   * @throws org.apache.kafka.common.KafkaException if the properties or the addresses are wrong
   */
  public static KafkaProbe open(String bootstrapServers, Map<String, String> properties) {
    return open(bootstrapServers, properties, ANSWER_WITHIN, ANSWER_WITHIN);
  }

  private static KafkaProbe open(
      String bootstrapServers,
      Map<String, String> properties,
      Duration attemptWithin,
      Duration answerWithin) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    all.put(AdminClientConfig.CLIENT_ID_CONFIG, "sluice-probe");
    int attemptMillis = Math.toIntExact(attemptWithin.toMillis());
    all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, attemptMillis);
    all.put(AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, attemptMillis);
    all.put(AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, attemptMillis);
    all.put(
        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Math.toIntExact(answerWithin.toMillis()));
    return new KafkaProbe(Admin.create(all), answerWithin);
  }

  /**
   * Returns once a broker answers. A service calls it first, so that it fails with one line if its
   * Kafka is away. Warns about properties that no Kafka client has. Blocks for 9 s at most, and
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
    try (KafkaProbe probe =
        open(bootstrapServers, properties, START_ATTEMPT_WITHIN, START_WITHIN)) {
      probe.ask().toCompletableFuture().join();
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
            new DescribeClusterOptions().timeoutMs(Math.toIntExact(answerWithin.toMillis())))
        .clusterId()
        .toCompletionStage()
        .exceptionally(
            failure -> {
              throw new CompletionException(said(failure));
            });
  }

  /** Kafka's message about a time-out names its calls, not what happened. */
  private Throwable said(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof TimeoutException
        ? new TimeoutException("no broker answered within %d ms".formatted(answerWithin.toMillis()))
        : cause;
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
