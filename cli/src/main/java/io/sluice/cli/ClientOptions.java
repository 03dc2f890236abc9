package io.sluice.cli;

import io.sluice.common.kafka.ClientPropertyNames;
import io.sluice.config.PropertiesFile;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.client.SluiceClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * How a client command reaches Kafka: {@code --kafka} and {@code --kafka-config}. A variable that
 * is empty counts as not set.
 */
public final class ClientOptions {
  private static final String LOCAL_STACK = "127.0.0.1:19092";
  private static final String START_OR_NAME =
      ": start the local stack with ./sluice up, or set another address with --kafka";
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  @Spec(Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:SLUICE_KAFKA}",
      description =
          "Kafka's address (SLUICE_KAFKA; default: bootstrap.servers of --kafka-config, or else the"
              + " local stack's, "
              + LOCAL_STACK
              + ").")
  private Optional<String> kafka = Optional.empty();

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_KAFKA_CONFIG}",
      description =
          "A properties file for the Kafka clients, such as security settings"
              + " (SLUICE_KAFKA_CONFIG).")
  private Optional<Path> config = Optional.empty();

  @Option(
      names = "--reply-service",
      paramLabel = "NAME",
      defaultValue = "${env:SLUICE_REPLY_SERVICE}",
      description =
          "Read answers on sluice.replies.NAME (SLUICE_REPLY_SERVICE; default: sluice.replies).")
  private Optional<String> replyService = Optional.empty();

  /** Returns the configuration that the options describe. */
  public ClientConfig clientConfig() {
    Map<String, String> properties = new HashMap<>();
    config
        .filter(file -> !file.toString().isEmpty())
        .ifPresent(file -> properties.putAll(read(file)));
    ClientPropertyNames.unknownOf(properties.keySet()).forEach(this::warnUnknown);
    String bootstrapServers =
        kafka
            .filter(address -> !address.isEmpty())
            .orElseGet(() -> properties.getOrDefault("bootstrap.servers", LOCAL_STACK));
    ClientConfig defaults = ClientConfig.at(bootstrapServers);
    ClientConfig given =
        defaults
            .withKafka(properties)
            .withTimeouts(CONNECT_TIMEOUT, defaults.submitTimeout(), defaults.deadlineGrace());
    try {
      return replyService
          .filter(name -> !name.isEmpty())
          .map(given::withReplyService)
          .orElse(given);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--reply-service: " + e.getMessage(), e);
    }
  }

  /**
   * Connects to the pool.
   *
   * @throws CommandFailedException if that fails; the message tells what to do
   */
  public static SluiceClient connect(ClientConfig config) {
    return reach(config, () -> SluiceClient.connect(config));
  }

  /**
   * Performs an action on the pool.
   *
   * @throws CommandFailedException if that fails; the message tells what to do
   */
  public static <T> T reach(ClientConfig config, Supplier<T> action) {
    if (BrokerProbe.isRefused(config.bootstrapServers())) {
      throw new CommandFailedException(
          "cannot reach Kafka at " + config.bootstrapServers() + START_OR_NAME);
    }
    try {
      return action.get();
    } catch (ClientException e) {
      throw new CommandFailedException(
          e.getMessage()
              + switch (e.kind()) {
                case UNREACHABLE, NO_POOL -> START_OR_NAME;
                case CONFIGURATION -> ": check --kafka and --kafka-config (SLUICE_KAFKA_CONFIG)";
                case BUSY, CLOSED -> "";
              },
          e);
    }
  }

  private Map<String, String> read(Path file) {
    try {
      return PropertiesFile.read(file);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(),
          "cannot read --kafka-config (SLUICE_KAFKA_CONFIG) " + file + ": " + e.getMessage(),
          e);
    }
  }

  private void warnUnknown(String property) {
    spec.commandLine()
        .getErr()
        .printf(
            "sluice: warning: no Kafka client has the property '%s'; it is ignored: correct its name"
                + " in --kafka-config%n",
            property);
    spec.commandLine().getErr().flush();
  }
}
