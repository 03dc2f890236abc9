package io.sluice.bench.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.common.openai.Choice;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Runs a batch by whichever gateway answers, and reads its results. Thread-safe. */
final class BatchCaller {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BOUNDARY = "----sluice-upgrade-form";
  private static final Set<String> ENDS = Set.of("completed", "failed", "expired", "cancelled");
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(12);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);
  private static final Duration END_WITHIN = Duration.ofMinutes(5);
  private static final Duration GATEWAY_WITHIN = Duration.ofSeconds(60);
  private static final int OK = 200;

  private final Gateways gateways;

  BatchCaller(Gateways gateways) {
    this.gateways = gateways;
  }

  /** A request to a gateway. */
  private interface Call {
    HttpResponse<InputStream> to(int gateway) throws IOException, InterruptedException;
  }

  /**
   * Runs a batch of chats to its end; returns a reply for each.
   *
   * @throws IOException if no gateway takes it, or it does not end in time
   */
  List<Reply> call(int step, List<ObjectNode> bodies) throws IOException, InterruptedException {
    String input =
        IntStream.range(0, bodies.size())
            .mapToObj(line -> line(line, bodies.get(line)).toString())
            .collect(Collectors.joining("\n"));
    String file =
        post("/v1/files", "multipart/form-data; boundary=" + BOUNDARY, form(input))
            .path("id")
            .asText();
    ObjectNode batch = JSON.createObjectNode().put("input_file_id", file);
    batch.put("endpoint", "/v1/chat/completions").put("completion_window", "24h");
    JsonNode ended =
        ended(post("/v1/batches", "application/json", batch.toString()).path("id").asText());
    Map<Integer, List<JsonNode>> results = new HashMap<>();
    for (String key : List.of("output_file_id", "error_file_id")) {
      if (ended.hasNonNull(key)) {
        for (String line :
            get("/v1/files/" + ended.path(key).asText() + "/content").lines().toList()) {
          JsonNode result = JSON.readTree(line);
          results
              .computeIfAbsent(result.path("custom_id").asInt(), id -> new ArrayList<>())
              .add(result);
        }
      }
    }
    return IntStream.range(0, bodies.size())
        .mapToObj(line -> reply(step, bodies.get(line), results.getOrDefault(line, List.of())))
        .toList();
  }

  private static ObjectNode line(int number, ObjectNode body) {
    ObjectNode line = JSON.createObjectNode().put("custom_id", Integer.toString(number));
    line.put("method", "POST").put("url", "/v1/chat/completions");
    ObjectNode whole = body.deepCopy();
    whole.put("stream", false);
    line.set("body", whole);
    return line;
  }

  private static String form(String input) {
    return """
    --%1$s\r
    content-disposition: form-data; name="purpose"\r
    \r
    batch\r
    --%1$s\r
    content-disposition: form-data; name="file"; filename="upgrade.jsonl"\r
    \r
    %2$s\r
    --%1$s--\r
    """
        .formatted(BOUNDARY, input);
  }

  private static Reply reply(int step, ObjectNode body, List<JsonNode> results) {
    String text =
        results.isEmpty()
            ? ""
            : Choice.firstOfWhole(results.getFirst().at("/response/body")).text();
    Optional<String> error = Optional.empty();
    if (results.size() != 1) {
      error = Optional.of(results.size() + " results");
    } else if (results.getFirst().at("/response/status_code").asInt() != OK) {
      error = Optional.of(results.getFirst().toString());
    }
    return new Reply(step, Reply.Way.BATCH, body, OptionalDouble.empty(), text, error, 0);
  }

  private JsonNode ended(String id) throws IOException, InterruptedException {
    long end = System.nanoTime() + END_WITHIN.toNanos();
    while (true) {
      JsonNode batch = JSON.readTree(get("/v1/batches/" + id));
      if (ENDS.contains(batch.path("status").asText())) {
        return batch;
      }
      if (System.nanoTime() - end > 0) {
        throw new IOException("a batch did not end: " + batch);
      }
      Thread.sleep(LOOK_AGAIN);
    }
  }

  private JsonNode post(String path, String contentType, String body)
      throws IOException, InterruptedException {
    return JSON.readTree(
        any(path, gateway -> gateways.post(gateway, path, contentType, body, ANSWER_WITHIN)));
  }

  private String get(String path) throws IOException, InterruptedException {
    return any(path, gateway -> gateways.get(gateway, path, Map.of(), ANSWER_WITHIN));
  }

  /** Asks the gateways in turn until one answers with 200. */
  private String any(String path, Call call) throws IOException, InterruptedException {
    long end = System.nanoTime() + GATEWAY_WITHIN.toNanos();
    String problem = "";
    for (int gateway = 0; System.nanoTime() - end < 0; gateway = (gateway + 1) % gateways.count()) {
      try {
        HttpResponse<InputStream> response = call.to(gateway);
        try (InputStream stream = response.body()) {
          String body = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
          if (response.statusCode() == OK) {
            return body;
          }
          problem = response.statusCode() + " " + body;
        }
      } catch (IOException e) {
        problem = String.valueOf(e);
      }
      Thread.sleep(LOOK_AGAIN);
    }
    throw new IOException("no gateway answered " + path + ": " + problem);
  }
}
