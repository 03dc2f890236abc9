package io.sluice.bench.torture.pool;

import io.sluice.standalone.backend.LocalPort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The server properties of one of three small brokers that detect failures quickly. */
final class BrokerProperties {
  private static final int MIB = 1024 * 1024;

  private BrokerProperties() {}

  static List<String> of(Target broker, Wiring wiring, Path data) {
    List<String> properties =
        new ArrayList<>(
            List.of(
                "process.roles=broker,controller",
                "node.id=" + broker.number(),
                "inter.broker.listener.name=CLIENT",
                "controller.listener.names=CONTROLLER",
                "controller.quorum.voters=" + voters(wiring),
                "log.dirs=" + data,
                "server.max.startup.time.ms=30000"));
    properties.addAll(wiring.listenerSettings(broker));
    // After a crash the node cannot register again before its old session has timed out.
    properties.addAll(
        List.of("broker.heartbeat.interval.ms=500", "broker.session.timeout.ms=3000"));
    topics(properties);
    properties.addAll(
        List.of(
            "num.network.threads=1",
            "num.io.threads=4",
            "background.threads=2",
            "num.recovery.threads.per.data.dir=2",
            "group.coordinator.threads=1",
            "share.coordinator.threads=1"));
    return properties;
  }

  private static String voters(Wiring wiring) {
    return wiring
        .brokers()
        .map(node -> "%d@%s:%d".formatted(node.number(), LocalPort.HOST, wiring.secondPort(node)))
        .collect(Collectors.joining(","));
  }

  private static void topics(List<String> properties) {
    properties.addAll(
        List.of(
            "auto.create.topics.enable=false",
            "default.replication.factor=" + PoolSetup.REPLICATION,
            "min.insync.replicas=2",
            "message.max.bytes=" + 8 * MIB,
            "replica.fetch.max.bytes=" + 8 * MIB,
            "replica.fetch.response.max.bytes=" + 8 * MIB,
            "log.segment.bytes=" + 64 * MIB,
            "log.index.size.max.bytes=" + MIB / 4,
            "log.cleaner.dedupe.buffer.size=" + 4 * MIB,
            "metadata.max.idle.interval.ms=0",
            "group.initial.rebalance.delay.ms=0"));
    for (String internal : List.of("offsets.topic", "transaction.state.log")) {
      properties.add(internal + ".num.partitions=4");
      properties.add(internal + ".replication.factor=" + PoolSetup.REPLICATION);
      properties.add(internal + ".segment.bytes=" + 4 * MIB);
    }
    properties.add("transaction.state.log.min.isr=2");
    properties.add("share.coordinator.state.topic.num.partitions=4");
    properties.add("share.coordinator.state.topic.replication.factor=" + PoolSetup.REPLICATION);
  }
}
