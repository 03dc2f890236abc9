package io.sluice.worker.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.sluice.common.protocol.Json;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class RestartActionTest {
  private static final URI ENGINE = URI.create("http://127.0.0.1:8000");
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @TempDir private Path folder;

  @Test
  void aCommandLearnsWhichEngineAndWhy() throws Exception {
    Path told = folder.resolve("told");

    command("echo $SLUICE_WORKER_ID $SLUICE_ENGINE_URL $SLUICE_RESTART_CAUSE > " + told, LIMIT)
        .restart("slow-tokens");

    assertThat(told).hasContent("w http://127.0.0.1:8000 slow-tokens");
  }

  @Test
  void aCommandThatStartsTheEngineInTheBackgroundLeavesItRunning() throws Exception {
    Path pid = folder.resolve("pid");

    command("sleep 60 & echo $! > " + pid, LIMIT).restart("planned");

    ProcessHandle engine =
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    assertThat(engine.isAlive()).isTrue();
    engine.destroyForcibly();
  }

  @Test
  void aCommandThatFailsTellsItsStatus() {
    assertThatThrownBy(() -> command("exit 3", LIMIT).restart("planned"))
        .isInstanceOf(RestartFailedException.class)
        .hasMessage("the restart command ended with status 3");
  }

  @Test
  void aCommandThatHangsIsKilledWithItsProcesses() throws Exception {
    Path pid = folder.resolve("pid");

    assertThatThrownBy(
            () ->
                command("echo $$ > " + pid + "; sleep 60; true", Duration.ofMillis(500))
                    .restart("planned"))
        .hasMessage("the restart command did not end within 500 ms");

    ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
        .ifPresent(shell -> shell.onExit().join());
  }

  @Test
  void aPostTellsWhichEngineAndWhy() throws Exception {
    var told = new CompletableFuture<byte[]>();
    try (Closing server = server(204, told)) {
      post(server.url(), LIMIT).restart("planned");
    }

    assertThat(Json.tree(told.join()))
        .isEqualTo(
            Json.known(
                "{\"worker\":\"w\",\"engine\":\"http://127.0.0.1:8000\",\"cause\":\"planned\"}"));
  }

  @Test
  void aPostThatIsRefusedTellsTheStatus() throws Exception {
    try (Closing server = server(503, new CompletableFuture<>())) {
      assertThatThrownBy(() -> post(server.url(), LIMIT).restart("planned"))
          .isInstanceOf(RestartFailedException.class)
          .hasMessage(server.url() + " answered with status 503");
    }
  }

  @Test
  void anUnansweredPostFails() throws Exception {
    URI gone;
    try (Closing server = server(204, new CompletableFuture<>())) {
      gone = server.url();
    }

    assertThatThrownBy(() -> post(gone, LIMIT).restart("planned"))
        .isInstanceOf(RestartFailedException.class)
        .hasMessageStartingWith(gone + " does not answer");
  }

  private record Closing(HttpServer http) implements AutoCloseable {
    URI url() {
      return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/restart");
    }

    @Override
    public void close() {
      http.stop(0);
    }
  }

  private static Closing server(int status, CompletableFuture<byte[]> told) throws Exception {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/restart",
        exchange -> {
          told.complete(exchange.getRequestBody().readAllBytes());
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    http.start();
    return new Closing(http);
  }

  private static RestartAction command(String line, Duration atMost) {
    return new CommandRestart(line, "w", ENGINE, atMost);
  }

  private static RestartAction post(URI url, Duration atMost) {
    return new PostRestart(url, "w", ENGINE, atMost);
  }
}
