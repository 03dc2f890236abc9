package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.checker.Violation;
import io.sluice.bench.torture.pool.ClockSkewing;
import io.sluice.bench.torture.pool.PoolSetup;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A short run of the torture test; {@code ./sluice bench torture} injects all faults, for longer.
 */
final class ShortTorture {
  private static final long SEED = 11;
  private static final int REQUESTS_PER_SECOND = 2;
  private static final Duration LENGTH = Duration.ofSeconds(60);
  private static final Duration EVERY = Duration.ofSeconds(6);

  private ShortTorture() {}

  /** Asserts that every request ends exactly once while these faults are injected. */
  static void passes(Path folder, int gateways, List<String> faults) throws Exception {
    // Given
    var options =
        new TortureRun.Options(
            PoolSetup.STANDARD.withGateways(gateways),
            SEED,
            LENGTH,
            REQUESTS_PER_SECOND,
            EVERY,
            faults,
            ClockSkewing.here());

    // When
    TortureReport report = new TortureRun(options, folder, System.out::println).run();

    // Then
    report.print(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    // How fast the pool goes on depends on the machine, what it says does not.
    assertThat(report.violations()).allMatch(Violation::isLate);
    assertThat(report.requests()).isGreaterThan(60);
    assertThat(report.faults()).isPositive();
  }
}
