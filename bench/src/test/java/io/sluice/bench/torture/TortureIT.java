package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A short run of the torture test; {@code ./sluice bench torture} runs longer ones. */
class TortureIT {
  /** With this seed an engine, a worker, a router and a broker are killed within 20 s. */
  private static final TortureRun.Options SHORT =
      new TortureRun.Options(2749, Duration.ofSeconds(35), 2, Duration.ofSeconds(3));

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
    assertThat(report.requests()).isGreaterThan(40);
    assertThat(report.blows()).isPositive();
  }
}
