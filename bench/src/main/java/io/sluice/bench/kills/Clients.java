package io.sluice.bench.kills;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.load.Prompts;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Starts clients of several servers, each of which asks something else. Not thread-safe. */
final class Clients {
  /** How fast a client reads that is not slow. */
  static final long UNLIMITED = Long.MAX_VALUE / TimeUnit.SECONDS.toNanos(1);

  private final Gateways servers;
  private final String model;
  private final Prompts prompts = new Prompts(new Random(1));
  private int asked;

  Clients(Gateways servers, String model) {
    this.servers = servers;
    this.model = model;
  }

  /** Starts clients, in turn at each server, that ask for a chat of exactly that many tokens. */
  Streams start(int count, int tokens) {
    Streams streams = new Streams(servers);
    for (int stream = 0; stream < count; stream++) {
      streams.start(chat("kills-" + asked++, tokens), stream % servers.count(), UNLIMITED);
    }
    return streams;
  }

  /** Returns the body of a streamed chat of exactly that many tokens. */
  ObjectNode chat(String id, int tokens) {
    return prompts.ofLength(prompts.chat(model, prompts.about(id)), tokens, tokens + 1);
  }
}
