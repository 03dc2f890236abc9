package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{} {}",
        "{} xx",
        "{},",
        "1 2",
        "[] ]",
        "{",
        "[1,",
        "\"",
        "NaN",
        "Infinity",
        "'a'",
        "{a:1}",
        "{\"a\":1,}",
        "// 1",
        "\u0000",
        "tru",
        "01",
        "+1",
        ".5",
        "\"\n\""
      })
  void whatIsNotExactlyOneValueIsRefused(String text) {
    assertThatIOException().isThrownBy(() -> tree(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\n\t"})
  void anEmptyBodyIsRefusedWithASentence(String text) {
    assertThatIOException().isThrownBy(() -> tree(text)).withMessage("the body is empty");
  }

  @Test
  void anAbsentBodyIsRefusedLikeAnEmptyOne() {
    assertThatIOException().isThrownBy(() -> Json.tree(null)).withMessage("the body is empty");
  }

  @Test
  void spaceAroundAValueIsNotText() throws IOException {
    assertThat(tree(" {\"a\":1}\n ").path("a").asInt()).isOne();
  }

  @Test
  void theLiteralNullIsAValue() throws IOException {
    assertThat(tree("null").isNull()).isTrue();
  }

  @Test
  void ofARepeatedKeyTheLastCounts() throws IOException {
    assertThat(tree("{\"a\":1,\"a\":2}").path("a").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("deeplyNested")
  void deepNestingIsRefusedRatherThanOverflowingTheStack(String text) {
    assertThatExceptionOfType(StreamConstraintsException.class).isThrownBy(() -> tree(text));
  }

  static Stream<String> deeplyNested() {
    return Stream.of(
        "[".repeat(100_000),
        "[".repeat(100_000) + "]".repeat(100_000),
        "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000));
  }

  @Test
  void aTextOfFiveMegabytesIsRead() throws IOException {
    // Given
    String text = "a".repeat(5 * 1024 * 1024);

    // When, then
    assertThat(tree("{\"a\":\"" + text + "\"}").path("a").asText()).isEqualTo(text);
  }

  @Test
  void aNumberOfAMillionDigitsIsRefused() {
    assertThatExceptionOfType(StreamConstraintsException.class)
        .isThrownBy(() -> tree("1".repeat(1_000_000)));
  }

  @Test
  void whatACallerSendsIsBoundedInItsValuesAndItsDepth() {
    assertThatExceptionOfType(StreamConstraintsException.class)
        .isThrownBy(() -> callersTree("[" + "{},".repeat(500_000) + "1]"));
    assertThatExceptionOfType(StreamConstraintsException.class)
        .isThrownBy(() -> callersTree("[".repeat(257) + "]".repeat(257)));
    assertThatNoException()
        .isThrownBy(() -> callersTree("{\"prompt\":[" + "1,".repeat(900_000) + "1]}"));
  }

  private static void callersTree(String text) throws IOException {
    assertThat(Json.callersTree(text.getBytes(StandardCharsets.UTF_8))).isNotNull();
  }

  @Property
  void arbitraryBytesAreAValueOrAnIoException(@ForAll byte[] bytes) {
    try {
      assertThat(Json.tree(bytes)).isNotNull();
    } catch (IOException expected) {
      assertThat(expected).hasMessageMatching("(?s).+");
    }
  }

  private static com.fasterxml.jackson.databind.JsonNode tree(String text) throws IOException {
    return Json.tree(text.getBytes(StandardCharsets.UTF_8));
  }
}
