package io.sluice.bench.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceTest {
  private static final String HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens";

  @TempDir private Path folder;

  @Test
  void anAzureTraceHasTimesAndLengthsButNoPrefixes() throws IOException {
    Trace trace =
        Trace.read(
            file(
                "a.csv",
                HEADER,
                "2023-11-16 18:15:46.6805900,374,44",
                "2023-11-16 18:15:50.9951690,396,109"));

    assertThat(trace.hasPrefixes()).isFalse();
    assertThat(trace.spanNanos()).isEqualTo(4_314_579_000L);
    assertThat(trace.requests().getLast().promptTokens()).isEqualTo(396);
    assertThat(trace.requests().getLast().outputTokens()).isEqualTo(109);
    assertThat(trace.longestContextTokens()).isEqualTo(505);
  }

  @Test
  void aMooncakeTraceHasBlocks() throws IOException {
    Trace trace = Trace.read(file("m.jsonl", mooncake(0, 600, "[1,2]"), mooncake(3000, 9, "[1]")));

    assertThat(trace.hasPrefixes()).isTrue();
    assertThat(trace.requests().getFirst().blocks()).containsExactly(1, 2);
    assertThat(trace.requests().getLast().arrivalNanos()).isEqualTo(3_000_000_000L);
  }

  @Test
  void requestsComeInTheOrderOfTheirTimes() throws IOException {
    Trace trace = Trace.read(file("m.jsonl", mooncake(3000, 9, "[1]"), mooncake(0, 8, "[1]")));

    assertThat(trace.requests()).extracting(TraceRequest::promptTokens).containsExactly(8, 9);
  }

  @Test
  void coarseTimesAreRecognised() throws IOException {
    List<String> lines =
        List.of(0, 0, 0, 3000, 3000, 3000, 6000, 6000, 6000).stream()
            .map(millis -> mooncake(millis, 9, "[1]"))
            .toList();

    assertThat(Trace.read(file("m.jsonl", lines.toArray(String[]::new))).tickNanos())
        .isEqualTo(3_000_000_000L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2023-11-16 18:15:46|has 1 fields, not 3",
        "yesterday,1,1|has 'yesterday' for a time",
        "2023-11-16 18:15:46,0,1|has '0' for a number of tokens",
        "2023-11-16 18:15:46,1,many|has 'many' for a number of tokens"
      })
  void aBadAzureLineIsNamed(String line, String problem) throws IOException {
    Path file = file("a.csv", HEADER, "2023-11-16 18:15:46,1,1", line);

    assertThatThrownBy(() -> Trace.read(file))
        .isInstanceOf(BadTraceException.class)
        .hasMessageStartingWith("line 3 of the trace a.csv " + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{|is not JSON",
        "{}|has nothing for 'timestamp'",
        "{\"timestamp\":1,\"input_length\":-1}|has -1 for 'input_length'",
        "{\"timestamp\":1,\"input_length\":600,\"output_length\":1,\"hash_ids\":[1]}|must have 2"
            + " hash_ids",
        "{\"timestamp\":1,\"input_length\":6,\"output_length\":1,\"hash_ids\":[\"a\"]}|has a hash"
            + " id that is not an integer"
      })
  void aBadMooncakeLineIsNamed(String line, String problem) throws IOException {
    Path file = file("m.jsonl", mooncake(0, 9, "[1]"), line);

    assertThatThrownBy(() -> Trace.read(file))
        .isInstanceOf(BadTraceException.class)
        .hasMessageStartingWith("line 2 of the trace m.jsonl " + problem);
  }

  @Test
  void aMissingHeaderAMissingFileAndAnotherKindOfFileAreErrors() throws IOException {
    Path headless = file("a.csv", "1,2,3");
    Path text = file("a.txt", "1");

    assertThatThrownBy(() -> Trace.read(headless)).hasMessageContaining("line 1");
    assertThatThrownBy(() -> Trace.read(folder.resolve("none.csv")))
        .hasMessageContaining("no such");
    assertThatThrownBy(() -> Trace.read(text)).hasMessageContaining("neither .csv");
  }

  private Path file(String name, String... lines) throws IOException {
    return Files.write(folder.resolve(name), List.of(lines));
  }

  private static String mooncake(long millis, int input, String ids) {
    return "{\"timestamp\":%d,\"input_length\":%d,\"output_length\":5,\"hash_ids\":%s}"
        .formatted(millis, input, ids);
  }
}
