package io.sluice.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
class RestartCommandTest {
  @TempDir private Path folder;

  @Test
  void everyWayToLetAnEngineInIsComparedAndARunCanBeRepeated() throws IOException {
    String table = run("--seeds=1");

    assertThat(table)
        .contains("no-restart", "at-once", "ramp", "warm-up-and-ramp", "shared-prompts-and-ramp");
    assertThat(run("--seeds=1")).isEqualTo(table);
  }

  @Test
  void aFleetOfOneEngineIsWrongUsage() throws IOException {
    assertThat(run("--engines=1")).contains("--engines at least 2");
  }

  private String run(String option) throws IOException {
    List<String> lines = new ArrayList<>(List.of("TIMESTAMP,ContextTokens,GeneratedTokens"));
    for (int i = 0; i < 60; i++) {
      lines.add("2023-11-16 18:15:%02d,6000,300".formatted(i));
    }
    Path trace = Files.write(folder.resolve("a.csv"), lines);
    StringWriter out = new StringWriter();
    new CommandLine(new RestartCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute("--trace=" + trace, "--load=0.05", option);
    return Output.repeatable(out.toString());
  }
}
