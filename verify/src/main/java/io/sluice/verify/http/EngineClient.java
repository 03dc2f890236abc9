package io.sluice.verify.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sends requests to one engine: valid ones and invalid ones. It does not follow redirects.
 * Thread-safe.
 *
 * <p>All methods throw {@link UncheckedIOException} if there is no answer within a minute.
 */
public final class EngineClient implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(PATIENCE)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final URI base;
  private final Optional<String> apiKey;

  /**
   * Creates a client without sending anything.
   *
   * @param base the address such as {@code http://127.0.0.1:8000}; a path {@code /v1} at the end is
   *     removed
   * @param apiKey the bearer token, if the engine requires one
   */
  public EngineClient(URI base, Optional<String> apiKey) {
    this.base = URI.create(base.toString().replaceAll("/(v1/?)?$", ""));
    this.apiKey = apiKey;
  }

  /** Returns the engine's address. */
  public URI base() {
    return base;
  }

  /** Sends a GET. */
  public EngineAnswer get(String path) {
    return send("GET", path, Map.of(), new byte[0]);
  }

  /** Posts JSON with additional headers, given as alternating names and values. */
  public EngineAnswer post(String path, String json, String... headers) {
    Map<String, String> all = new java.util.LinkedHashMap<>();
    all.put("content-type", "application/json");
    for (int i = 0; i < headers.length; i += 2) {
      all.put(headers[i], headers[i + 1]);
    }
    return send("POST", path, all, json.getBytes(StandardCharsets.UTF_8));
  }

  /** Sends an arbitrary request and reads the whole answer. */
  public EngineAnswer send(String method, String path, Map<String, String> headers, byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(PATIENCE)
            .method(
                method,
                body.length == 0
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body));
    apiKey.ifPresent(key -> request.header("authorization", "Bearer " + key));
    headers.forEach(request::setHeader);
    try {
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      return new EngineAnswer(response.statusCode(), response.headers(), response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "%s %s: no answer from %s (%s)".formatted(method, path, base, e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted", e));
    }
  }

  /**
   * Posts JSON on a new connection and reads the raw answer, including head and chunks, up to a
   * text.
   */
  public String raw(String path, String json, String until) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    String head =
        "POST %s HTTP/1.1\r\nhost: %s\r\n%scontent-type: application/json\r\ncontent-length: %s\r\n\r\n"
            .formatted(
                path,
                base.getAuthority(),
                apiKey.map(key -> "authorization: Bearer " + key + "\r\n").orElse(""),
                bytes.length);
    return raw(List.of(head + json), until).getLast();
  }

  /**
   * Sends texts on one connection, reads up to another text after each, and disconnects.
   *
   * @return the text that was read after each; incomplete if the engine closed the connection
   */
  public List<String> raw(List<String> requests, String until) {
    try (Socket socket = connect()) {
      List<String> answers = new java.util.ArrayList<>();
      for (String request : requests) {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        answers.add(read(socket, until));
      }
      return answers;
    } catch (IOException e) {
      throw new UncheckedIOException("%s on a raw connection: %s".formatted(base, e), e);
    }
  }

  /** Opens a connection, which the caller closes. Reads from it time out. */
  public Socket connect() throws IOException {
    Socket socket = new Socket(base.getHost(), base.getPort() < 0 ? 80 : base.getPort());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private static String read(Socket socket, String until) throws IOException {
    StringBuilder read = new StringBuilder();
    byte[] buffer = new byte[4096];
    while (read.indexOf(until) < 0) {
      int count = socket.getInputStream().read(buffer);
      if (count < 0) {
        break;
      }
      read.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
    }
    return read.toString();
  }

  @Override
  public void close() {
    http.close();
  }
}
