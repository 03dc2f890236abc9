package io.sluice.bench.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The gateways of a pool, numbered from 0. Thread-safe. */
public final class Gateways implements AutoCloseable {
  private final List<URI> uris;
  private final HttpClient http;

  public Gateways(List<URI> uris) {
    this(uris, HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
  }

  private Gateways(List<URI> uris, HttpClient http) {
    this.uris = List.copyOf(uris);
    this.http = http;
  }

  public int count() {
    return uris.size();
  }

  /** Returns one of them, as if there were no other. It is closed with these. */
  public Gateways only(int gateway) {
    return new Gateways(List.of(uris.get(gateway)), http);
  }

  /** Returns the one to go to when a gateway fails. */
  int after(int gateway) {
    return (gateway + 1) % uris.size();
  }

  /**
   * Asks for something; returns when the head of the response is there.
   *
   * @throws IOException if it does not come in time, or the connection breaks
   */
  public HttpResponse<InputStream> get(
      int gateway, String path, Map<String, String> headers, Duration within)
      throws IOException, InterruptedException {
    return send(request(gateway, path, headers, within).GET().build());
  }

  /** Sends JSON; returns when the head of the response is there. */
  public HttpResponse<InputStream> post(
      int gateway, String path, Map<String, String> headers, String json, Duration within)
      throws IOException, InterruptedException {
    return post(request(gateway, path, headers, within), "application/json", json);
  }

  /** Sends a body of some content type; returns when the head of the response is there. */
  public HttpResponse<InputStream> post(
      int gateway, String path, String contentType, String body, Duration within)
      throws IOException, InterruptedException {
    return post(request(gateway, path, Map.of(), within), contentType, body);
  }

  private HttpResponse<InputStream> post(
      HttpRequest.Builder request, String contentType, String body)
      throws IOException, InterruptedException {
    return send(
        request.header("content-type", contentType).POST(BodyPublishers.ofString(body)).build());
  }

  private HttpRequest.Builder request(
      int gateway, String path, Map<String, String> headers, Duration within) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(uris.get(gateway) + path)).timeout(within);
    headers.forEach(request::header);
    return request;
  }

  private HttpResponse<InputStream> send(HttpRequest request)
      throws IOException, InterruptedException {
    return http.send(request, BodyHandlers.ofInputStream());
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
