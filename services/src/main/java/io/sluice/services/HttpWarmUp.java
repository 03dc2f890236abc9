package io.sluice.services;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.util.List;

/**
 * Sends requests to a service of this process. Methods throw an {@link IllegalStateException} if it
 * does not answer with status 200. The classes of the client are recorded with those of the
 * service, which does not use them; this client has few.
 *
 * @param port that of the service
 */
record HttpWarmUp(int port) {
  private static final int ANSWER_WITHIN_MILLIS = 60_000;
  private static final List<String> PAGES = List.of("/health", "/metrics");

  /** Asks for the pages that all services have. */
  void pages() throws IOException {
    for (String page : PAGES) {
      get(page);
    }
  }

  String get(String path) throws IOException {
    return answer(request(path));
  }

  String post(String path, String contentType, String body) throws IOException {
    HttpURLConnection request = request(path);
    request.setRequestProperty("content-type", contentType);
    request.setDoOutput(true);
    try (OutputStream out = request.getOutputStream()) {
      out.write(body.getBytes(UTF_8));
    }
    return answer(request);
  }

  private HttpURLConnection request(String path) throws IOException {
    URL url = URI.create("http://127.0.0.1:" + port + path).toURL();
    HttpURLConnection request = (HttpURLConnection) url.openConnection();
    request.setConnectTimeout(ANSWER_WITHIN_MILLIS);
    request.setReadTimeout(ANSWER_WITHIN_MILLIS);
    return request;
  }

  private static String answer(HttpURLConnection request) throws IOException {
    int status = request.getResponseCode();
    boolean isOk = status == HttpURLConnection.HTTP_OK;
    try (InputStream body = isOk ? request.getInputStream() : request.getErrorStream()) {
      String text = body == null ? "" : new String(body.readAllBytes(), UTF_8);
      if (!isOk) {
        throw new IllegalStateException(
            "%s answered %d: %s".formatted(request.getURL(), status, text));
      }
      return text;
    }
  }
}
