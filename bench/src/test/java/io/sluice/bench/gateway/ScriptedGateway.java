package io.sluice.bench.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A server that gives one reply after the other, and repeats the last one. Every reply is to a
 * request with the id 1.
 */
public final class ScriptedGateway implements AutoCloseable {
  /**
   * A reply.
   *
   * @param isBroken whether the connection breaks behind the body
   * @param retryAfter the seconds after which the request may be repeated, if it says so
   */
  public record Reply(int status, String body, boolean isBroken, Optional<String> retryAfter) {
    public Reply(int status, String body, boolean isBroken) {
      this(status, body, isBroken, Optional.empty());
    }
  }

  private final HttpServer server;
  private final List<Reply> replies;
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());

  public ScriptedGateway(Reply... replies) throws IOException {
    this.replies = List.of(replies);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Events, and then the end of the body. */
  public static Reply whole(String events) {
    return new Reply(200, events, false);
  }

  /** Events, and then a broken connection. */
  public static Reply broken(String events) {
    return new Reply(200, events, true);
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Returns the paths that were asked for, each with its {@code Last-Event-ID}. */
  public List<String> asked() {
    return List.copyOf(asked);
  }

  private void answer(HttpExchange exchange) throws IOException {
    Reply reply = replies.get(Math.min(asked.size(), replies.size() - 1));
    String after = exchange.getRequestHeaders().getFirst("last-event-id");
    asked.add(exchange.getRequestURI() + (after == null ? "" : " after " + after));
    byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
    // A body that is shorter than announced looks like a broken connection.
    exchange.getResponseHeaders().set("x-request-id", "1");
    reply.retryAfter().ifPresent(it -> exchange.getResponseHeaders().set("retry-after", it));
    exchange.sendResponseHeaders(reply.status(), body.length + (reply.isBroken() ? 1 : 0));
    exchange.getResponseBody().write(body);
    exchange.getResponseBody().flush();
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
