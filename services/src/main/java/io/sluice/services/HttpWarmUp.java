package io.sluice.services;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/**
 * Sends requests to a service of this process. Methods throw an {@link IllegalStateException} if it
 * does not answer with status 200.
 *
 * @param port that of the service
 */
record HttpWarmUp(int port) {
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(1);
  private static final List<String> PAGES = List.of("/health", "/metrics");

  /** Asks for the pages that all services have. */
  void pages() throws IOException, InterruptedException {
    for (String page : PAGES) {
      get(page);
    }
  }

  String get(String path) throws IOException, InterruptedException {
    return send(request(path));
  }

  String post(String path, String contentType, BodyPublisher body)
      throws IOException, InterruptedException {
    return send(request(path).header("content-type", contentType).POST(body));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(ANSWER_WITHIN);
  }

  private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(
            "%s answered %d: %s".formatted(response.uri(), response.statusCode(), response.body()));
      }
      return response.body();
    }
  }
}
