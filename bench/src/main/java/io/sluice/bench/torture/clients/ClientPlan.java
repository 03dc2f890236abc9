package io.sluice.bench.torture.clients;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.load.Arrivals;
import io.sluice.bench.torture.load.Prompts;
import io.sluice.bench.torture.pool.Engines;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/** Plans the HTTP clients of a run. Equal seeds give equal clients. */
final class ClientPlan {
  private final long seed;
  private final Engines engines;
  private final Random random;
  private final Prompts prompts;

  private ClientPlan(long seed, Engines engines) {
    this.seed = seed;
    this.engines = engines;
    // A different sequence than those of the other requests and the faults.
    this.random = new Random(seed ^ 0x9E3779B9L);
    this.prompts = new Prompts(random);
  }

  /** Plans clients that arrive independently of each other, at a mean rate per second. */
  static List<PlannedClient> of(long seed, Duration length, double rate, Engines engines) {
    var plan = new ClientPlan(seed, engines);
    return Arrivals.within(
        length, rate, plan.random, (number, at) -> plan.client(number, plan.kind(), at));
  }

  /** Plans clients with background responses, one every 20 ms. */
  static List<PlannedClient> responses(long seed, int count, Engines engines) {
    var plan = new ClientPlan(seed, engines);
    return IntStream.range(0, count)
        .mapToObj(
            number -> plan.client(number, ClientKind.RESPONSE, Duration.ofMillis(20L * number)))
        .toList();
  }

  private PlannedClient client(int number, ClientKind kind, Duration at) {
    String prompt = prompts.about(String.format(Locale.ROOT, "http-%d-%04d", seed, number));
    ObjectNode chat = prompts.chat(engines.model(), prompt);
    int factor = engines.length();
    return new PlannedClient(
        number,
        kind,
        at,
        kind.isBackground()
            ? prompts.atMost(chat, 150 * factor, 550 * factor)
            : prompts.ofLength(chat, 150 * factor, 400 * factor));
  }

  private ClientKind kind() {
    int sum = Arrays.stream(ClientKind.values()).mapToInt(ClientKind::weight).sum();
    int drawn = random.nextInt(sum);
    for (ClientKind kind : ClientKind.values()) {
      drawn -= kind.weight();
      if (drawn < 0) {
        return kind;
      }
    }
    throw new IllegalStateException("weights do not add up");
  }
}
