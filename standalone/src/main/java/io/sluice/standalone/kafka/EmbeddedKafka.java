package io.sluice.standalone.kafka;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka node in this process, on the loopback interface, for a pool without a Kafka cluster; or
 * one node of several. Only a {@link RemoteListener} lets other machines in. Topics are never
 * created on first use. A single node replicates nothing.
 *
 * <p>Thread-safe. A fault that Kafka considers fatal, such as a deleted data directory or a full
 * disk, ends the process, as it does for any Kafka server.
 */
public final class EmbeddedKafka implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedKafka.class);
  private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(10);

  private final KafkaRaftServer server;
  private final BrokerStorage storage;
  private final int port;
  private boolean closed;

  private EmbeddedKafka(KafkaRaftServer server, BrokerStorage storage, int port) {
    this.server = server;
    this.storage = storage;
    this.port = port;
  }

  /**
   * Where the node listens and where it stores its records.
   *
   * @param port the port on 127.0.0.1, or 0 for a free one
   * @param dataDirectory the directory in which topics, records and the cluster's identity survive
   *     a restart, created if it is missing; if empty, a temporary directory is used and deleted on
   *     close
   * @param member the node's role in a cluster, in which it is ready when enough of the other nodes
   *     are; if empty, it is a cluster of its own
   * @param remote where clients on other machines reach it too
   */
  public record Config(
      int port,
      Optional<Path> dataDirectory,
      Optional<ClusterMember> member,
      Optional<RemoteListener> remote) {
    /** Configures a single node. */
    public Config(int port, Optional<Path> dataDirectory) {
      this(port, dataDirectory, Optional.empty(), Optional.empty());
    }

    /** Lets clients on other machines in. */
    public Config withRemote(Optional<RemoteListener> listener) {
      return new Config(port, dataDirectory, member, listener);
    }
  }

  /**
   * Starts the node and returns when it responds to clients.
   *
   * @throws BackendStartException if the port is taken, the directory cannot be used (or is used by
   *     a running node), or the node is not ready within {@link BrokerSettings#STARTUP_LIMIT}
   */
  public static EmbeddedKafka start(Config config) {
    int port = LocalPort.settle(config.port(), "Kafka");
    ClusterMember member =
        config
            .member()
            .orElseGet(
                () ->
                    ClusterMember.alone(
                        LocalPort.settle(0, "Kafka's controller"), Uuid.randomUuid()));
    BrokerStorage storage = BrokerStorage.open(config.dataDirectory(), member);
    var settings = BrokerSettings.of(port, member, storage.directory());
    config.remote().ifPresent(remote -> remote.addTo(settings));
    var kafka = new EmbeddedKafka(server(settings, storage), storage, port);
    try {
      long startedNanos = System.nanoTime();
      kafka.server.startup();
      log.info(
          "event=kafka_ready port={} directory={} millis={}",
          port,
          storage.directory(),
          Duration.ofNanos(System.nanoTime() - startedNanos).toMillis());
      return kafka;
    } catch (Error e) {
      kafka.close();
      throw e;
    } catch (Exception e) { // Scala does not declare the exceptions that it throws.
      kafka.close();
      throw new BackendStartException(
          "Kafka did not start on %s:%d with its data in %s: %s"
              .formatted(LocalPort.HOST, port, storage.directory(), e.getMessage()),
          e);
    }
  }

  /** While the JVM ends, classes of Kafka cannot be loaded, which is an error. */
  private static KafkaRaftServer server(Properties settings, BrokerStorage storage) {
    try {
      return new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
    } catch (RuntimeException | Error e) {
      storage.close();
      throw e;
    }
  }

  public String bootstrapServers() {
    return LocalPort.HOST + ":" + port;
  }

  public int port() {
    return port;
  }

  /**
   * Stops the node. Waits at most ten seconds, which is exceeded only on an overloaded machine; the
   * node then stops in the background until the process ends. In both cases, the records in a
   * permanent data directory are safe, and the directory is free again when the node has ended.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    Thread stopping = Thread.ofPlatform().name("kafka-stop").daemon().start(this::stop);
    try {
      if (!stopping.join(SHUTDOWN_LIMIT)) {
        log.warn("event=kafka_not_stopped within_s={}", SHUTDOWN_LIMIT.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** In this order: a node whose files disappear assumes that its disk is broken and halts. */
  private void stop() {
    try {
      server.shutdown();
      server.awaitShutdown();
    } finally {
      storage.close();
    }
  }
}
