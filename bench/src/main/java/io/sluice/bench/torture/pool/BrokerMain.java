package io.sluice.bench.torture.pool;

import io.sluice.config.StopSignal;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * Runs one Kafka node as a process whose clock can be skewed. Arguments: the cluster id, the clock
 * file, then server properties as {@code name=value}.
 */
public final class BrokerMain {
  private BrokerMain() {}

  public static void main(String[] arguments) throws Exception {
    var properties = new Properties();
    Arrays.stream(arguments)
        .skip(2)
        .map(setting -> setting.split("=", 2))
        .forEach(pair -> properties.setProperty(pair[0], pair[1]));
    format(arguments[0], properties);
    var time = new SkewedTime(new ClockFile(Path.of(arguments[1])));
    var server = new KafkaRaftServer(KafkaConfig.fromProps(properties, false), time);
    StopSignal stop =
        StopSignal.running(
            () -> {
              server.shutdown();
              server.awaitShutdown();
            });
    server.startup();
    System.out.println("broker ready");
    stop.await();
  }

  /**
   * Formats only an empty directory: another directory id would make Kafka refuse the records in
   * it.
   */
  private static void format(String clusterId, Properties properties) throws Exception {
    Path directory = Path.of(properties.getProperty("log.dirs"));
    Files.createDirectories(directory);
    if (Files.exists(directory.resolve(MetaPropertiesEnsemble.META_PROPERTIES_NAME))) {
      return;
    }
    new Formatter()
        .setPrintStream(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        .setNodeId(Integer.parseInt(properties.getProperty("node.id")))
        .setClusterId(clusterId)
        .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
        .setControllerListenerName(properties.getProperty("controller.listener.names"))
        .setDirectories(List.of(directory.toString()))
        .setMetadataLogDirectory(directory.toString())
        .run();
  }
}
