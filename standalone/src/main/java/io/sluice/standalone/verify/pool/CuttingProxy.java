package io.sluice.standalone.verify.pool;

import com.sun.net.httpserver.HttpExchange;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A proxy between a worker and its engine that breaks the connections of chosen requests after some
 * frames of their answers, like a failing network; everything else passes unchanged. It recognizes
 * requests by their {@code X-Request-Id}. It can also break all streams, disappear for a while, and
 * disturb requests before they reach the engine. The engine's metrics that pass through can be
 * observed. Thread-safe.
 */
public final class CuttingProxy implements AutoCloseable {
  private static final String METRICS = "/metrics";

  /** Headers that apply to one connection only, or are set again. */
  private static final Set<String> NOT_PASSED =
      Set.of("connection", "content-length", "host", "transfer-encoding", "upgrade", "expect");

  private static final Disturbance NONE = exchange -> false;

  /** What happens to a request before it is passed on. */
  @FunctionalInterface
  public interface Disturbance {
    /** Returns whether it has answered the request, which is not passed on then. */
    boolean answers(HttpExchange exchange) throws IOException, InterruptedException;
  }

  private final URI engine;
  private final LoopbackServer server;

  /** With an offer of HTTP/2, vLLM's server loses the body. */
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Map<String, Queue<Integer>> cuts = new ConcurrentHashMap<>();
  private final AtomicInteger breaks = new AtomicInteger();
  private volatile Consumer<String> metricsReader = page -> {};
  private volatile Disturbance disturbance = NONE;

  private CuttingProxy(URI engine) throws IOException {
    this.engine = engine;
    this.server = LoopbackServer.start(this::pass);
  }

  /** Listens on a free port of the loopback address. */
  public static CuttingProxy start(URI engine) throws IOException {
    return new CuttingProxy(engine);
  }

  public URI uri() {
    return server.uri();
  }

  /**
   * Cuts the next generation of a request after this many frames, or before its answer if it is not
   * streamed. A generation with fewer frames is not cut. May be called several times.
   */
  public void cut(String requestId, int afterFrames) {
    cuts.computeIfAbsent(requestId, same -> new ConcurrentLinkedQueue<>()).add(afterFrames);
  }

  /** Passes each page of metrics to the reader before the worker receives it. */
  public void readMetrics(Consumer<String> reader) {
    metricsReader = reader;
  }

  /** Has this done to every request from now on, in place of what was done before. */
  public void disturb(Disturbance wanted) {
    disturbance = wanted;
  }

  /** Passes requests on undisturbed. */
  public void calm() {
    disturbance = NONE;
  }

  /** Breaks every stream in progress at its next frame. */
  public void breakStreams() {
    breaks.incrementAndGet();
  }

  /** Breaks all connections, and refuses new ones, as if the engine's process had ended. */
  public void goAway() {
    server.goAway();
  }

  /** Listens again, at the same address. */
  public void comeBack() throws IOException, InterruptedException {
    server.comeBack();
  }

  @Override
  public void close() {
    server.close();
    http.shutdownNow();
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (disturbance.answers(exchange)) {
        return;
      }
      int breaksBefore = breaks.get();
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
          passFrames(body, exchange.getResponseBody(), frames, breaksBefore);
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
  private void passFrames(InputStream from, OutputStream to, int most, int breaksBefore)
      throws IOException {
    var lines = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8));
    int passed = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      boolean isFrame = line.startsWith("data: {");
      if (isFrame && (passed == most || breaks.get() != breaksBefore)) {
        throw new IOException("cut after " + passed + " frames");
      }
      passed += isFrame ? 1 : 0;
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
