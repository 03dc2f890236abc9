package io.sluice.producer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An output file that can no longer grow, in a process with a limit of its own. */
@Tag("slow")
class ResultFileTest {
  private static final int LIMIT_KIB = 8;

  @TempDir private Path folder;

  @Test
  void aFileThatIsFullKeepsWholeLinesAndTakesNoMore() throws Exception {
    // Given
    Path file = folder.resolve("out.jsonl");

    // When
    Process writer =
        new ProcessBuilder(
                "bash",
                "-c",
                "ulimit -f " + LIMIT_KIB + " && exec \"$@\"",
                "bash",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                file.toString())
            .inheritIO()
            .start();
    boolean hasEnded = writer.waitFor(60, TimeUnit.SECONDS);

    // Then
    assertThat(hasEnded).isTrue();
    assertThat(writer.exitValue()).isZero();
    assertThat(Files.readString(file)).endsWith("}\n");
    List<ResultLine> kept = new ArrayList<>();
    ResultFile.open(file, kept::add).close();
    assertThat(kept).isNotEmpty();
    assertThat(Files.readAllLines(file)).hasSameSizeAs(kept);
  }

  /** Writes lines until that fails, and a last one that would fit. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      try (ResultFile file = ResultFile.open(Path.of(args[0]), line -> {})) {
        int failures = 0;
        for (int i = 0; failures == 0; i++) {
          failures += isWritten(file, i, "x".repeat(1_000)) ? 0 : 1;
        }
        if (isWritten(file, 1_000, "x")) {
          throw new IllegalStateException("a full file took a line");
        }
      }
    }

    private static boolean isWritten(ResultFile file, int number, String text) {
      try {
        file.append(
            ResultLine.answered("line-" + number, "request", "{\"text\":\"" + text + "\"}"));
        return true;
      } catch (IOException e) {
        return false;
      }
    }
  }
}
