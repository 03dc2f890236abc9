package io.sluice.standalone.pool;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A network between a worker and its engine, which can be made to fail. */
final class FaultyProxy implements AutoCloseable {
  private final URI target;
  private final ServerSocket server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile Fault fault = Fault.NONE;

  enum Fault {
    NONE,
    /** No data passes, and no connection is closed. */
    STALL,
    /** Connections are refused. */
    REFUSE,
    /** The engine's data arrives damaged. */
    GARBLE
  }

  FaultyProxy(URI target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  /** Sets what happens to data from now on. */
  void set(Fault next) {
    fault = next;
  }

  /** Cuts all open connections at any point. */
  void cut() {
    open.forEach(FaultyProxy::closeQuietly);
    open.clear();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        if (fault == Fault.REFUSE) {
          client.setSoLinger(true, 0);
          client.close();
          continue;
        }
        Socket engine = new Socket(target.getHost(), target.getPort());
        open.add(client);
        open.add(engine);
        Thread.ofVirtual().start(() -> copy(client, engine, false));
        Thread.ofVirtual().start(() -> copy(engine, client, true));
      } catch (IOException e) {
        // Closed, or the engine is gone: the client sees the end of its connection.
      }
    }
  }

  private void copy(Socket from, Socket to, boolean fromEngine) {
    byte[] buffer = new byte[8192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (fault == Fault.STALL) {
          continue;
        }
        if (fault == Fault.GARBLE && fromEngine) {
          for (int i = 0; i < n; i++) {
            buffer[i] = buffer[i] == '{' ? (byte) '#' : buffer[i];
          }
        }
        out.write(buffer, 0, n);
        out.flush();
      }
    } catch (IOException e) {
      // One side is gone, so the other is closed too.
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // Already closed.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }
}
