package io.sluice.bench.torture.pool;

import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/**
 * A TCP proxy between two processes that can stall or cut the connections through it. Thread-safe.
 */
public final class TcpLink implements AutoCloseable {
  private static final int BACKLOG = 128;
  private static final int BUFFER_BYTES = 16 * 1024;

  private final ServerSocket server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile Optional<Consumer<String>> listener = Optional.empty();
  private volatile int targetPort;
  private volatile LinkState state = LinkState.OPEN;

  /** A link that listens on a free port and forwards nothing yet. */
  TcpLink() throws IOException {
    server = new ServerSocket();
    server.bind(new InetSocketAddress(InetAddress.ofLiteral(LocalPort.HOST), 0), BACKLOG);
  }

  /** Starts to forward connections to a port. */
  TcpLink to(int port) {
    targetPort = port;
    Thread.ofVirtual().name("link-" + port).start(this::accept);
    return this;
  }

  /**
   * From now on the listener gets the id of each marked prompt that is sent through the link,
   * before the end of the prompt is forwarded.
   */
  void listen(Consumer<String> toRequestIds) {
    listener = Optional.of(toRequestIds);
  }

  void stopListening() {
    listener = Optional.empty();
  }

  int port() {
    return server.getLocalPort();
  }

  void set(LinkState next) {
    lock.lock();
    try {
      state = next;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (next == LinkState.CUT) {
      open.forEach(TcpLink::reset);
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        // Closed.
      }
    }
  }

  private void connect(Socket client) {
    open.add(client);
    if (state == LinkState.CUT) {
      reset(client);
      open.remove(client);
      return;
    }
    try {
      client.setTcpNoDelay(true);
      Socket target = new Socket(InetAddress.ofLiteral(LocalPort.HOST), targetPort);
      target.setTcpNoDelay(true);
      open.add(target);
      Thread.ofVirtual().start(() -> copy(target, client));
      var search = new MarkSearch();
      copy(client, target, (bytes, count) -> search(search, bytes, count));
    } catch (IOException e) {
      reset(client);
    } finally {
      open.remove(client);
    }
  }

  private void search(MarkSearch search, byte[] bytes, int count) {
    listener.ifPresent(to -> search.next(bytes, count).ifPresent(to));
  }

  private void copy(Socket from, Socket to) {
    copy(from, to, (bytes, count) -> {});
  }

  private void copy(Socket from, Socket to, ObjIntConsumer<byte[]> read) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        awaitFlow();
        read.accept(buffer, n);
        out.write(buffer, 0, n);
      }
    } catch (IOException e) {
      // One side was closed in the middle of a message, so the other one is reset too.
      reset(from);
      reset(to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private void awaitFlow() throws InterruptedException {
    if (state != LinkState.STALLED) {
      return;
    }
    lock.lock();
    try {
      while (state == LinkState.STALLED) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // It is closed already.
    }
  }

  @Override
  public void close() {
    set(LinkState.CUT);
    try {
      server.close();
    } catch (IOException e) {
      // It is closed already.
    }
  }
}
