package io.sluice.gateway.batch.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.http.JsonMemory;
import io.sluice.producer.batch.Lines;
import io.sluice.producer.batch.Lines.Position;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InputLinesTest {
  private static final String CHAT = "/v1/chat/completions";
  private static final LineMemory MEMORY = new LineMemory(JsonMemory.of(1024 * 1024), "acme");

  @Test
  void blankLinesAreNumberedAndLeftOut() throws Exception {
    // Given
    String text = "\n" + line("a", "{}") + "\n \n\n" + line("b", "{}") + "\n{broken\n\n";

    // When
    List<InputLines.Read> read = read(text);

    // Then
    assertThat(read.stream().map(line -> line.line().number())).containsExactly(2L, 5L, 6L);
    assertThat(read.stream().map(line -> line.after().lines())).containsExactly(2L, 5L, 6L);
    assertThat(read.getLast().line()).isInstanceOf(InputLine.Broken.class);
  }

  @Test
  void aLineIsNeverStreamed() throws Exception {
    // Given
    String body =
        "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"n\":1}";

    // When
    List<InputLines.Read> read = read(line("a", body));

    // Then
    assertThat(read).hasSize(1);
    assertThat(read.getFirst().line())
        .isInstanceOfSatisfying(
            InputLine.Request.class,
            request ->
                assertThat(new String(request.body(), UTF_8))
                    .isEqualTo("{\"model\":\"m\",\"n\":1}"));
  }

  private static List<InputLines.Read> read(String text) throws Exception {
    InputScan scan = InputScan.of(lines(text), CHAT, 100, MEMORY);
    List<InputLines.Read> all = new ArrayList<>();
    try (InputLines lines = new InputLines(lines(text), scan, CHAT, MEMORY)) {
      for (Optional<InputLines.Read> read = lines.next(); read.isPresent(); read = lines.next()) {
        all.add(read.get());
      }
    }
    return all;
  }

  private static Lines lines(String text) {
    return new Lines(new ByteArrayInputStream(text.getBytes(UTF_8)), Position.START, 10_000);
  }

  private static String line(String id, String body) {
    return "{\"custom_id\":\"%s\",\"url\":\"%s\",\"body\":%s}".formatted(id, CHAT, body);
  }
}
