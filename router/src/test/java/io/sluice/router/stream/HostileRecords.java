package io.sluice.router.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Random;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/** Records that somebody made who means ill, or whose program is broken; the same for a seed. */
final class HostileRecords {
  private static final List<String> NAMES =
      List.of(
          "request-id",
          "reply-to",
          "reply-partition",
          "endpoint",
          "timeout-ms",
          "deadline",
          "priority",
          "tenant",
          "tier",
          "fallback-model",
          "traceparent",
          "kafka_replyTopic",
          "kafka_replyPartition",
          "kafka_correlationId",
          "redrive-of",
          "redrive-count",
          "omitted-bytes",
          "redriven-as",
          "error-code",
          "worker",
          "lease",
          "attempt",
          "sluice",
          "");
  private static final List<String> VALUES =
      List.of(
          "",
          " ",
          "1",
          "-1",
          "0",
          "9223372036854775807",
          "-9223372036854775808",
          "99999999999999999999",
          "1e9",
          "NaN",
          "bulk",
          "urgent",
          "sluice.replies",
          "sluice.replies.x",
          "sluice.outcomes",
          "../..",
          "\u0000",
          "a\nb",
          "\uD83D\uDE00",
          "none",
          "auto",
          "llama",
          "r-1",
          "r-2",
          "r-3");
  private static final List<String> SCALARS =
      List.of(
          "null",
          "true",
          "0",
          "-1",
          "1e400",
          "-0.0",
          "99999999999999999999",
          "9".repeat(999),
          "9".repeat(1_001),
          "1".repeat(500) + ".5e-700",
          "\"\"",
          "\"llama\"",
          "\"\\ud800\"",
          "\"\\udc00\\ud800\"",
          "\"\\u0000\"",
          "\"user\"",
          "\"auto\"",
          "NaN",
          "'x'",
          "\u0000",
          "{}",
          "[]",
          "{\"a\":1,\"a\":[]}",
          "\"r-1\"",
          "\"cancel\"",
          "\"extend\"",
          "\"failed\"",
          "\"rejected\"",
          "\"engine_gone\"",
          "\"invalid_request\"",
          "\"answer_too_large\"",
          "true",
          "\"started\"",
          "\"completed\"",
          "\"returned\"",
          "\"evicted\"",
          "\"urgent\"",
          "\"w1\"",
          "\"homeless\"",
          "\"/\"");
  private static final List<String> FIELDS =
      List.of(
          "model",
          "messages",
          "prompt",
          "role",
          "content",
          "text",
          "max_tokens",
          "best_of",
          "n",
          "use_beam_search",
          "tools",
          "response_format",
          "type",
          "logprobs",
          "temperature",
          "truncate_prompt_tokens",
          "cache_salt",
          "request_id",
          "deadline",
          "priority",
          "attempt",
          "lease",
          "worker",
          "incarnation",
          "tokens",
          "offset",
          "reply_topic",
          "reply_partition",
          "reason",
          "code",
          "message",
          "status",
          "retriable",
          "error",
          "written",
          "retry_after_millis",
          "\\ud800",
          "");

  /** One record, without its key. */
  record Sent(byte @Nullable [] value, Headers headers) {
    @Override
    public String toString() {
      String text = value == null ? "null" : new String(value, UTF_8);
      return text.substring(0, Math.min(text.length(), 500)) + " with " + headers.toArray().length;
    }
  }

  private final Random random;

  HostileRecords(Random random) {
    this.random = random;
  }

  Sent next() {
    return new Sent(value(), headers());
  }

  private byte @Nullable [] value() {
    return switch (random.nextInt(12)) {
      case 0 -> null;
      case 1 -> bytes(random.nextInt(3_000));
      case 2 -> (likely() + "x").getBytes(UTF_8);
      case 3 -> cut(likely().getBytes(UTF_8));
      case 4 -> random.nextInt(20) == 0 ? huge() : tree(4).getBytes(UTF_8);
      case 5, 6 -> tree(5).getBytes(UTF_8);
      default -> likely().getBytes(UTF_8);
    };
  }

  /** Of the shape of a request, a control message or an outcome, with something wrong in it. */
  private String likely() {
    StringBuilder json = new StringBuilder("{\"model\":").append(of(List.of("\"llama\"", tree(1))));
    json.append(",\"messages\":[{\"role\":\"user\",\"content\":").append(tree(1)).append("}]");
    json.append(",\"request_id\":\"r-").append(random.nextInt(20)).append("\"");
    json.append(",\"lease\":\"l\",\"worker\":\"w1\",\"incarnation\":\"i\",\"attempt\":1");
    json.append(",\"code\":\"stall\",\"message\":\"")
        .append("m".repeat(random.nextInt(3_000)))
        .append("\"");
    for (int i = random.nextInt(6); i > 0; i--) {
      json.append(",\"").append(of(FIELDS)).append("\":").append(tree(2));
    }
    return json.append("}").toString();
  }

  private String tree(int depth) {
    int kind = depth == 0 ? 0 : random.nextInt(4);
    StringBuilder json = new StringBuilder();
    switch (kind) {
      case 1 -> {
        json.append("{");
        for (int i = random.nextInt(6); i > 0; i--) {
          json.append("\"")
              .append(of(FIELDS))
              .append("\":")
              .append(tree(depth - 1))
              .append(i > 1 ? "," : "");
        }
        json.append("}");
      }
      case 2 -> {
        json.append("[");
        for (int i = random.nextInt(6); i > 0; i--) {
          json.append(tree(depth - 1)).append(i > 1 ? "," : "");
        }
        json.append("]");
      }
      case 3 -> {
        int deep = random.nextInt(random.nextInt(20) == 0 ? 5_000 : 300);
        json.append("[".repeat(deep)).append("1").append("]".repeat(deep));
      }
      default -> json.append(of(SCALARS));
    }
    return json.toString();
  }

  private byte[] huge() {
    int bytes = 8 * 1024 * 1024;
    return switch (random.nextInt(5)) {
      case 0 -> new byte[bytes + 1];
      case 1 -> ("[" + "{},".repeat(bytes / 3) + "1]").getBytes(UTF_8);
      case 2 ->
          ("{\"model\":\"llama\",\"best_of\":2,\"messages\":[{\"role\":\"user\",\"content\":\""
                  + "\uD83D\uDE00".repeat(bytes / 4 - 100)
                  + "\"}]}")
              .getBytes(UTF_8);
      case 3 ->
          ("{\"model\":\"llama\",\"best_of\":2,\"prompt\":[" + "1e9,".repeat(200_000) + "1]}")
              .getBytes(UTF_8);
      default -> ("{\"a\":\"" + "\\u0000".repeat(bytes / 6 - 10) + "\"}").getBytes(UTF_8);
    };
  }

  private Headers headers() {
    Headers headers = new RecordHeaders();
    if (random.nextInt(5) > 0) {
      headers.add("request-id", ("r-" + random.nextInt(20)).getBytes(UTF_8));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      headers.add(of(NAMES), random.nextInt(10) == 0 ? null : of(VALUES).getBytes(UTF_8));
    }
    switch (random.nextInt(120)) {
      case 0 -> headers.add("\u4e2d".repeat(600_000), bytes(3));
      case 1 -> headers.add("\u4e2d".repeat(3_200_000), null);
      case 2 -> headers.add(of(NAMES), new byte[8 * 1024 * 1024]);
      case 3 -> {
        for (int i = 0; i < 20_000; i++) {
          headers.add("", new byte[0]);
        }
      }
      case 4, 5, 6 -> headers.add(of(NAMES), bytes(random.nextInt(5_000)));
      default -> {}
    }
    return headers;
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] cut(byte[] bytes) {
    return java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
  }

  private String of(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }
}
