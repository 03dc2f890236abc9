package io.sluice.services;

import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs a gateway in this process, and uses it over HTTP.
 *
 * @param kafka the bootstrap servers of a running pool, which serves {@value ClientsWarmUp#MODEL}
 * @param redis the address of its Redis
 */
record GatewayWarmUp(String kafka, String redis) {
  private static final Duration BATCH_WITHIN = Duration.ofMinutes(2);
  private static final int BATCHES = 3;
  private static final List<String> ENDS = List.of("completed", "failed");
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

  /** Bodies by path; each is sent whole and streamed. */
  private static final Map<String, String> REQUESTS =
      Map.of(
          "/v1/chat/completions",
          "\"max_tokens\": 24, \"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]",
          "/v1/completions",
          "\"max_tokens\": 24, \"prompt\": \"Hello\"",
          "/v1/messages",
          "\"max_tokens\": 24, \"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]",
          "/v1/responses",
          "\"max_output_tokens\": 24, \"input\": \"Hello\"");

  /**
   * Starts the gateway, uses it and stops it.
   *
   * @throws IllegalStateException if a request fails
   */
  void run() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("sluice-warm-up-");
    Map<String, String> settings =
        Map.of(
            "kafka",
            kafka,
            "redis",
            redis,
            "replication",
            "1",
            "partitions",
            "8",
            "port",
            "0",
            "files",
            "folder:" + folder);
    try (Gateway gateway = Gateway.start(GatewayConfig.of(settings))) {
      HttpWarmUp http = new HttpWarmUp(gateway.port());
      http.pages();
      http.get("/v1/models");
      for (Map.Entry<String, String> request : REQUESTS.entrySet()) {
        for (boolean isStream : List.of(false, true)) {
          String body =
              "{\"model\": \"%s\", \"stream\": %s, %s}"
                  .formatted(ClientsWarmUp.MODEL, isStream, request.getValue());
          http.post(request.getKey(), "application/json", body);
        }
      }
      // The gateway of the pool, which does not have the files, takes some of them.
      for (int i = 0; i < BATCHES; i++) {
        runBatch(http);
      }
    } finally {
      delete(folder);
    }
  }

  private static void runBatch(HttpWarmUp http) throws IOException, InterruptedException {
    String upload =
        """
        --b\r
        Content-Disposition: form-data; name="purpose"\r
        \r
        batch\r
        --b\r
        Content-Disposition: form-data; name="file"; filename="in.jsonl"\r
        \r
        %s
        %s
        \r
        --b--\r
        """
            .formatted(ClientsWarmUp.batchLine(1), ClientsWarmUp.batchLine(2));
    String file = id(http.post("/v1/files", "multipart/form-data; boundary=b", upload));
    String path =
        "/v1/batches/"
            + id(
                http.post(
                    "/v1/batches",
                    "application/json",
                    "{\"input_file_id\": \"%s\", \"endpoint\": \"/v1/chat/completions\", \"completion_window\": \"1h\"}"
                        .formatted(file)));
    long start = System.nanoTime();
    String batch = http.get(path);
    while (!ENDS.contains(field("status", batch))) {
      if (System.nanoTime() - start > BATCH_WITHIN.toNanos()) {
        throw new IllegalStateException("the batch did not end: " + batch);
      }
      Thread.sleep(LOOK_AGAIN);
      batch = http.get(path);
    }
  }

  private static String id(String json) {
    return field("id", json);
  }

  /** Returns the first text of this name. */
  private static String field(String name, String json) {
    Matcher field = Pattern.compile("\"" + name + "\" *: *\"([^\"]*)\"").matcher(json);
    return field.find() ? field.group(1) : "";
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
