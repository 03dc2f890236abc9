package io.sluice.common.dependency;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Asks the brokers which cluster they are. It has a client of its own, because the clients of the
 * service wait longer for a broker than a probe may. Thread-safe.
 */
public final class KafkaProbe implements Dependency.Probe, AutoCloseable {
  /** Shorter than the watch waits, so that the reason is that of the client. */
  private static final Duration ANSWER_WITHIN = WatchedDependency.ANSWER_WITHIN.minusMillis(100);

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
