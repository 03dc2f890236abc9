package io.sluice.common.dependency;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** The port that a service opens when it has started. */
public final class ListenPort {
  private ListenPort() {}

  /**
   * Returns if the port can be opened. A service calls it first, so that it fails at once and not
   * after it has joined the pool.
   *
   * @param port 0 for any free one
   * @throws IllegalStateException if not; the message is one line, with the settings to change
   */
  public static void requireFree(String host, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      var address = new InetSocketAddress(host, port);
      if (address.isUnresolved()) {
        throw new IllegalStateException(
            "the address %s cannot be resolved; check --host".formatted(host));
      }
      socket.bind(address);
    } catch (BindException e) {
      throw new IllegalStateException(
          "port %d of %s cannot be opened: %s; stop what uses it, or set another --port or --host"
              .formatted(port, host, Reasons.of(e)),
          e);
    } catch (IOException e) {
      throw new IllegalStateException(
          "port %d of %s cannot be opened: %s".formatted(port, host, Reasons.of(e)), e);
    }
  }
}
