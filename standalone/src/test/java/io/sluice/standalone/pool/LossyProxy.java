package io.sluice.standalone.pool;

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
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy in front of a gateway that fails 30 % of the requests, in turn in each way that a client
 * can meet. It lets the last try of a client through, so that every client has its answer in the
 * end.
 */
final class LossyProxy implements AutoCloseable {
  private static final double FAULTY = 0.3;
  private static final String LAST_TRY = "2";

  private enum Fault {
    /** Refused, before the gateway sees it. */
    REFUSED_500,
    REFUSED_503,
    /** The gateway answers, and the answer is lost. */
    LOST_500,
    LOST_503,
    /** The gateway is left as soon as it has the request. */
    LEFT_503,
    /** The gateway answers, and the client hears nothing. */
    HANGS
  }

  private final HttpServer server;
  private final URI gateway;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Random random = new Random(1);
  private final AtomicInteger faults = new AtomicInteger();
  private final AtomicInteger cutOff = new AtomicInteger();

  LossyProxy(int gatewayPort) throws IOException {
    gateway = URI.create("http://127.0.0.1:" + gatewayPort);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
  }

  /** Returns how many requests it has failed. */
  int faults() {
    return faults.get();
  }

  /**
   * Returns how many clients have left, or may have, while they were given a response: on a machine
   * that stalls, a stream can begin before it is noticed that its client has gone.
   */
  int cutOff() {
    return cutOff.get();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      HttpRequest request = forwarded(exchange, body);
      String count = exchange.getRequestHeaders().getFirst("x-stainless-retry-count");
      if (LAST_TRY.equals(count) || !isFaulty()) {
        copy(http.send(request, BodyHandlers.ofInputStream()), exchange);
      } else {
        fail(request, Json.mapper().readTree(body).path("stream").asBoolean(), exchange);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }

  private synchronized boolean isFaulty() {
    return random.nextDouble() < FAULTY;
  }

  private void fail(HttpRequest request, boolean isStreamed, HttpExchange exchange)
      throws IOException, InterruptedException, ExecutionException {
    Fault fault = Fault.values()[faults.getAndIncrement() % Fault.values().length];
    switch (fault) {
      case REFUSED_500 -> exchange.sendResponseHeaders(500, -1);
      case REFUSED_503 -> exchange.sendResponseHeaders(503, -1);
      case LOST_500 -> {
        http.send(request, BodyHandlers.ofByteArray());
        exchange.sendResponseHeaders(500, -1);
      }
      case LOST_503 -> {
        http.send(request, BodyHandlers.ofByteArray());
        exchange.sendResponseHeaders(503, -1);
      }
      case LEFT_503 -> {
        http.sendAsync(request, BodyHandlers.ofByteArray()).cancel(true);
        if (isStreamed) {
          cutOff.incrementAndGet();
        }
        exchange.sendResponseHeaders(503, -1);
      }
      case HANGS -> {
        http.send(request, BodyHandlers.ofByteArray());
        closed.await();
      }
    }
  }

  private HttpRequest forwarded(HttpExchange exchange, byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(gateway.resolve(exchange.getRequestURI()))
            .POST(BodyPublishers.ofByteArray(body));
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) -> {
              if (name.equalsIgnoreCase("content-type")
                  || name.toLowerCase(Locale.ROOT).startsWith("x-")) {
                values.forEach(value -> request.header(name, value));
              }
            });
    return request.build();
  }

  private void copy(HttpResponse<InputStream> response, HttpExchange exchange) throws IOException {
    response
        .headers()
        .firstValue("content-type")
        .ifPresent(type -> exchange.getResponseHeaders().add("content-type", type));
    exchange.sendResponseHeaders(response.statusCode(), 0);
    try (InputStream from = response.body();
        OutputStream to = exchange.getResponseBody()) {
      byte[] buffer = new byte[8_192];
      for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
        to.write(buffer, 0, read);
        to.flush();
      }
    } catch (IOException e) {
      cutOff.incrementAndGet();
      throw e;
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
    http.shutdownNow();
  }
}
