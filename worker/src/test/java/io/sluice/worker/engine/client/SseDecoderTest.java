package io.sluice.worker.engine.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.worker.engine.EngineException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SseDecoderTest {
  private static final int LIMIT = 4_096;

  @Property
  void eventsAreTheSameHoweverTheirBytesAreSplit(
      @ForAll @Size(max = 6) List<@From("texts") String> texts,
      @ForAll("lineEnds") String lineEnd,
      @ForAll @Size(max = 12) List<@IntRange(max = 4_000) Integer> cuts)
      throws EngineException {
    // Given
    byte[] bytes = encode(texts, lineEnd);

    // When
    List<String> events = decode(split(bytes, cuts));

    // Then
    assertThat(events).isEqualTo(texts);
  }

  @Property(tries = 50)
  void eventsSurviveBeingCutAtEveryByte(
      @ForAll @Size(max = 4) List<@From("texts") String> texts, @ForAll("lineEnds") String lineEnd)
      throws EngineException {
    // Given
    List<byte[]> singles = new ArrayList<>();
    for (byte b : encode(texts, lineEnd)) {
      singles.add(new byte[] {b});
    }

    // When, Then
    assertThat(decode(singles)).isEqualTo(texts);
  }

  @Test
  void commentsOtherFieldsAndAByteOrderMarkSayNothing() throws EngineException {
    String stream = "\uFEFF: keep-alive\n\nevent: message\nid: 7\nretry: 10\ndata:{}\n\n:\n\n";

    assertThat(decode(List.of(utf8(stream)))).containsExactly("{}");
  }

  @Test
  void severalDataLinesAreOneEvent() throws EngineException {
    assertThat(decode(List.of(utf8("data: a\r\ndata:\r\ndata: b\r\n\r\n"))))
        .containsExactly("a\n\nb");
  }

  @Test
  void anEventThatIsNotEndedIsDropped() throws EngineException {
    assertThat(decode(List.of(utf8("data: whole\n\ndata: half")))).containsExactly("whole");
  }

  @Test
  void anEndlessLineIsRefused() {
    var decoder = new SseDecoder(LIMIT);

    assertThatThrownBy(() -> decoder.feed(new byte[LIMIT + 1], event -> {}))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("more than 4096 bytes");
  }

  @Test
  void endlessDataLinesAreRefused() {
    var decoder = new SseDecoder(LIMIT);

    assertThatThrownBy(
            () -> {
              for (int i = 0; i < LIMIT; i++) {
                decoder.feed(utf8("data: abc\n"), event -> {});
              }
            })
        .isInstanceOf(EngineException.class);
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings()
        .withCharRange('a', 'z')
        .withChars("{}\":, äß€漢😀".toCharArray())
        .ofMinLength(1)
        .ofMaxLength(40)
        .map(
            text ->
                "x" + new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
  }

  @Provide
  Arbitrary<String> lineEnds() {
    return Arbitraries.of("\n", "\r\n", "\r");
  }

  private static byte[] encode(List<String> texts, String lineEnd) {
    var stream = new StringBuilder();
    for (String text : texts) {
      stream.append(": comment").append(lineEnd);
      stream.append("data: ").append(text).append(lineEnd).append(lineEnd);
    }
    return utf8(stream.toString());
  }

  private static List<byte[]> split(byte[] bytes, List<Integer> cuts) {
    List<byte[]> parts = new ArrayList<>();
    int from = 0;
    for (int cut : cuts.stream().sorted().filter(at -> at < bytes.length).toList()) {
      parts.add(Arrays.copyOfRange(bytes, from, cut));
      from = cut;
    }
    parts.add(Arrays.copyOfRange(bytes, from, bytes.length));
    return parts;
  }

  private static List<String> decode(List<byte[]> parts) throws EngineException {
    var decoder = new SseDecoder(LIMIT);
    List<String> events = new ArrayList<>();
    for (byte[] part : parts) {
      decoder.feed(part, event -> events.add(new String(event, StandardCharsets.UTF_8)));
    }
    return events;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
