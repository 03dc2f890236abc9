package io.sluice.services;

import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a router, a worker and a gateway in this process, and uses them over HTTP and with client
 * commands.
 *
 * @param kafka the bootstrap servers of a Kafka without the topics of a pool
 * @param redis the address of a Redis
 * @param engine the address of an engine that serves {@value ClientsWarmUp#MODEL}
 */
record ServicesWarmUp(String kafka, String redis, String engine) {
  private static final String ID = "warm-up";
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(1);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
  private static final List<String> PAGES = List.of("/health", "/metrics");

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
   * Starts the services, uses them and stops them.
   *
   * @throws IllegalStateException if they are not ready in time or a request fails
   */
  void run() throws IOException, InterruptedException {
    try (Router router = Router.start(RouterConfig.of(settings(Map.of("id", ID))));
        Worker worker =
            Worker.start(WorkerConfig.of(settings(Map.of("id", ID, "engine-url", engine))))) {
      awaitWorker(router);
      try (Gateway gateway = Gateway.start(GatewayConfig.of(settings(Map.of())))) {
        callGateway(gateway.port());
        for (int port : List.of(router.port(), worker.httpPort(), gateway.port())) {
          for (String page : PAGES) {
            send(HttpRequest.newBuilder(address(port, page)));
          }
        }
        new ClientsWarmUp(kafka, redis).run();
      }
    }
  }

  private Map<String, String> settings(Map<String, String> own) {
    Map<String, String> settings =
        new HashMap<>(
            Map.of("kafka", kafka, "redis", redis, "replication", "1", "partitions", "8"));
    settings.put("port", "0");
    settings.putAll(own);
    return settings;
  }

  private static void awaitWorker(Router router) throws InterruptedException {
    long start = System.nanoTime();
    boolean isReady = router.awaitReady(READY_WITHIN);
    while (!isReady || router.reachableWorkers() == 0) {
      if (System.nanoTime() - start > READY_WITHIN.toNanos()) {
        throw new IllegalStateException(
            "the services were not ready within %d s".formatted(READY_WITHIN.toSeconds()));
      }
      Thread.sleep(LOOK_AGAIN);
    }
  }

  private static void callGateway(int port) throws IOException, InterruptedException {
    send(HttpRequest.newBuilder(address(port, "/v1/models")));
    for (Map.Entry<String, String> request : REQUESTS.entrySet()) {
      for (boolean isStream : List.of(false, true)) {
        String body =
            "{\"model\": \"%s\", \"stream\": %s, %s}"
                .formatted(ClientsWarmUp.MODEL, isStream, request.getValue());
        send(
            HttpRequest.newBuilder(address(port, request.getKey()))
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(body)));
      }
    }
  }

  private static URI address(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private static void send(HttpRequest.Builder request) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          client.send(request.timeout(ANSWER_WITHIN).build(), BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(
            "%s answered %d: %s".formatted(response.uri(), response.statusCode(), response.body()));
      }
    }
  }
}
