package io.sluice.bench.fleet.autoscale;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.Output;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
class AutoscaleCommandTest {
  @TempDir private Path folder;

  @Test
  void equalSeedsGiveEqualTables() throws Exception {
    // Given
    List<String> lines = new ArrayList<>(List.of("TIMESTAMP,ContextTokens,GeneratedTokens"));
    for (int i = 0; i < 60; i++) {
      lines.add("2023-11-16 18:15:%02d,4000,8".formatted(i));
    }
    Path trace = Files.write(folder.resolve("a.csv"), lines);

    // When
    String table = run("--trace=" + trace, "--hours=0.1", "--workers=2", "--seeds=2");

    // Then
    assertThat(table).contains("sluice", "running requests", "KV usage", "clairvoyant");
    assertThat(run("--trace=" + trace, "--hours=0.1", "--workers=2", "--seeds=2")).isEqualTo(table);
  }

  @Test
  void aDayWithoutHoursIsWrongUsage() {
    int exit =
        new CommandLine(new AutoscaleCommand())
            .setErr(new PrintWriter(new StringWriter()))
            .execute("--hours=0");

    assertThat(exit).isEqualTo(2);
  }

  private static String run(String... arguments) {
    StringWriter out = new StringWriter();
    int exit =
        new CommandLine(new AutoscaleCommand()).setOut(new PrintWriter(out)).execute(arguments);
    assertThat(exit).isZero();
    return Output.repeatable(out.toString());
  }
}
