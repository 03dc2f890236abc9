package io.sluice.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.gateway.config.GatewayConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that cannot read its keys. Kafka is not there either: it is not asked first. */
@Tag("slow")
class GatewayStartTest {
  @TempDir private Path folder;

  @Test
  void aFileThatHoldsSomethingElseIsNamedButNotQuoted() throws IOException {
    // Given
    Path file = Files.writeString(folder.resolve("keys"), "sk-garbage\n");

    // When
    String message = failure("file:" + file, closedPort());

    // Then
    assertThat(message)
        .contains("the API keys cannot be read: line 1 of " + file + " is not a key", "--keys")
        .doesNotContain("garbage", "Unrecognized", "\n");
  }

  @Test
  void aFileThatCannotBeReadIsNamed() throws IOException {
    assertThat(failure("file:" + folder, closedPort()))
        .contains("the API keys cannot be read: " + folder + " cannot be read", "--keys")
        .doesNotContain("\n");
  }

  @Test
  void aRedisThatDoesNotAnswerIsNamedWithoutItsPassword() throws IOException {
    // Given
    int port = closedPort();

    // When
    String message = failure("redis", port);

    // Then
    assertThat(message)
        .contains("the API keys cannot be read: Redis does not answer")
        .contains("--redis is redis://127.0.0.1:" + port)
        .doesNotContain("secret", "\n");
  }

  private static String failure(String keys, int port) {
    Throwable failure =
        catchThrowable(
            () ->
                Gateway.start(
                        GatewayConfig.of(
                            Map.of(
                                "port",
                                "0",
                                "keys",
                                keys,
                                "kafka",
                                "127.0.0.1:" + port,
                                "redis",
                                "redis://user:secret@127.0.0.1:" + port)))
                    .close());
    assertThat(failure).isInstanceOf(IllegalStateException.class);
    return String.valueOf(failure.getMessage());
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
