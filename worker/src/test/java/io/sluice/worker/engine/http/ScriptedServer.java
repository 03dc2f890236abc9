package io.sluice.worker.engine.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that does to each request exactly what a script says, down to the socket. */
final class ScriptedServer implements AutoCloseable {

  /** What to do with a request whose head and body were read. */
  interface Script {
    void answer(Connection connection) throws IOException, InterruptedException;
  }

  /** The server's side of a connection. */
  record Connection(Socket socket, OutputStream out, String head, String body) {
    void sendStreamHead() throws IOException {
      send(
          "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
              + "transfer-encoding: chunked\r\n\r\n");
    }

    void sendFrame(String data) throws IOException {
      sendChunk("data: " + data + "\n\n");
    }

    void sendChunk(String text) throws IOException {
      int length = text.getBytes(StandardCharsets.UTF_8).length;
      send(Integer.toHexString(length) + "\r\n" + text + "\r\n");
    }

    void sendLastChunk() throws IOException {
      send("0\r\n\r\n");
    }

    void sendWhole(int status, String headers, String content) throws IOException {
      int length = content.getBytes(StandardCharsets.UTF_8).length;
      send(
          "HTTP/1.1 "
              + status
              + " X\r\ncontent-type: application/json\r\n"
              + headers
              + "content-length: "
              + length
              + "\r\n\r\n"
              + content);
    }

    void send(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    /** Blocks until the client hangs up. */
    void awaitHangUp() throws IOException {
      try {
        while (socket.getInputStream().read() >= 0) {
          // Nothing more is sent.
        }
      } catch (IOException e) {
        // A reset is a disconnect, too.
      }
    }
  }

  private final ServerSocket server;
  private final Script script;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger hangUps = new AtomicInteger();

  ScriptedServer(Script script) throws IOException {
    this.script = script;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  int connections() {
    return connections.get();
  }

  /** Connections that ended. */
  int hangUps() {
    return hangUps.get();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        sockets.add(socket);
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      while (true) {
        var head = new StringBuilder();
        int length = 0;
        String line = in.readLine();
        if (line == null) {
          return;
        }
        while (line != null && !line.isEmpty()) {
          head.append(line).append('\n');
          if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
            length = Integer.parseInt(line.substring(15).strip());
          }
          line = in.readLine();
        }
        char[] body = new char[length];
        int read = 0;
        while (read < length) {
          int n = in.read(body, read, length - read);
          if (n < 0) {
            return;
          }
          read += n;
        }
        script.answer(
            new Connection(socket, socket.getOutputStream(), head.toString(), new String(body)));
      }
    } catch (IOException e) {
      // The client has gone.
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    } finally {
      hangUps.incrementAndGet();
    }
  }
}
