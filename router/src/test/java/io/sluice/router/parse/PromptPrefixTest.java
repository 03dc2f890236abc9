package io.sluice.router.parse;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Json;
import io.sluice.router.prefix.PrefixChain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptPrefixTest {
  /** Two blocks and a half. */
  private static final String INSTRUCTIONS = "Be brief. ".repeat(64);

  @Test
  void conversationsThatBeginAlikeShareTheirLeadingBlocksOnly() {
    // Given
    PrefixChain one = chain(chat("", INSTRUCTIONS, "Why is the sky blue? ".repeat(40)));
    PrefixChain two = chain(chat("", INSTRUCTIONS, "What is a quark? ".repeat(40)));

    // Then
    assertThat(shared(one, two)).isEqualTo(2);
    assertThat(one.blocks()).isEqualTo(5);
  }

  @Test
  void theNextTurnOfAConversationSharesAllOfTheOneBefore() {
    // Given
    String first = message("system", INSTRUCTIONS) + "," + message("user", "Go on. ".repeat(60));
    PrefixChain before = chain("{\"messages\":[" + first + "]}");

    // When
    PrefixChain after =
        chain(
            "{\"messages\":[" + first + "," + message("assistant", "So be it. ".repeat(60)) + "]}");

    // Then
    assertThat(shared(before, after)).isEqualTo(before.blocks());
    assertThat(after.blocks()).isGreaterThan(before.blocks());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'\"cache_salt\":\"a\",' | '\"cache_salt\":\"b\",'",
        "''                      | '\"cache_salt\":\"a\",'",
        "''                      | '\"tools\":[{\"type\":\"function\"}],'",
        "'\"tools\":[{\"type\":\"a\"}],' | '\"tools\":[{\"type\":\"b\"}],'"
      })
  void whatAnEngineKeepsApartSharesNothing(String one, String two) {
    assertThat(
            shared(
                chain(chat(one, INSTRUCTIONS, "Why is the sky blue?")),
                chain(chat(two, INSTRUCTIONS, "Why is the sky blue?"))))
        .isZero();
  }

  @Test
  void differentModelsShareNothing() {
    // Given
    String body = chat("", INSTRUCTIONS, "Why?");

    // Then
    assertThat(shared(chain(body, "llama"), chain(body, "qwen"))).isZero();
  }

  @Test
  void textInPartsIsTheSameAsTextInOnePiece() {
    // Given
    String parts =
        "{\"messages\":[{\"role\":\"system\",\"content\":[{\"type\":\"text\",\"text\":\""
            + INSTRUCTIONS
            + "\"}]}]}";

    // Then
    assertThat(
            shared(chain(parts), chain("{\"messages\":[" + message("system", INSTRUCTIONS) + "]}")))
        .isEqualTo(2);
  }

  @Test
  void picturesTellPromptsApart() {
    assertThat(shared(chain(withPicture("a")), chain(withPicture("b")))).isZero();
    assertThat(shared(chain(withPicture("a")), chain(withPicture("a")))).isEqualTo(2);
  }

  @Test
  void aLargePictureMakesAPromptNoLonger() {
    // Given
    String large = "A".repeat(1_000_000);

    // Then
    assertThat(chain(withPicture(large)).blocks()).isEqualTo(2);
    assertThat(shared(chain(withPicture(large)), chain(withPicture(large + "B")))).isZero();
  }

  @Test
  void promptsOfTokenIdsShareWhatTheyBeginWith() {
    // Given: 64 ids are a block
    PrefixChain one = chain(prompt(ids(0, 400)));
    PrefixChain two = chain(prompt(ids(0, 200) + "," + ids(7_000, 200)));

    // Then
    assertThat(one.blocks()).isEqualTo(6);
    assertThat(shared(one, two)).isEqualTo(3);
  }

  @Test
  void ofSeveralPromptsTheFirstOneCounts() {
    // Given
    PrefixChain alone = chain(prompt(ids(0, 400)));

    // Then
    assertThat(shared(alone, chain(prompt("[" + ids(0, 400) + "],[" + ids(900, 10) + "]"))))
        .isEqualTo(6);
    assertThat(
            shared(
                chain("{\"prompt\":\"" + INSTRUCTIONS + "\"}"),
                chain("{\"prompt\":[\"" + INSTRUCTIONS + "\",\"other\"]}")))
        .isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}",
        "[]",
        "{\"messages\":3}",
        "{\"messages\":[null,7,{\"content\":{}}]}",
        "{\"prompt\":[[]]}",
        "{\"prompt\":{\"a\":1}}"
      })
  void whatHasNoPromptHasNoChain(String body) {
    assertThat(chain(body).blocks()).isZero();
  }

  private static String chat(String options, String system, String user) {
    return "{"
        + options
        + "\"messages\":["
        + message("system", system)
        + ","
        + message("user", user)
        + "]}";
  }

  private static String message(String role, String text) {
    return "{\"role\":\"" + role + "\",\"content\":\"" + text + "\"}";
  }

  private static String withPicture(String name) {
    return "{\"messages\":[{\"role\":\"user\",\"content\":["
        + "{\"type\":\"image_url\",\"image_url\":{\"url\":\"http://pictures/"
        + name
        + "\"}},{\"type\":\"text\",\"text\":\""
        + INSTRUCTIONS
        + "\"}]}]}";
  }

  private static String prompt(String items) {
    return "{\"prompt\":[" + items + "]}";
  }

  private static String ids(int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(","));
  }

  private static PrefixChain chain(String body) {
    return chain(body, "llama");
  }

  private static PrefixChain chain(String body, String model) {
    try {
      return PromptPrefix.of(
          Json.tree(body.getBytes(StandardCharsets.UTF_8)), model, body.length() / 4);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how many leading blocks are the same; after the first that differs none may be. */
  private static int shared(PrefixChain one, PrefixChain two) {
    int blocks = Math.min(one.blocks(), two.blocks());
    int leading = 0;
    while (leading < blocks && one.hash(leading) == two.hash(leading)) {
      leading++;
    }
    for (int block = leading; block < blocks; block++) {
      assertThat(one.hash(block)).isNotEqualTo(two.hash(block));
    }
    return leading;
  }
}
