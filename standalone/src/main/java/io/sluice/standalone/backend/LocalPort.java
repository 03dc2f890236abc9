package io.sluice.standalone.backend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** TCP ports of the loopback interface, which is the only one the embedded backends listen on. */
public final class LocalPort {
  public static final String HOST = "127.0.0.1";

  private LocalPort() {}

  /**
   * Settles the port a backend will listen on.
   *
   * @param port the wanted port, or 0 for any free one
   * @param backend who will listen there, for the error message
   * @return a port that was free a moment ago; somebody else may still win the race for it
   * @throws BackendStartException if the wanted port is taken
   */
  public static int settle(int port, String backend) {
    try (var socket = new ServerSocket()) {
      // As servers do; else a port whose last connection was closed a moment ago looks taken.
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
