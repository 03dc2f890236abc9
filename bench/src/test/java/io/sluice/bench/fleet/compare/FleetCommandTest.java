package io.sluice.bench.fleet.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
class FleetCommandTest {
  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();

  @Test
  void aComparisonIsPrintedWithVerdictsAndWrittenAsJson() throws IOException {
    JsonNode cell =
        compare(
                "--engines=2",
                "--load=0.2",
                "--seeds=2",
                "--minutes=0.1",
                "--policies=round-robin,sluice,sluice-recall")
            .path("cells")
            .path(0);

    assertThat(out.toString()).contains("round-robin", "sluice, goodput:", "sluice, TTFT p95:");
    assertThat(cell.path("runs").path("sluice")).hasSize(2);
    assertThat(out.toString()).doesNotContain("lost%");
    assertThat(cell.path("runs").path("sluice").path(0).has("lost")).isFalse();
    assertThat(cell.path("runs").path("sluice").path(0).has("uninformed")).isFalse();
    assertThat(cell.path("runs").path("sluice-recall").path(0).has("goodput")).isTrue();
    assertThat(cell.path("sluice_against").path("round-robin").path("goodput").has("verdict"))
        .isTrue();
  }

  @Test
  void theEnginesOfAMixedFleetHaveTheProfilesInTurn() throws IOException {
    JsonNode root =
        compare(
            "--profile=rtx4090,h100",
            "--engines=3",
            "--load=0.2",
            "--seeds=1",
            "--minutes=0.1",
            "--policies=round-robin");

    assertThat(out.toString()).contains("a.csv on rtx4090, h100: an engine can do ");
    double small = root.path("capacity_requests_per_engine_second").path(0).asDouble();
    double large = root.path("capacity_requests_per_engine_second").path(1).asDouble();
    assertThat(large).isGreaterThan(2 * small);
    assertThat(root.path("cells").path(0).path("requests_per_second").asDouble())
        .isCloseTo(0.2 * (2 * small + large), within(1e-6));
  }

  @Test
  void whatFailuresOfEnginesDoIsShown() throws IOException {
    JsonNode root =
        compare(
            "--engines=2",
            "--load=0.5",
            "--seeds=1",
            "--minutes=0.2",
            "--failures=1",
            "--failures-kind=machine",
            "--restart-after=5s",
            "--policies=round-robin,sluice");

    assertThat(out.toString())
        .contains("1 of the engines fails (machine), and is back after 5 s", "lost%", "resumed%");
    assertThat(root.path("failures").asInt()).isEqualTo(1);
    JsonNode runs = root.path("cells").path(0).path("runs");
    assertThat(runs.path("sluice").path(0).path("lost").asDouble()).isZero();
    assertThat(runs.path("round-robin").path(0).has("lost")).isTrue();
  }

  @Test
  void smallerStepsDelayTheTokensOfOthersLess() throws IOException {
    assertThat(itlWith("--long-prefill-token-threshold=256"))
        .isLessThan(itlWith("--long-prefill-token-threshold=0") / 2);
    assertThat(itlWith("--max-num-batched-tokens=256"))
        .isLessThan(itlWith("--long-prefill-token-threshold=0") / 2);
  }

  private double itlWith(String limit) throws IOException {
    return compare(
            "--engines=1",
            "--load=0.5",
            "--seeds=1",
            "--minutes=0.1",
            "--policies=round-robin",
            limit)
        .at("/cells/0/runs/round-robin/0/itlP99Millis")
        .asDouble();
  }

  @Test
  void stepsWithoutTokensAreWrongUsage() {
    int exit =
        new CommandLine(new FleetCommand())
            .setErr(new PrintWriter(out))
            .execute("--trace=generated:chat", "--max-num-batched-tokens=0");

    assertThat(exit).isEqualTo(2);
    assertThat(out.toString()).contains("max-num-batched-tokens must be at least 1");
  }

  @Test
  void moreFailuresThanEnginesAreWrongUsage() {
    int exit =
        new CommandLine(new FleetCommand())
            .setErr(new PrintWriter(out))
            .execute("--trace=generated:chat", "--engines=8,2", "--failures=3");

    assertThat(exit).isEqualTo(2);
    assertThat(out.toString()).contains("--failures must be");
  }

  /** Runs a comparison on a short trace; returns what it writes as JSON. */
  private JsonNode compare(String... options) throws IOException {
    Path trace = Files.write(folder.resolve("a.csv"), lines());
    Path json = folder.resolve("out.json");
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("--trace=" + trace, "--json=" + json));

    int exit =
        new CommandLine(new FleetCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .execute(arguments.toArray(String[]::new));

    assertThat(exit).isZero();
    return new ObjectMapper().readTree(json.toFile()).get("details");
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>(List.of("TIMESTAMP,ContextTokens,GeneratedTokens"));
    for (int i = 0; i < 60; i++) {
      lines.add("2023-11-16 18:15:%02d,4000,80".formatted(i));
    }
    return lines;
  }

  @Test
  void anUnknownPolicyIsWrongUsage() throws IOException {
    Path trace =
        Files.write(
            folder.resolve("a.csv"),
            List.of(
                "TIMESTAMP,ContextTokens,GeneratedTokens",
                "2023-11-16 18:15:01,4,8",
                "2023-11-16 18:15:02,4,8"));

    int exit =
        new CommandLine(new FleetCommand())
            .setErr(new PrintWriter(out))
            .execute("--trace=" + trace, "--policies=best");

    assertThat(exit).isEqualTo(2);
    assertThat(out.toString()).contains("unknown policy 'best'; there are round-robin");
  }

  @Test
  void anUnknownGeneratedTraceIsWrongUsage() {
    int exit =
        new CommandLine(new FleetCommand())
            .setErr(new PrintWriter(out))
            .execute("--trace=generated:poems");

    assertThat(exit).isEqualTo(2);
    assertThat(out.toString())
        .contains("no generated trace 'poems'; there are chat, documents, agents, mixed");
  }
}
