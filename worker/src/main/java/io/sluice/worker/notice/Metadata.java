package io.sluice.worker.notice;

import io.sluice.worker.bounded.BoundedHttp;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** A client of a cloud's metadata service, which is on a link-local address. Thread-safe. */
final class Metadata implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final long MOST_BYTES = 1024 * 1024;

  private final URI base;
  private final BoundedHttp http = BoundedHttp.of(LIMIT, MOST_BYTES);

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
    return http.send(request(path, header, value).GET().build(), BodyHandlers.ofString());
  }

  /** Returns the answer to a PUT without a body, with one header. */
  HttpResponse<String> put(String path, String header, String value)
      throws IOException, InterruptedException {
    return http.send(
        request(path, header, value).PUT(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
  }

  /** Returns the body of an answer with status 200. */
  String body(HttpResponse<String> answer) throws IOException {
    if (answer.statusCode() != 200) {
      throw new IOException(
          "%s answered with status %d".formatted(answer.uri(), answer.statusCode()));
    }
    return answer.body();
  }

  @Override
  public void close() {
    http.close();
  }

  private HttpRequest.Builder request(String path, String header, String value) {
    return HttpRequest.newBuilder(base.resolve(path)).header(header, value);
  }
}
