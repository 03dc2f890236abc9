package io.sluice.simulator.command;

import io.sluice.config.Setting;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.events.KvEventsConfig;
import java.util.Optional;

/**
 * The settings of KV-cache events.
 *
 * @param endpoint the socket that publishes events; empty for no events
 * @param replayEndpoint the socket that replays events; empty for none
 * @param topic the first frame of every event
 * @param bufferSteps the number of batches that can be replayed
 * @param encoding the encoding of events
 */
public record EventSettings(
    @Setting(
            key = "kv-events-endpoint",
            unit = "endpoint",
            meaning = "Publish KV-cache events on this ZeroMQ PUB socket, such as `tcp://*:5557`.")
        Optional<String> endpoint,
    @Setting(
            key = "kv-events-replay-endpoint",
            unit = "endpoint",
            meaning = "Replay earlier events on this ZeroMQ ROUTER socket, such as `tcp://*:5558`.")
        Optional<String> replayEndpoint,
    @Setting(
            key = "kv-events-topic",
            otherwise = "empty",
            meaning = "The first frame of every event.")
        Optional<String> topic,
    @Setting(
            key = "kv-events-buffer-steps",
            defaultValue = "10000",
            unit = "batches",
            min = 1,
            meaning = "The number of batches that can be replayed.")
        int bufferSteps,
    @Setting(
            key = "kv-events-encoding",
            defaultValue = "array",
            unit = "encoding",
            meaning =
                "The encoding of events: `array` (vLLM 0.22 and similar releases) or `map` (newer"
                    + " releases).")
        KvEventsConfig.Encoding encoding) {

  SimulatorConfig applyTo(SimulatorConfig config) {
    return endpoint
        .map(
            socket ->
                config.withKvEvents(
                    new KvEventsConfig(
                        socket, replayEndpoint, topic.orElse(""), bufferSteps, encoding)))
        .orElse(config);
  }
}
