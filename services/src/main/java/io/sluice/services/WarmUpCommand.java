package io.sluice.services;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Loads the classes that client commands need, and does nothing else. The launcher runs it once
 * after a build to record the JVM's ahead-of-time cache.
 */
@Command(name = "warm-up", hidden = true, description = "Records the launcher's start-up cache.")
final class WarmUpCommand implements Runnable {
  /** The discard port: nothing listens there, and nothing is sent. */
  private static final String NOBODY = "127.0.0.1:9";

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Override
  public void run() {
    for (CommandLine command : spec.root().commandLine().getSubcommands().values()) {
      command.usage(new PrintWriter(new StringWriter()));
    }
    Map<String, Object> config = Map.of("bootstrap.servers", NOBODY);
    new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()).close();
    new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()).close();
  }
}
