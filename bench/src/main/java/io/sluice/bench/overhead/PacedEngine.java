package io.sluice.bench.overhead;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * An OpenAI-compatible server whose streams have a fixed pace, and whose tokens are the times at
 * which they were written.
 */
final class PacedEngine implements AutoCloseable {
  /** The model that it serves. */
  static final String MODEL = "paced";

  private static final String CHUNK =
      """
      data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"paced",\
      "choices":[{"index":0,"delta":""";

  private static final String TOKEN = CHUNK + "{\"content\":\"";
  private static final String TOKEN_ENDS = "\"},\"finish_reason\":null}]}\n\n";
  private static final String END =
      CHUNK + "{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final int tokens;
  private final long intervalNanos;

  /**
   * Starts an engine on a port of this machine.
   *
   * @param port 0 takes a free one
   */
  PacedEngine(int port, int tokens, long intervalNanos) throws IOException {
    // The server's writes of a few bytes would otherwise wait for acknowledgements.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    this.tokens = tokens;
    this.intervalNanos = intervalNanos;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
    server.setExecutor(threads);
    server.createContext("/health", exchange -> reply(exchange, ""));
    server.createContext(
        "/v1/models",
        exchange ->
            reply(
                exchange,
                """
                {"object":"list","data":[{"id":"paced","object":"model","owned_by":"bench",\
                "max_model_len":32768}]}"""));
    server.createContext("/v1/chat/completions", this::stream);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void stream(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream body = exchange.getResponseBody()) {
      long due = System.nanoTime();
      for (int i = 0; i < tokens; i++) {
        LockSupport.parkNanos(due - System.nanoTime());
        write(body, TOKEN + Stamps.now() + TOKEN_ENDS);
        due += intervalNanos;
      }
      write(body, END);
    }
  }

  private static void write(OutputStream body, String text) throws IOException {
    body.write(text.getBytes(StandardCharsets.UTF_8));
    body.flush();
  }

  private static void reply(HttpExchange exchange, String json) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
