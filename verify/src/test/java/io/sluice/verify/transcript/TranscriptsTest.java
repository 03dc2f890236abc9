package io.sluice.verify.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.release.Release;
import io.sluice.verify.Simulators;
import io.sluice.verify.http.Engine;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the simulator with the answers of a real vLLM to the same requests. */
@Tag("slow")
class TranscriptsTest {

  private static SimulatedEngine simulator;
  private static Engine engine;
  private static Recording real;
  private static Side simulated;

  @BeforeAll
  static void record() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            TranscriptsTest.class.getResourceAsStream("vllm-0.32.0-lora-tools.json"))) {
      real = RecordingFile.read(in);
    }
    simulator = Simulators.start("tiny", real.maxModelLen());
    engine = Engine.at(simulator.uri(), Optional.empty(), Optional.empty());
    simulated = new Transcripts("", new PrintWriter(new StringWriter())).asked(engine);
  }

  @AfterAll
  static void stop() {
    engine.close();
    simulator.close();
  }

  @Test
  void theSimulatorAnswersAsVllmDidExceptForTheDecidedDifferences() {
    // Given
    StringWriter out = new StringWriter();

    // When
    Transcripts.Summary summary =
        new Transcripts("", new PrintWriter(out, true)).compare(recorded(real), simulated);

    // Then
    assertThat(summary.unexpected()).as("%s", out).isZero();
    assertThat(summary.requests()).isEqualTo(640);
    assertThat(summary.alike()).as("%s", summary).isGreaterThanOrEqualTo(620);
    assertThat(real.version()).isEqualTo(Release.NEWEST);
  }

  @Test
  void aNewDifferenceIsReportedWithBothSidesAndItsRequests() {
    // Given
    Map<String, Set<String>> answers = new LinkedHashMap<>(simulated.recording().answers());
    answers.put("chat: plain", Set.of("status: 418"));
    answers.put("chat: user", Set.of("status: 418"));
    Recording same = simulated.recording();
    Side other = recorded(new Recording("0", same.maxModelLen(), answers));
    StringWriter out = new StringWriter();

    // When
    Transcripts.Summary summary =
        new Transcripts("", new PrintWriter(out, true)).compare(other, recorded(same));

    // Then
    assertThat(summary.unexpected()).isEqualTo(2);
    assertThat(out.toString())
        .contains("NEW  chat: plain; chat: user\n")
        .contains("theirs  status: 418")
        .contains("ours    status: 200");
    assertThat(summary).hasToString("640 requests, 638 alike, 0 decided differences, 2 new");
  }

  /** A recording cannot repeat a request. */
  private static Side recorded(Recording recording) {
    return new Side(recording, recording::answer);
  }

  @Test
  void aRecordingIsReadBackUnchanged(@TempDir Path directory) throws IOException {
    // Given
    Path file = directory.resolve("recording.json");

    // When
    simulated.recording().write(file);

    // Then
    try (InputStream in = Files.newInputStream(file)) {
      assertThat(RecordingFile.read(in)).isEqualTo(simulated.recording());
    }
  }

  @Test
  void everyDecisionHasAReasonAndNamesExistingRequests() {
    assertThat(Decisions.load().all())
        .allSatisfy(
            decision -> {
              assertThat(decision.reason()).isNotBlank();
              assertThat(real.answers().keySet())
                  .anyMatch(name -> decision.requests().matcher(name).matches());
            });
  }
}
