package io.sluice.bench.fleet.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FairnessCommandTest {
  private final StringWriter out = new StringWriter();
  private final CommandLine command =
      new CommandLine(new FairnessCommand()).setOut(new PrintWriter(out, true));

  @Test
  @Tag("slow")
  void tenantsOfSluiceShareTokensEvenlyAndOneTenantDoesNot() {
    // When
    int exit = command.execute("--engines", "2", "--seeds", "1", "--minutes", "0.5");

    // Then
    List<String> lines = out.toString().lines().toList();
    assertThat(exit).isZero();
    assertThat(lines).first().isEqualTo("2 x rtx4090; 1 seeds, 0.5 min");
    double shared = jainOf(lines, "sluice ");
    double together = jainOf(lines, "sluice, as one tenant");
    assertThat(shared).isGreaterThan(0.95).isGreaterThan(together);
  }

  @Test
  void aWrongProfileIsWrongUsage() {
    // Given
    StringWriter err = new StringWriter();
    command.setErr(new PrintWriter(err, true));

    // When
    int exit = command.execute("--profile", "toaster");

    // Then
    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("toaster");
  }

  private static double jainOf(List<String> lines, String way) {
    return lines.stream()
        .filter(line -> line.startsWith(way))
        .findFirst()
        .map(line -> line.substring(24).strip().split(" +")[0])
        .map(Double::parseDouble)
        .orElseThrow();
  }
}
