package io.sluice.simulator.command;

import io.sluice.simulator.events.KvEventsConfig;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for KV-cache events. */
final class EventFlags {

  @Option(
      names = "--kv-events-endpoint",
      description =
          "Publish KV-cache events on this ZeroMQ PUB socket, such as tcp://*:5557 (default: none).")
  private @Nullable String endpoint;

  @Option(
      names = "--kv-events-replay-endpoint",
      description =
          "Replay earlier events on this ZeroMQ ROUTER socket, such as tcp://*:5558 (default: none).")
  private @Nullable String replayEndpoint;

  @Option(
      names = "--kv-events-topic",
      description = "The first frame of every event (default: empty).")
  private String topic = "";

  @Option(
      names = "--kv-events-buffer-steps",
      description = "The number of batches that can be replayed (default: 10000).")
  private int bufferSteps = 10_000;

  @Option(
      names = "--kv-events-encoding",
      description =
          "The encoding of events: array (vLLM 0.22 and similar releases) or map (newer releases) (default: array).")
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
