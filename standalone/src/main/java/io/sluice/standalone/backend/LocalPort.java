package io.sluice.standalone.backend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** TCP ports of the loopback interface, the only one on which the embedded backends listen. */
public final class LocalPort {
  public static final String HOST = "127.0.0.1";

  private LocalPort() {}

  /**
   * Chooses the port on which a backend will listen.
   *
   * @param port the requested port, or 0 for any free one
   * @param backend the backend's name, for the error message
   * @return a port that was free a moment ago; another process may still take it first
   * @throws BackendStartException if the requested port is taken
   */
  public static int settle(int port, String backend) {
    try (var socket = new ServerSocket()) {
      // As servers do. Otherwise a port whose last connection was closed a moment ago appears to be
      // taken.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
      return socket.getLocalPort();
    } catch (IOException e) {
      if (port == 0) {
        throw new UncheckedIOException("no free port on " + HOST, e);
      }
      throw new BackendStartException(
          "%s cannot listen on %s:%d: the port is taken; stop what uses it (lsof -i :%d) or choose another port"
              .formatted(backend, HOST, port, port),
          e);
    }
  }
}
