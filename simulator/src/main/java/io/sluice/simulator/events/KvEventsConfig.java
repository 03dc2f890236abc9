package io.sluice.simulator.events;

import java.util.Optional;

/**
 * Where and how changes of the KV cache are published, as in {@code --kv-events-config}.
 *
 * @param endpoint the PUB socket to bind, such as {@code tcp://*:5557}
 * @param replayEndpoint the ROUTER socket that replays earlier batches, if any
 * @param topic the first frame of every message
 * @param bufferSteps the number of batches that can be replayed
 * @param encoding the encoding of events
 */
public record KvEventsConfig(
    String endpoint,
    Optional<String> replayEndpoint,
    String topic,
    int bufferSteps,
    Encoding encoding) {

  /** The two encodings of events in vLLM releases. */
  public enum Encoding {
    /** Positional arrays that start with the type (release 0.22 and similar ones). */
    ARRAY,
    /** Maps with a {@code type} (newer releases). */
    MAP
  }

  /** Validates the limits. */
  public KvEventsConfig {
    if (bufferSteps < 1) {
      throw new IllegalArgumentException("buffer_steps must be at least 1.");
    }
  }

  /**
   * Returns vLLM's defaults for an endpoint: no topic, 10,000 batches kept, and no replay socket.
   */
  public static KvEventsConfig at(String endpoint) {
    return new KvEventsConfig(endpoint, Optional.empty(), "", 10_000, Encoding.ARRAY);
  }

  /** Returns this configuration with a replay socket. */
  public KvEventsConfig withReplay(String replayEndpoint) {
    return new KvEventsConfig(endpoint, Optional.of(replayEndpoint), topic, bufferSteps, encoding);
  }

  /** Returns this configuration with another encoding. */
  public KvEventsConfig withEncoding(Encoding encoding) {
    return new KvEventsConfig(endpoint, replayEndpoint, topic, bufferSteps, encoding);
  }

  /** Returns this configuration with another topic. */
  public KvEventsConfig withTopic(String topic) {
    return new KvEventsConfig(endpoint, replayEndpoint, topic, bufferSteps, encoding);
  }
}
