package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.load.Arrivals;
import io.sluice.bench.torture.load.Prompts;
import io.sluice.bench.torture.pool.Engines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** Plans the batches of a run. Equal seeds give equal batches. */
final class BatchPlan {
  private static final int FEWEST_LINES = 20;
  private static final int MOST_LINES = 50;
  private static final double LONG_SHARE = 0.2;
  private static final double CANCELLED_SHARE = 0.25;
  private static final int MOST_MILLIS_UNTIL_CANCELLED = 6_000;

  private final long seed;
  private final Engines engines;
  private final Random random;
  private final Prompts prompts;

  private BatchPlan(long seed, Engines engines) {
    this.seed = seed;
    this.engines = engines;
    // A different sequence than those of the requests and the faults.
    this.random = new Random(seed ^ 0x2545F491L);
    this.prompts = new Prompts(random);
  }

  /** Plans batches that arrive independently of each other, at a mean rate per second. */
  static List<PlannedBatch> of(long seed, Duration length, double rate, Engines engines) {
    var plan = new BatchPlan(seed, engines);
    return Arrivals.within(length, rate, plan.random, plan::batch);
  }

  private PlannedBatch batch(int number, Duration at) {
    String name = String.format(Locale.ROOT, "batch-%d-%03d", seed, number);
    boolean isOfChats = random.nextBoolean();
    String endpoint = isOfChats ? "/v1/chat/completions" : "/v1/completions";
    int count = FEWEST_LINES + random.nextInt(MOST_LINES - FEWEST_LINES);
    int bad = 1 + random.nextInt(count - 1);
    boolean isRepeated = random.nextBoolean();
    List<PlannedLine> lines = new ArrayList<>();
    for (int line = 0; line < count; line++) {
      String id = String.format(Locale.ROOT, "%s-%03d", name, line);
      ObjectNode body = body(isOfChats, id);
      if (line != bad) {
        lines.add(PlannedLine.request(id, endpoint, body));
      } else if (isRepeated) {
        lines.add(PlannedLine.repeatedId(lines.getFirst()));
      } else {
        lines.add(PlannedLine.invalidJson(id, endpoint, body));
      }
    }
    boolean isCancelled = random.nextDouble() < CANCELLED_SHARE;
    Duration after = Duration.ofMillis(random.nextInt(MOST_MILLIS_UNTIL_CANCELLED));
    return new PlannedBatch(
        name, at, endpoint, lines, isCancelled ? Optional.of(after) : Optional.empty());
  }

  private ObjectNode body(boolean isChat, String id) {
    String prompt = prompts.about(id);
    ObjectNode body =
        isChat
            ? prompts.chat(engines.model(), prompt)
            : prompts.completion(engines.model(), prompt);
    if (random.nextDouble() < LONG_SHARE) {
      prompts.ofLength(body, 150 * engines.length(), 400 * engines.length());
    } else {
      prompts.atMost(body, 10, 70);
    }
    return body.put("stream", random.nextBoolean());
  }
}
