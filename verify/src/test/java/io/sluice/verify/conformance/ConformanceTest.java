package io.sluice.verify.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.verify.Simulators;
import io.sluice.verify.http.Engine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The simulator follows every rule. */
@Tag("slow")
class ConformanceTest {

  private static SimulatedEngine simulator;
  private static Engine engine;

  @BeforeAll
  static void start() throws IOException {
    simulator = Simulators.start("qwen3-8b", 2048);
    engine = Engine.at(simulator.uri(), Optional.empty(), Optional.empty());
  }

  @AfterAll
  static void stop() {
    engine.close();
    simulator.close();
  }

  @TestFactory
  Stream<DynamicTest> the_simulator_keeps() {
    return Conformance.rules().stream()
        .map(
            rule ->
                dynamicTest(
                    rule.name(),
                    () -> assertThat(rule.examine(engine)).isEqualTo(new Rule.Verdict.Held())));
  }

  @Test
  void ruleNamesAreUnique() {
    assertThat(Conformance.rules().stream().map(Rule::name)).doesNotHaveDuplicates();
  }

  @Test
  void aBrokenRuleIsReportedWithWhatWasThereInstead() {
    // Given
    Rule rule =
        new Rule("9.9 there is a moon", any -> Expect.status(200, any.client().get("/moon")));

    // When
    Rule.Verdict verdict = rule.examine(engine);

    // Then
    assertThat(verdict)
        .isEqualTo(
            new Rule.Verdict.Broken("expected status 200, got 404: {\"detail\":\"Not Found\"}"));
  }

  @Test
  void anOlderReleaseBreaksTheRulesThatAreNew() throws IOException {
    // Given
    StringWriter out = new StringWriter();
    try (SimulatedEngine old = Simulators.start("qwen3-8b", 2048, "0.30.0");
        Engine older = Engine.at(old.uri(), Optional.empty(), Optional.empty())) {

      // When
      Conformance.Summary summary =
          Conformance.examine(
              older, Conformance.rules("1.4 max_tokens"), new PrintWriter(out, true));

      // Then
      assertThat(summary.broken()).isPositive();
      assertThat(out.toString())
          .contains("BROKEN   1.4 max_tokens above the rest of the context is clamped");
    }
  }
}
