package io.sluice.standalone.pool;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A proxy in front of an engine that keeps the chats that the engine gets. */
final class RecordingProxy implements AutoCloseable {
  private final URI engine;
  private final HttpServer server;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<JsonNode> chats = new CopyOnWriteArrayList<>();

  RecordingProxy(URI engine) throws IOException {
    this.engine = engine;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::pass);
    server.setExecutor(threads);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Returns the body of the last chat. */
  JsonNode lastChat() {
    return chats.getLast();
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (exchange.getRequestURI().getPath().endsWith("/chat/completions")) {
        chats.add(Json.mapper().readTree(body));
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(engine.resolve(exchange.getRequestURI()))
              .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body));
      String type = exchange.getRequestHeaders().getFirst("content-type");
      if (type != null) {
        request.header("content-type", type);
      }
      answer(exchange, http.send(request.build(), BodyHandlers.ofInputStream()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(HttpExchange exchange, HttpResponse<InputStream> response)
      throws IOException {
    response
        .headers()
        .firstValue("content-type")
        .ifPresent(type -> exchange.getResponseHeaders().set("content-type", type));
    exchange.sendResponseHeaders(response.statusCode(), 0);
    byte[] buffer = new byte[8_192];
    try (InputStream in = response.body();
        OutputStream out = exchange.getResponseBody()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        out.flush();
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    http.shutdownNow();
  }
}
