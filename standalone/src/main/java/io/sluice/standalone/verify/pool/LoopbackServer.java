package io.sluice.standalone.verify.pool;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * An HTTP server on a free port of the loopback address. It can disappear like a process that was
 * killed, and come back at the same address. Thread-safe.
 */
final class LoopbackServer implements AutoCloseable {
  private static final int BACKLOG = 128;
  private static final Duration BOUND_WITHIN = Duration.ofSeconds(10);
  private static final Duration BIND_AGAIN = Duration.ofMillis(50);

  private final HttpHandler handler;
  private final InetSocketAddress address;
  private HttpServer server;

  private LoopbackServer(HttpHandler handler, HttpServer server) {
    this.handler = handler;
    this.server = server;
    this.address = server.getAddress();
  }

  /** Listens. Each request has its own virtual thread. */
  static LoopbackServer start(HttpHandler handler) throws IOException {
    var anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var started = new LoopbackServer(handler, HttpServer.create(anyPort, BACKLOG));
    started.serve();
    return started;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + address.getPort());
  }

  /** Breaks all connections, and refuses new ones. */
  synchronized void goAway() {
    server.stop(0);
  }

  /**
   * Listens again.
   *
   * @throws BindException if somebody else keeps the port for long
   */
  synchronized void comeBack() throws IOException, InterruptedException {
    server = bound();
    serve();
  }

  @Override
  public synchronized void close() {
    server.stop(0);
  }

  private void serve() {
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", handler);
    server.start();
  }

  private HttpServer bound() throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    while (true) {
      try {
        return HttpServer.create(address, BACKLOG);
      } catch (BindException e) {
        if (System.nanoTime() - beganNanos > BOUND_WITHIN.toNanos()) {
          throw e;
        }
        TimeUnit.NANOSECONDS.sleep(BIND_AGAIN.toNanos());
      }
    }
  }
}
