package io.sluice.tracing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;

/** An OTLP collector in memory, for tests. Thread-safe. */
public final class Collector implements AutoCloseable {
  private final HttpServer server;
  private final List<CollectedSpan> spans = new CopyOnWriteArrayList<>();
  private volatile int status = 200;

  private Collector(HttpServer server) {
    this.server = server;
  }

  /** Starts a collector on a free port of this machine. */
  public static Collector start() throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var collector = new Collector(server);
    server.createContext("/v1/traces", collector::take);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
    return collector;
  }

  /** Returns the value of the setting {@code trace-endpoint}. */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Answers all further exports with this status. */
  public void answersWith(int newStatus) {
    status = newStatus;
  }

  /** Returns all spans so far. */
  public List<CollectedSpan> spans() {
    return List.copyOf(spans);
  }

  /** Returns the spans of one trace. */
  public List<CollectedSpan> trace(String traceId) {
    return spans.stream().filter(span -> span.traceId().equals(traceId)).toList();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean isZipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
      InputStream raw = exchange.getRequestBody();
      var request = ExportTraceServiceRequest.parseFrom(isZipped ? new GZIPInputStream(raw) : raw);
      int now = status;
      if (now == 200) {
        request
            .getResourceSpansList()
            .forEach(
                of -> {
                  String service = service(of.getResource());
                  of.getScopeSpansList().stream()
                      .flatMap(scope -> scope.getSpansList().stream())
                      .map(span -> CollectedSpan.of(service, span))
                      .forEach(spans::add);
                });
      }
      byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(now, answer.length == 0 ? -1 : answer.length);
      if (answer.length > 0) {
        exchange.getResponseBody().write(answer);
      }
    }
  }

  private static String service(Resource resource) {
    return resource.getAttributesList().stream()
        .filter(attribute -> attribute.getKey().equals("service.name"))
        .map(KeyValue::getValue)
        .map(value -> value.getStringValue())
        .findFirst()
        .orElse("");
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
