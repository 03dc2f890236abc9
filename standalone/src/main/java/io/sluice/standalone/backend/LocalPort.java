package io.sluice.standalone.backend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * TCP ports of the embedded backends. They listen on the loopback interface, and on another address
 * of this machine only when they are told to.
 */
public final class LocalPort {
  public static final String HOST = "127.0.0.1";

  /**
   * Free ports are taken from below the range that systems use for outgoing connections (32768 and
   * above). Otherwise such a connection may take a port between its choice and its use.
   */
  private static final int FIRST = 20_000;

  private static final int COUNT = 12_000;
  private static final AtomicInteger NEXT =
      new AtomicInteger(RandomGenerator.getDefault().nextInt(COUNT));

  private LocalPort() {}

  /**
   * Chooses the port on which a backend will listen.
   *
   * @param port the requested port, or 0 for a free one that was not returned before
   * @param backend the backend's name, for the error message
   * @return a port that was free a moment ago; another process may still take it first
   * @throws BackendStartException if the requested port is taken, or none is free
   */
  public static int settle(int port, String backend) {
    return settle(HOST, port, backend);
  }

  /**
   * Chooses the port of another address on which a backend will listen.
   *
   * @param host an address of this machine, or a name for one
   * @param port the requested port, or 0 for a free one that was not returned before
   * @param backend the backend's name, for the error message
   * @return a port that was free a moment ago; another process may still take it first
   * @throws BackendStartException if the address is not one of this machine, the requested port is
   *     taken, or none is free
   */
  public static int settle(String host, int port, String backend) {
    requireOwn(host, backend);
    if (port == 0) {
      return free(host, backend);
    }
    try {
      bind(host, port);
      return port;
    } catch (IOException e) {
      throw new BackendStartException(
          "%s cannot listen on %s:%d: the port is taken; stop what uses it (lsof -i :%d) or choose another port"
              .formatted(backend, host, port, port),
          e);
    }
  }

  /** Returns whether a backend could listen on a port now. */
  public static boolean isFree(int port) {
    try {
      bind(HOST, port);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void requireOwn(String host, String backend) {
    try {
      bind(host, 0);
    } catch (IOException e) {
      throw new BackendStartException(
          "%s cannot listen on %s: it is not an address of this machine (%s)"
              .formatted(backend, host, e.getMessage()),
          e);
    }
  }

  private static int free(String host, String backend) {
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      try {
        bind(host, port);
        return port;
      } catch (IOException e) {
        // It is taken.
      }
    }
    throw new BackendStartException(
        "%s cannot listen: no port of %s from %d to %d is free; stop the processes that use them"
            .formatted(backend, host, FIRST, FIRST + COUNT - 1));
  }

  private static void bind(String host, int port) throws IOException {
    try (var socket = new ServerSocket()) {
      // As servers do. Otherwise a port whose last connection was closed a moment ago appears to be
      // taken.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
    }
  }
}
