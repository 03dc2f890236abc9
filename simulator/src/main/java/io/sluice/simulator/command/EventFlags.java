package io.sluice.simulator.command;

import io.sluice.simulator.events.KvEventsConfig;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of the KV-cache events. */
final class EventFlags {

  @Option(
      names = "--kv-events-endpoint",
      description = "Publishes KV-cache events on a ZeroMQ PUB socket, e.g. tcp://*:5557.")
  private @Nullable String endpoint;

  @Option(
      names = "--kv-events-replay-endpoint",
      description = "Serves past events on a ZeroMQ ROUTER socket, e.g. tcp://*:5558.")
  private @Nullable String replayEndpoint;

  @Option(
      names = "--kv-events-topic",
      description = "The first frame of every event (default empty).")
  private String topic = "";

  @Option(
      names = "--kv-events-buffer-steps",
      description = "How many batches a replay can reach back (default 10000).")
  private int bufferSteps = 10_000;

  @Option(
      names = "--kv-events-encoding",
      description = "array (vLLM 0.22 and around) or map (newer); default array.")
  private String encoding = "array";

  Optional<KvEventsConfig> config() {
    if (endpoint == null) {
      return Optional.empty();
    }
    KvEventsConfig.Encoding form;
    try {
      form = KvEventsConfig.Encoding.valueOf(encoding.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "kv-events-encoding must be array or map, got '" + encoding + "'.", e);
    }
    return Optional.of(
        new KvEventsConfig(
            endpoint, Optional.ofNullable(replayEndpoint), topic, bufferSteps, form));
  }
}
