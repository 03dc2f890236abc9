package io.sluice.simulator.events;

import java.util.Optional;

/**
 * Where and how changes of the KV cache are published, as in {@code --kv-events-config}.
 *
 * @param endpoint the PUB socket to bind, such as {@code tcp://*:5557}
 * @param replayEndpoint the ROUTER socket that serves past batches, if any
 * @param topic the first frame of every message
 * @param bufferSteps how many batches a replay can reach back
 * @param encoding how events are written
 */
public record KvEventsConfig(
    String endpoint,
    Optional<String> replayEndpoint,
    String topic,
    int bufferSteps,
    Encoding encoding) {

  /** The two forms in which vLLM releases write events. */
  public enum Encoding {
    /** Positional arrays, first the type (0.22 and around). */
    ARRAY,
    /** Maps with a {@code type} (newer releases). */
    MAP
  }

  /** Checks the limits. */
  public KvEventsConfig {
    if (bufferSteps < 1) {
      throw new IllegalArgumentException("buffer_steps must be at least 1.");
    }
  }

  /** vLLM's defaults on an endpoint: no topic, 10,000 batches kept, no replay socket. */
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
