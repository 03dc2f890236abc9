package io.sluice.standalone.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.util.function.Consumer;

/**
 * One keep-alive connection to an engine with minimal overhead, so that the engine is measured. For
 * one thread at a time.
 */
final class EngineConnection implements AutoCloseable {
  private final Socket socket;
  private final BufferedReader reader;

  EngineConnection(URI engine) throws IOException {
    socket = new Socket(engine.getHost(), engine.getPort());
    socket.setTcpNoDelay(true);
    reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
  }

  /**
   * Sends a streamed chat request; calls the consumer with the JSON of each frame until the
   * stream's end.
   */
  void chat(byte[] body, Consumer<String> frames) throws IOException {
    String head =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: engine\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(body.length);
    byte[] message = new byte[head.length() + body.length];
    System.arraycopy(head.getBytes(UTF_8), 0, message, 0, head.length());
    System.arraycopy(body, 0, message, head.length(), body.length);
    socket.getOutputStream().write(message);
    String status = line();
    if (!status.contains(" 200 ")) {
      throw new IOException("the engine said " + status);
    }
    String line = line();
    while (!line.equals("data: [DONE]")) {
      if (line.startsWith("data: ")) {
        frames.accept(line.substring("data: ".length()));
      }
      line = line();
    }
    while (!line.equals("0")) {
      line = line();
    }
    line();
  }

  private String line() throws IOException {
    String line = reader.readLine();
    if (line == null) {
      throw new IOException("the engine closed the connection");
    }
    return line;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
