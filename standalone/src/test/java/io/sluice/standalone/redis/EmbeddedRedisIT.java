package io.sluice.standalone.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.sluice.standalone.backend.BackendStartException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedRedisIT {

  @Test
  void aStartedServerAnswersAndKeepsNothingOnDisk() {
    // Given
    try (var redis = EmbeddedRedis.start(0)) {
      // When, Then
      assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
      assertThat(command(redis.port(), "PING")).isEqualTo("+PONG");
      assertThat(reply(redis.port(), "CONFIG GET save", 5)).contains("$4\r\nsave\r\n$0\r\n");
    }
  }

  @Test
  void whatAServerSaysIsReadWithoutTakingACarrierFromVirtualThreads() {
    // Given, When
    try (var redis = EmbeddedRedis.start(0)) {
      // Then
      assertThat(redis.port()).isPositive();
      assertThat(Thread.getAllStackTraces().keySet()) // of all threads but virtual ones
          .extracting(Thread::getName)
          .contains("redis-output");
    }
  }

  @Test
  void aServerComesBackEmptyOnThePortItHadBefore() {
    // Given
    int port;
    try (var redis = EmbeddedRedis.start(0)) {
      port = redis.port();
      command(port, "SET key value");
    }
    assertThatThrownBy(() -> command(port, "PING")).hasMessageContaining("refused");

    // When
    try (var again = EmbeddedRedis.start(port)) {
      // Then
      assertThat(command(again.port(), "EXISTS key")).isEqualTo(":0");
    }
  }

  @Test
  void aServerWithADirectoryComesBackWithItsContentAfterAKill(@TempDir Path directory) {
    // Given
    var settings = new RedisSettings(0, Optional.of(directory), Optional.empty());
    try (var redis = EmbeddedRedis.start(settings)) {
      command(redis.port(), "SET key value");
      assertThat(redis.process().destroyForcibly()).isTrue();
      redis.process().onExit().join();
    }

    // When
    try (var again = EmbeddedRedis.start(settings)) {
      // Then
      assertThat(command(again.port(), "EXISTS key")).isEqualTo(":1");
    }
  }

  @Test
  void aTakenPortIsOneClearError() throws Exception {
    // Given
    try (var occupant = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      int port = occupant.getLocalPort();

      // When, Then
      assertThatThrownBy(() -> EmbeddedRedis.start(port))
          .isInstanceOf(BackendStartException.class)
          .hasMessageContainingAll("127.0.0.1:" + port, "taken", "choose another port");
    }
  }

  @Test
  void theInstalledServerIsUsedWhereTheBundledOneCannotRun(@TempDir Path directory)
      throws Exception {
    // Given
    RedisBinary broken = new RedisBinary("broken", unused -> missingLibrary(directory));
    RedisBinary working = RedisBinary.candidates().getFirst();

    // When
    try (var redis = EmbeddedRedis.start(RedisSettings.local(0), List.of(broken, working))) {
      // Then
      assertThat(command(redis.port(), "PING")).isEqualTo("+PONG");
    }
  }

  @Test
  void anInstalledServerOfTodayWorksToo() {
    // Given
    RedisBinary installed = RedisBinary.candidates().getLast();
    assumeThat(canBeFound(installed)).as("redis-server is installed").isTrue();

    // When
    try (var redis = EmbeddedRedis.start(RedisSettings.local(0), List.of(installed))) {
      // Then
      assertThat(command(redis.port(), "PING")).isEqualTo("+PONG");
    }
  }

  @Test
  void aMachineThatCanRunNoRedisIsToldWhatToInstall(@TempDir Path directory) throws Exception {
    // Given
    RedisBinary broken = new RedisBinary("bundled Redis", unused -> missingLibrary(directory));
    RedisBinary absent =
        new RedisBinary(
            "installed redis-server",
            unused -> {
              throw new IOException("not found");
            });

    // When, Then
    assertThatThrownBy(() -> EmbeddedRedis.start(RedisSettings.local(0), List.of(broken, absent)))
        .isInstanceOf(BackendStartException.class)
        .hasMessageContainingAll(
            "libssl.so.3: cannot open", "not found", "apt-get install redis-server", "--redis")
        .hasMessageNotContaining("\n");
  }

  @Test
  void theServerDiesWithAProcessThatIsKilled() throws Exception {
    // Given
    Process owner =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Owner.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    int port = Integer.parseInt(owner.inputReader().readLine().strip());
    assertThat(command(port, "PING")).isEqualTo("+PONG");

    // When
    owner.destroyForcibly();

    // Then
    assertThat(owner.waitFor(10, TimeUnit.SECONDS)).isTrue();
    await()
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(
            () -> assertThatThrownBy(() -> command(port, "PING")).hasMessageContaining("refused"));
  }

  /** Starts a server, names its port, and never closes it. */
  static final class Owner {
    public static void main(String[] arguments) throws InterruptedException {
      System.out.println(EmbeddedRedis.start(0).port());
      Thread.currentThread().join();
    }
  }

  private static Path missingLibrary(Path directory) throws IOException {
    Path script = directory.resolve("redis-server");
    Files.writeString(
        script,
        """
        #!/bin/sh
        echo "redis-server: error while loading shared libraries: libssl.so.3: cannot open" >&2
        exit 127
        """);
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return script;
  }

  private static boolean canBeFound(RedisBinary binary) {
    try {
      return Files.isExecutable(binary.locator().locate(Path.of(".")));
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  private static String command(int port, String command) {
    return reply(port, command, 1).strip();
  }

  private static String reply(int port, String command, int lines) {
    try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
      socket.setSoTimeout(5_000);
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
      var reader = socket.getInputStream();
      var reply = new StringBuilder();
      for (int line = 0; line < lines; ) {
        int character = reader.read();
        if (character < 0) {
          break;
        }
        reply.append((char) character);
        line += character == '\n' ? 1 : 0;
      }
      return reply.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
