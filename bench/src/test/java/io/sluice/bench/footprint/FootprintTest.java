package io.sluice.bench.footprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.footprint.Footprint.Phase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FootprintTest {
  @Test
  void aProcessThatComputesInAPhaseUsesACoreAndItsMemoryIsShown() throws IOException {
    var footprint = new Footprint();
    Footprint.Begun begun = footprint.begin(Phase.LOADED, ProcessHandle.current().pid());
    long end = System.nanoTime() + 200_000_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    begun.end();

    Footprint.Usage usage = footprint.in(Phase.LOADED);
    assertThat(usage.cores().percentile(50)).isPositive();
    assertThat(usage.memory().percentile(50)).isGreaterThan(10);
    assertThat(footprint.in(Phase.IDLE).cores().count()).isZero();
  }

  @Test
  void theTableShowsMediansOfAllRuns() {
    var footprint = new Footprint();
    for (double run : new double[] {3, 1, 2}) {
      footprint.in(Phase.IDLE).cores().add(run / 100);
      footprint.in(Phase.IDLE).memory().add(100 * run);
    }

    assertThat(FootprintCommand.table(Map.of("router", footprint)).toString())
        .contains("200  0.020");
    assertThat(footprint.in(Phase.IDLE).cores().percentile(50)).isCloseTo(0.02, within(1e-9));
  }

  @Test
  void aProcessThatHasEndedIsAnError() {
    assertThatThrownBy(() -> new Footprint().begin(Phase.IDLE, Long.MAX_VALUE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has ended");
  }

  @Test
  void aRunWithoutARequestIsWrongUsage() {
    var error = new StringWriter();

    int exit =
        new CommandLine(new FootprintCommand()).setErr(new PrintWriter(error)).execute("--rate=0");

    assertThat(exit).isEqualTo(2);
    assertThat(error.toString()).contains("--rate times --load at least 1");
  }
}
