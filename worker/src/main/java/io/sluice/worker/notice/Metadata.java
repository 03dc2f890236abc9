package io.sluice.worker.notice;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** A client of a cloud's metadata service, which is on a link-local address. Thread-safe. */
final class Metadata {
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final URI base;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(LIMIT).build();

  /**
   * A client.
   *
   * @param base such as {@code http://169.254.169.254}
   */
  Metadata(URI base) {
    this.base = base;
  }

  /** Returns the answer to a GET with one header, whatever its status. */
  HttpResponse<String> get(String path, String header, String value)
      throws IOException, InterruptedException {
    return send(request(path, header, value).GET().build());
  }

  /** Returns the answer to a PUT without a body, with one header. */
  HttpResponse<String> put(String path, String header, String value)
      throws IOException, InterruptedException {
    return send(request(path, header, value).PUT(BodyPublishers.noBody()).build());
  }

  /** Returns the body of an answer with status 200. */
  String body(HttpResponse<String> answer) throws IOException {
    if (answer.statusCode() != 200) {
      throw new IOException(
          "%s answered with status %d".formatted(answer.uri(), answer.statusCode()));
    }
    return answer.body();
  }

  private HttpRequest.Builder request(String path, String header, String value) {
    return HttpRequest.newBuilder(base.resolve(path)).timeout(LIMIT).header(header, value);
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    try {
      return client.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IOException(request.uri() + " does not answer: " + e, e);
    }
  }
}
