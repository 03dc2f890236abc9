package io.sluice.standalone.verify;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * A proxy between a worker and its engine that breaks the connections of chosen requests after some
 * frames of their answers, like a failing network; everything else passes unchanged. It recognizes
 * requests by their {@code X-Request-Id}. The engine's metrics that pass through can be observed.
 * Thread-safe.
 */
final class CuttingProxy implements AutoCloseable {
  private static final String METRICS = "/metrics";

  /** Headers that apply to one connection only, or are set again. */
  private static final Set<String> NOT_PASSED =
      Set.of("connection", "content-length", "host", "transfer-encoding", "upgrade", "expect");

  private final URI engine;
  private final HttpServer server;

  /** With an offer of HTTP/2, vLLM's server loses the body. */
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Map<String, Queue<Integer>> cuts = new ConcurrentHashMap<>();
  private volatile Consumer<String> metricsReader = page -> {};

  private CuttingProxy(URI engine, HttpServer server) {
    this.engine = engine;
    this.server = server;
  }

  /** Listens on a free port of the loopback address. */
  static CuttingProxy start(URI engine) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var proxy = new CuttingProxy(engine, HttpServer.create(address, 128));
    proxy.server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    proxy.server.createContext("/", proxy::pass);
    proxy.server.start();
    return proxy;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /**
   * Cuts the next generation of a request after this many frames, or before its answer if it is not
   * streamed. A generation with fewer frames is not cut. May be called several times.
   */
  void cut(String requestId, int afterFrames) {
    cuts.computeIfAbsent(requestId, same -> new ConcurrentLinkedQueue<>()).add(afterFrames);
  }

  /** Passes each page of metrics to the reader before the worker receives it. */
  void readMetrics(Consumer<String> reader) {
    metricsReader = reader;
  }

  @Override
  public void close() {
    server.stop(0);
    http.shutdownNow();
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      HttpResponse<InputStream> answer = http.send(request(exchange), BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        int frames = framesOf(exchange);
        boolean isStream =
            answer.headers().firstValue("content-type").orElse("").startsWith("text/event-stream");
        if (frames < Integer.MAX_VALUE && !isStream) {
          return;
        }
        passed(answer.headers().map())
            .forEach((name, values) -> exchange.getResponseHeaders().put(name, values));
        exchange.sendResponseHeaders(answer.statusCode(), 0);
        if (isStream) {
          passFrames(body, exchange.getResponseBody(), frames);
        } else if (exchange.getRequestURI().getPath().equals(METRICS)) {
          byte[] page = body.readAllBytes();
          metricsReader.accept(new String(page, StandardCharsets.UTF_8));
          exchange.getResponseBody().write(page);
        } else {
          body.transferTo(exchange.getResponseBody());
        }
      }
      exchange.getResponseBody().close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Does not close the stream at a cut, so that the response stays incomplete. */
  private static void passFrames(InputStream from, OutputStream to, int most) throws IOException {
    var lines = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8));
    int passed = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("data: {") && passed++ == most) {
        throw new IOException("cut after " + most + " frames");
      }
      to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      if (line.isEmpty()) {
        to.flush();
      }
    }
  }

  private HttpRequest request(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(engine.resolve(exchange.getRequestURI()))
            .method(
                exchange.getRequestMethod(),
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    passed(exchange.getRequestHeaders())
        .forEach((name, values) -> values.forEach(value -> request.header(name, value)));
    return request.build();
  }

  /** Returns the number of frames after which a generation is cut. */
  private int framesOf(HttpExchange exchange) {
    String id = exchange.getRequestHeaders().getFirst("X-Request-Id");
    Queue<Integer> wanted = id == null ? null : cuts.get(id);
    Integer next = wanted == null ? null : wanted.poll();
    return next == null ? Integer.MAX_VALUE : next;
  }

  private static Map<String, List<String>> passed(Map<String, List<String>> headers) {
    var passed = new TreeMap<>(headers);
    passed.keySet().removeIf(name -> NOT_PASSED.contains(name.toLowerCase(Locale.ROOT)));
    return passed;
  }
}
