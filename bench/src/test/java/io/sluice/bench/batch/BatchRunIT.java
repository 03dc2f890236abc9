package io.sluice.bench.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.process.EngineKind;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A short batch whose engines are all killed; {@code ./sluice bench batch} runs long ones. */
class BatchRunIT {
  private static final int LINES = 60;
  private static final int KILLS = 2;

  /** Few, so that there is always work left when an engine is to be killed. */
  private static final int IN_FLIGHT = 12;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void everyLineHasOneRightResultThoughEachEngineIsKilled() throws Exception {
    // Given
    var options = new BatchRun.Options(EngineKind.simulated(), 2, LINES, KILLS, IN_FLIGHT, 1);
    List<PlannedLine> lines = BatchPlan.of(1, LINES, EngineKind.simulated());
    long answers =
        lines.stream().filter(line -> line.kind().what() == LineKind.What.ANSWER).count();

    // When
    Report report = new BatchRun(options, folder, System.out::println).run();

    // Then
    report.print(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    assertThat(report.verdict().findings()).isEmpty();
    assertThat(report.kills()).hasSize(KILLS);
    assertThat(report.verdict().equal()).isEqualTo((int) answers);
    assertThat(report.verdict().shown())
        .contains("errors            expected %d, unexpected 0\n".formatted(LINES - answers));
  }
}
