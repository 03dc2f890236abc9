package io.sluice.standalone.redis;

import io.sluice.standalone.backend.LocalPort;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where an embedded Redis listens and what it keeps.
 *
 * @param port the port on 127.0.0.1 and on the remote address; 0 for a free one
 * @param dataDirectory an existing directory in which its content survives a restart; empty for
 *     memory only
 * @param remote where clients on other machines reach it too
 */
public record RedisSettings(int port, Optional<Path> dataDirectory, Optional<Remote> remote) {

  /**
   * Lets clients on other machines in. All clients, also those of this machine, then need the
   * password. Neither it nor what they send is encrypted.
   *
   * @param host an address of this machine, or a name for one
   * @param password without spaces and quotes
   */
  public record Remote(String host, String password) {
    /** Does not show the password. */
    @Override
    public String toString() {
      return host;
    }
  }

  /** Returns a Redis in memory, on the loopback interface. */
  public static RedisSettings local(int port) {
    return new RedisSettings(port, Optional.empty(), Optional.empty());
  }

  RedisSettings withPort(int chosen) {
    return new RedisSettings(chosen, dataDirectory, remote);
  }

  /** Returns the content of a configuration file. Other users of a machine see command lines. */
  String configuration() {
    StringBuilder lines = new StringBuilder();
    lines.append("port %s\n".formatted(port));
    lines.append(
        "bind %s%s\n".formatted(LocalPort.HOST, remote.map(its -> " " + its.host()).orElse("")));
    lines.append("save \"\"\n");
    lines.append("daemonize no\n");
    lines.append("appendonly %s\n".formatted(dataDirectory.isPresent() ? "yes" : "no"));
    dataDirectory.ifPresent(directory -> lines.append("dir \"%s\"\n".formatted(directory)));
    remote.ifPresent(its -> lines.append("requirepass %s\n".formatted(its.password())));
    return lines.toString();
  }
}
