package io.sluice.standalone.kafka;

import io.sluice.standalone.backend.LocalPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

/**
 * The server properties of the embedded node: a single node with low latency, small enough that
 * about five hundred partitions use little memory and disk.
 */
final class BrokerSettings {
  static final String CONTROLLER_LISTENER = "CONTROLLER";

  /** After a kill, a node reads the latest segment of each partition again. */
  static final Duration STARTUP_LIMIT = Duration.ofMinutes(5);

  private static final String CLIENT_LISTENER = "CLIENT";
  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;
  private static final int MAX_MESSAGE_BYTES = 8 * MIB;
  private static final int INTERNAL_TOPIC_PARTITIONS = 4;

  private BrokerSettings() {}

  static Properties of(int port, ClusterMember member, Path directory) {
    var settings = new Properties();
    identity(settings, port, member, directory);
    topics(settings, member);
    internalTopics(settings, member);
    threads(settings);
    settings.putAll(member.settings());
    return settings;
  }

  private static void identity(
      Properties settings, int port, ClusterMember member, Path directory) {
    settings.setProperty("process.roles", "broker,controller");
    settings.setProperty("node.id", "" + member.nodeId());
    settings.setProperty(
        "listeners",
        "%s://%s:%s,%s://%s:%s"
            .formatted(
                CLIENT_LISTENER,
                LocalPort.HOST,
                port,
                CONTROLLER_LISTENER,
                LocalPort.HOST,
                member.controllerPort()));
    settings.setProperty(
        "listener.security.protocol.map",
        "%s:PLAINTEXT,%s:PLAINTEXT".formatted(CLIENT_LISTENER, CONTROLLER_LISTENER));
    settings.setProperty("inter.broker.listener.name", CLIENT_LISTENER);
    settings.setProperty("controller.listener.names", CONTROLLER_LISTENER);
    // A static quorum, because its address may change with each start on the same directory.
    settings.setProperty("controller.quorum.voters", member.voters());
    settings.setProperty("log.dirs", directory.toString());
    settings.setProperty("server.max.startup.time.ms", "" + STARTUP_LIMIT.toMillis());
    // After a crash, the node cannot register again before its old session has timed out.
    settings.setProperty("broker.heartbeat.interval.ms", "500");
    settings.setProperty("broker.session.timeout.ms", "3000");
    // Otherwise the idle controller writes to disk twice per second.
    settings.setProperty("metadata.max.idle.interval.ms", "0");
  }

  private static void topics(Properties settings, ClusterMember member) {
    settings.setProperty("auto.create.topics.enable", "false");
    settings.setProperty("default.replication.factor", "" + member.replicas());
    settings.setProperty("min.insync.replicas", "" + member.inSyncReplicas());
    settings.setProperty("message.max.bytes", "" + MAX_MESSAGE_BYTES);
    settings.setProperty("replica.fetch.max.bytes", "" + MAX_MESSAGE_BYTES);
    settings.setProperty("replica.fetch.response.max.bytes", "" + MAX_MESSAGE_BYTES);
    settings.setProperty("log.preallocate", "false");
    settings.setProperty("log.segment.bytes", "" + 64 * MIB);
    // The default is 5 minutes. A small node has few segments to look at.
    settings.setProperty("log.retention.check.interval.ms", "60000");
    // Index files are mapped into memory at this size, two per partition. A full index of a 64 MiB
    // segment (one entry of at most 12 bytes every 4 KiB) needs 192 KiB.
    settings.setProperty("log.index.size.max.bytes", "" + 256 * KIB);
    // The default buffer is 128 MiB of heap.
    settings.setProperty("log.cleaner.dedupe.buffer.size", "" + 4 * MIB);
  }

  private static void internalTopics(Properties settings, ClusterMember member) {
    settings.setProperty("offsets.topic.replication.factor", "" + member.replicas());
    settings.setProperty("offsets.topic.num.partitions", "" + INTERNAL_TOPIC_PARTITIONS);
    settings.setProperty("offsets.topic.segment.bytes", "" + 4 * MIB);
    settings.setProperty("transaction.state.log.replication.factor", "" + member.replicas());
    settings.setProperty("transaction.state.log.min.isr", "" + member.inSyncReplicas());
    settings.setProperty("transaction.state.log.num.partitions", "" + INTERNAL_TOPIC_PARTITIONS);
    settings.setProperty("transaction.state.log.segment.bytes", "" + 4 * MIB);
    settings.setProperty(
        "share.coordinator.state.topic.replication.factor", "" + member.replicas());
    settings.setProperty("share.coordinator.state.topic.min.isr", "" + member.inSyncReplicas());
    settings.setProperty(
        "share.coordinator.state.topic.num.partitions", "" + INTERNAL_TOPIC_PARTITIONS);
    settings.setProperty("group.initial.rebalance.delay.ms", "0");
  }

  private static void threads(Properties settings) {
    settings.setProperty("num.network.threads", "2");
    settings.setProperty("num.io.threads", "4");
    settings.setProperty("background.threads", "2");
    settings.setProperty("num.recovery.threads.per.data.dir", "2");
    settings.setProperty("group.coordinator.threads", "1");
    settings.setProperty("share.coordinator.threads", "1");
  }
}
