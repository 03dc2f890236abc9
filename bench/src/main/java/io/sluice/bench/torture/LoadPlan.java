package io.sluice.bench.torture;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** All requests of a run: equal seeds give equal requests. */
final class LoadPlan {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** More than any pause that the adversary can make; shorter ones are the hurried requests'. */
  private static final Duration PATIENCE = Duration.ofSeconds(150);

  private static final double SDK_SHARE = 0.4;
  private static final int TENANTS = 4;

  private final long seed;
  private final Random random;

  private LoadPlan(long seed) {
    this.seed = seed;
    // Another sequence than the adversary's.
    this.random = new Random(seed ^ 0x5DEECE66DL);
  }

  /** Requests that come independently of each other, at a mean rate per second. */
  static List<PlannedRequest> of(long seed, Duration length, double rate) {
    var plan = new LoadPlan(seed);
    List<PlannedRequest> requests = new ArrayList<>();
    double atSeconds = 0;
    while (atSeconds < length.toMillis() / 1e3) {
      requests.add(plan.request(requests.size(), Duration.ofMillis((long) (atSeconds * 1e3))));
      atSeconds += -Math.log(1 - plan.random.nextDouble()) / rate;
    }
    return requests;
  }

  private PlannedRequest request(int number, Duration at) {
    RequestKind kind = kind();
    String id = String.format(Locale.ROOT, "torture-%d-%05d", seed, number);
    boolean bySdk =
        random.nextDouble() < SDK_SHARE && !kind.isRefused() && kind != RequestKind.REPEATED;
    return new PlannedRequest(
        id,
        kind,
        at,
        body(kind, id),
        bySdk,
        "tenant-" + random.nextInt(TENANTS),
        kind == RequestKind.HURRIED ? seconds(1, 8) : PATIENCE,
        kind == RequestKind.CANCELLED ? Optional.of(seconds(0, 8)) : Optional.empty(),
        kind == RequestKind.REPEATED ? Optional.of(seconds(0, 12)) : Optional.empty());
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
    String prompt =
        "Request %s: tell me %d things about number %d."
            .formatted(id, 2 + random.nextInt(8), random.nextInt(100_000));
    ObjectNode body = JSON.createObjectNode().put("model", PoolSize.MODEL);
    if (kind == RequestKind.COMPLETION || kind == RequestKind.LONG_COMPLETION) {
      body.put("prompt", prompt);
    } else {
      String content =
          kind == RequestKind.TOO_LONG ? (prompt + " ").repeat(PoolSize.MAX_MODEL_LEN) : prompt;
      body.putArray("messages").addObject().put("role", "user").put("content", content);
    }
    switch (kind) {
      case LONG, LONG_COMPLETION -> lasting(body, 150, 550);
      case HURRIED, CANCELLED -> lasting(body, 150, 400);
      case CHOICES -> body.put("n", 2).put("max_tokens", 100 + random.nextInt(150));
      case LOGPROBS -> body.put("logprobs", true).put("max_tokens", 60 + random.nextInt(150));
      case SCHEMA -> schema(body);
      case UNKNOWN_MODEL -> body.put("model", "nobody-serves-this");
      default -> body.put("max_tokens", 30 + random.nextInt(170));
    }
    boolean isStreamed = kind.isStreamed() && (kind != RequestKind.BULK || random.nextBoolean());
    return body.put("stream", isStreamed);
  }

  private void lasting(ObjectNode body, int from, int to) {
    body.put("ignore_eos", true).put("max_tokens", from + random.nextInt(to - from));
  }

  private static void schema(ObjectNode body) {
    body.put("max_tokens", 200);
    ObjectNode format = body.putObject("response_format").put("type", "json_schema");
    ObjectNode schema = format.putObject("json_schema").put("name", "place").putObject("schema");
    schema.put("type", "object").putArray("required").add("city").add("people");
    ObjectNode properties = schema.putObject("properties");
    properties.putObject("city").put("type", "string");
    properties.putObject("people").put("type", "integer");
  }

  private Duration seconds(int from, int to) {
    return Duration.ofMillis(from * 1_000L + random.nextInt((to - from) * 1_000));
  }
}
