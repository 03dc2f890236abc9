package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A local pool without data that is told to stop before its end leaves nothing behind. */
class EarlyStopIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TERMINATED = 128 + 15;

  @TempDir private Path temporary;

  @Test
  void aDemo() throws Exception {
    // Given
    String prompts = Path.of("..", "examples", "prompts.jsonl").toString();
    String output = temporary.resolve("out.jsonl").toString();
    try (ServiceProcess demo = launch("demo", "--prompts", prompts, "--output", output)) {
      demo.awaitLine("Ready after");
      assertThat(folders()).contains("sluice-kafka", "sluice-data");

      // When
      int code = demo.terminate();

      // Then
      assertThat(code).isEqualTo(TERMINATED);
      assertThat(folders()).isEmpty();
    }
  }

  @Test
  void aPoolThatStarts() throws Exception {
    try (ServiceProcess up = launch("up", "--workers", "1")) {
      // Given a Kafka that has only begun to start
      await()
          .pollInterval(Duration.ofMillis(10))
          .atMost(PATIENCE)
          .until(() -> folders().contains("sluice-kafka"));

      // When
      int code = up.terminate();

      // Then
      assertThat(code).isEqualTo(TERMINATED);
      assertThat(folders()).isEmpty();
    }
  }

  private ServiceProcess launch(String... arguments) {
    return ServiceProcess.launch(512, List.of("-Djava.io.tmpdir=" + temporary), arguments);
  }

  /** Returns the names of a pool's temporary folders, without their random ends. */
  private List<String> folders() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files
          .filter(Files::isDirectory)
          .map(folder -> folder.getFileName().toString())
          .filter(name -> name.startsWith("sluice-"))
          .map(name -> name.substring(0, name.lastIndexOf('-')))
          .toList();
    }
  }
}
