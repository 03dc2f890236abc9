package io.sluice.standalone.redis;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Redis server of this process on the loopback interface. Its content is mostly a live view of
 * the fleet, which workers write again after a restart. So it is in memory only, unless API keys
 * and the orders of operators are to be kept.
 *
 * <p>Thread-safe. The server ends with this process, even if this process is killed.
 */
public final class EmbeddedRedis implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedRedis.class);

  private final RedisProcess process;
  private final int port;

  private EmbeddedRedis(RedisProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts a server and returns when it accepts connections.
   *
   * @param port the port on 127.0.0.1, or 0 for a free one
   * @throws BackendStartException if the port is taken, or if the bundled Redis does not run on
   *     this machine and none is installed
   */
  public static EmbeddedRedis start(int port) {
    return start(RedisSettings.local(port));
  }

  /**
   * Starts a server and returns when it accepts connections.
   *
   * @throws BackendStartException if the port is taken, the remote address is not one of this
   *     machine, or the bundled Redis does not run on this machine and none is installed
   */
  public static EmbeddedRedis start(RedisSettings settings) {
    return start(settings, RedisBinary.candidates());
  }

  static EmbeddedRedis start(RedisSettings wanted, List<RedisBinary> candidates) {
    int port = LocalPort.settle(wanted.port(), "Redis");
    wanted.remote().ifPresent(remote -> LocalPort.settle(remote.host(), port, "Redis"));
    RedisSettings settings = wanted.withPort(port);
    var failures = new ArrayList<String>();
    for (RedisBinary candidate : candidates) {
      try {
        var process = RedisProcess.start(candidate, settings);
        log.info("event=redis_ready port={} binary={}", port, candidate.origin());
        return new EmbeddedRedis(process, port);
      } catch (RedisProcess.StartFailure e) {
        failures.add(candidate.origin() + ": " + e.getMessage());
      }
    }
    throw new BackendStartException(
        "Redis cannot be started on this machine (%s); install it, e.g. apt-get install redis-server or brew install redis, or use a running one with --redis"
            .formatted(String.join("; ", failures)));
  }

  /** Returns the address for clients, as {@code redis://host:port}. */
  public String uri() {
    return "redis://" + LocalPort.HOST + ":" + port;
  }

  public int port() {
    return port;
  }

  /** Returns the server's process, for tests of its failure. */
  public ProcessHandle process() {
    return process.handle();
  }

  /** Stops the server and returns when it has ended, after at most five seconds. */
  @Override
  public void close() {
    process.close();
  }
}
