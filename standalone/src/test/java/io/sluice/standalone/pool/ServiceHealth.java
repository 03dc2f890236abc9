package io.sluice.standalone.pool;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** What a service on this machine says about its health. */
record ServiceHealth(int status, JsonNode body) {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  static ServiceHealth readiness(int port) throws Exception {
    return ask(port, "/health/readiness");
  }

  static ServiceHealth liveness(int port) throws Exception {
    return ask(port, "/health/liveness");
  }

  private static ServiceHealth ask(int port, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    var question = HttpRequest.newBuilder(uri).timeout(ANSWER_WITHIN).build();
    var answer = HTTP.send(question, BodyHandlers.ofByteArray());
    return new ServiceHealth(answer.statusCode(), Json.tree(answer.body()));
  }

  boolean isUp() {
    return status == 200 && body.path("status").asText().equals("UP");
  }

  boolean isDown() {
    return status == 503 && body.path("status").asText().equals("DOWN");
  }

  /** Returns what a service knows of a dependency. */
  String detail(String service, String dependency) {
    return body.path("details").path(service).path("details").path(dependency).asText();
  }
}
