package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A short run of the torture test; {@code ./sluice bench torture} runs longer ones. */
class TortureIT {
  /** The blows that the pool bears. */
  private static final List<String> BORNE =
      List.of("kill -9", "freeze", "restart", "cut", "stall", "engine");

  private static final TortureRun.Options SHORT =
      new TortureRun.Options(
          11, Duration.ofSeconds(75), 2, Duration.ofSeconds(6), BORNE, ClockSkewing.here());

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void every_request_ends_exactly_once_whatever_happens_to_the_pool() throws Exception {
    // When
    Report report = new TortureRun(SHORT, folder, System.out::println).run();

    // Then
    report.print(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    // How fast the pool goes on depends on the machine, what it says does not.
    assertThat(report.lies()).isEmpty();
    assertThat(report.requests()).isGreaterThan(60);
    assertThat(report.blows()).isPositive();
  }
}
