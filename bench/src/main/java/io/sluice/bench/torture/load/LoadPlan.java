package io.sluice.bench.torture.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.pool.Engines;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** Plans all requests of a run. Equal seeds give equal requests. */
public final class LoadPlan {
  private static final double SDK_SHARE = 0.4;
  private static final int TENANTS = 4;

  private final long seed;
  private final Engines engines;
  private final Random random;
  private final Prompts prompts;

  private LoadPlan(long seed, Engines engines) {
    this.seed = seed;
    this.engines = engines;
    // A different sequence than that of the faults.
    this.random = new Random(seed ^ 0x5DEECE66DL);
    this.prompts = new Prompts(random);
  }

  /** Plans requests that arrive independently of each other, at a mean rate per second. */
  public static List<PlannedRequest> of(long seed, Duration length, double rate, Engines engines) {
    var plan = new LoadPlan(seed, engines);
    return Arrivals.within(length, rate, plan.random, plan::request);
  }

  private PlannedRequest request(int number, Duration at) {
    RequestKind kind = kind();
    String id = String.format(Locale.ROOT, "torture-%d-%05d", seed, number);
    boolean bySdk = random.nextDouble() < SDK_SHARE && ExpectedEnd.of(kind).mayComplete();
    String tenant = "tenant-" + random.nextInt(TENANTS);
    Duration timeout = kind == RequestKind.SHORT_DEADLINE ? seconds(1, 8) : engines.patience();
    PlannedRequest request =
        PlannedRequest.of(id, kind, body(kind, id), tenant, timeout)
            .at(at)
            .withSdk(bySdk && kind != RequestKind.REPEATED);
    return switch (kind) {
      case CANCELLED -> request.cancelledAfter(seconds(0, 8));
      case REPEATED ->
          request.repeated(
              List.of(new Repeat(seconds(0, 12), request.topic(), tenant, Optional.empty())));
      default -> request;
    };
  }

  private RequestKind kind() {
    int sum = Arrays.stream(RequestKind.values()).mapToInt(RequestKind::weight).sum();
    int drawn = random.nextInt(sum);
    for (RequestKind kind : RequestKind.values()) {
      drawn -= kind.weight();
      if (drawn < 0) {
        return kind;
      }
    }
    throw new IllegalStateException("weights do not add up");
  }

  private ObjectNode body(RequestKind kind, String id) {
    ObjectNode body = prompted(kind, prompts.about(id));
    switch (kind) {
      case LONG, LONG_COMPLETION -> ofLength(body, 150, 550);
      case SHORT_DEADLINE, CANCELLED -> ofLength(body, 150, 400);
      // Engines refuse two choices at temperature 0.
      case CHOICES ->
          prompts.atMost(body.put("n", 2).put("temperature", 1).put("seed", 5), 100, 250);
      case LOGPROBS -> prompts.atMost(body.put("logprobs", true), 60, 210);
      case SCHEMA -> Prompts.schema(body);
      case UNKNOWN_MODEL -> body.put("model", "nobody-serves-this");
      default -> prompts.atMost(body, 30, 200);
    }
    boolean isStreamed = kind.isStreamed() && (kind != RequestKind.BULK || random.nextBoolean());
    return body.put("stream", isStreamed);
  }

  private ObjectNode ofLength(ObjectNode body, int from, int to) {
    return prompts.ofLength(body, from * engines.length(), to * engines.length());
  }

  private ObjectNode prompted(RequestKind kind, String prompt) {
    return switch (kind) {
      case COMPLETION, LONG_COMPLETION -> prompts.completion(engines.model(), prompt);
      case TOO_LONG -> prompts.chat(engines.model(), (prompt + " ").repeat(engines.maxModelLen()));
      default -> prompts.chat(engines.model(), prompt);
    };
  }

  private Duration seconds(int from, int to) {
    return Duration.ofMillis(from * 1_000L + random.nextInt((to - from) * 1_000));
  }
}
