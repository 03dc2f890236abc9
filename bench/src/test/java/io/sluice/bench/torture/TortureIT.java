package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.pool.ClockSkewing;
import io.sluice.bench.torture.pool.PoolSetup;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Short runs of the torture test; {@code ./sluice bench torture} deals all blows, for longer. */
class TortureIT {
  private static final long SEED = 11;
  private static final int REQUESTS_PER_SECOND = 2;
  private static final Duration LENGTH = Duration.ofSeconds(75);
  private static final Duration EVERY = Duration.ofSeconds(6);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void every_request_ends_exactly_once_whatever_happens_to_processes() throws Exception {
    bears(List.of("kill -9", "freeze", "restart", "cut", "stall", "engine"));
  }

  @Test
  void every_request_ends_exactly_once_whatever_callers_and_topics_do() throws Exception {
    bears(
        List.of(
            "late router",
            "delete reply topic",
            "thin reply topic",
            "hostile records",
            "repeats of ids",
            "memory pressure",
            "poisonous prompt",
            "prompt that kills engines",
            "skew"));
  }

  private void bears(List<String> blows) throws Exception {
    // Given
    var options =
        new TortureRun.Options(
            PoolSetup.STANDARD,
            SEED,
            LENGTH,
            REQUESTS_PER_SECOND,
            EVERY,
            blows,
            ClockSkewing.here());

    // When
    Report report = new TortureRun(options, folder, System.out::println).run();

    // Then
    report.print(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    // How fast the pool goes on depends on the machine, what it says does not.
    assertThat(report.lies()).isEmpty();
    assertThat(report.requests()).isGreaterThan(60);
    assertThat(report.blows()).isPositive();
  }
}
