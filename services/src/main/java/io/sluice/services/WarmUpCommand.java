package io.sluice.services;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Loads the classes that client commands need. With the addresses of a pool, it also runs client
 * commands, or a gateway alone; with an engine and a Kafka without a pool, all services too. A JVM
 * that records its ahead-of-time cache runs it.
 */
@Command(
    name = "warm-up",
    hidden = true,
    description = "Use what commands need, so that the JVM can record its start-up cache.")
final class WarmUpCommand implements Callable<Integer> {
  /** The discard port: nothing listens there, and nothing is sent. */
  private static final String NO_BROKER = "127.0.0.1:9";

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(names = "--kafka")
  private Optional<String> kafka = Optional.empty();

  @Option(names = "--redis")
  private Optional<String> redis = Optional.empty();

  @Option(names = "--engine")
  private Optional<String> engine = Optional.empty();

  @Option(names = "--gateway")
  private boolean gateway;

  @Override
  public Integer call() throws Exception {
    if (gateway) {
      new GatewayWarmUp(required("--kafka", kafka), required("--redis", redis)).run();
      return 0;
    }
    loadClients();
    if (engine.isPresent()) {
      new ServicesWarmUp(
              required("--kafka", kafka), required("--redis", redis), engine.orElseThrow())
          .run();
    } else if (kafka.isPresent()) {
      new ClientsWarmUp(kafka.orElseThrow(), required("--redis", redis)).run();
    }
    return 0;
  }

  private String required(String name, Optional<String> value) {
    return value.orElseThrow(
        () -> new ParameterException(spec.commandLine(), "give " + name + " too"));
  }

  private void loadClients() {
    CommandLine all = new Commands(ServiceCommands.all()).commandLine(false);
    for (CommandLine command : all.getSubcommands().values()) {
      command.usage(new PrintWriter(new StringWriter()));
    }
    Map<String, Object> config = Map.of("bootstrap.servers", NO_BROKER);
    new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()).close();
    new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()).close();
  }
}
