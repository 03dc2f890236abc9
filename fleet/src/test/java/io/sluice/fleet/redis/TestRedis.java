package io.sluice.fleet.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RedissonClient;
import redis.embedded.RedisServer;

/** A Redis server for one test class, with a client. */
public final class TestRedis implements AutoCloseable {
  private static final int BOUND_SECONDS = 10;

  private final RedisServer server;
  private final RedissonClient client;

  public TestRedis() {
    try {
      int port = freePort();
      server = start(port);
      client = RedisConnection.open("redis://127.0.0.1:" + port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RedissonClient client() {
    return client;
  }

  public static RedisServer start(int port) throws IOException {
    RedisServer server = RedisServer.newRedisServer().port(port).setting("save \"\"").build();
    server.start();
    return server;
  }

  /** Returns a port that was free a moment ago. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  public static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(BOUND_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    try {
      server.stop();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
