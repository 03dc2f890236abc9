package io.sluice.common.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TokenEstimateTest {
  private static final Percentage TENTH = Percentage.withPercentage(10);
  private static final int FIVE_MEGABYTES = 5 * 1024 * 1024;
  private static final List<String> ENGLISH =
      List.of(
          "the",
          "worker",
          "of",
          "a",
          "pool",
          "answers",
          "requests",
          "whose",
          "deadline",
          "has",
          "not",
          "passed",
          "unfortunately",
          "routers",
          "are",
          "restarted",
          "in",
          "September",
          "electroencephalography",
          "and",
          "queue",
          "2024",
          "it's");
  private static final List<String> CODE =
      List.of(
          "public final class",
          "{\n    ",
          "}\n",
          "return",
          "(int i = 0; i < n; i++)",
          "List<String>",
          "// why\n",
          "==",
          "null",
          "0x7fff",
          "->",
          ";\n    ",
          "\"%s\\n\"",
          "@Override");
  private static final List<String> CHINESE = List.of("深度", "学习", "模型", "的", "请求", "，", "路由器");

  // Both load the whole vocabulary, so they are shared by all tests.
  private static final Encoding EXACT =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.CL100K_BASE);
  private static final TokenEstimate ESTIMATE = new TokenEstimate();

  @Property(tries = 200)
  void aShortTextIsCountedExactly(@ForAll String text) {
    Assume.that(StandardCharsets.UTF_8.newEncoder().canEncode(text));
    assertThat(ESTIMATE.ofText(text)).isEqualTo(EXACT.countTokensOrdinary(text));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("longTexts")
  void aLongTextIsEstimatedWithinATenth(String name, String text) {
    assertThat(ESTIMATE.ofText(text)).isCloseTo(EXACT.countTokensOrdinary(text), TENTH);
  }

  static Stream<Arguments> longTexts() {
    String english = words(ENGLISH, " ", 60_000);
    String code = words(CODE, " ", 60_000);
    String chinese = words(CHINESE, "", 60_000);
    return Stream.of(
        Arguments.of("English, just over the limit", english.substring(0, 24_001)),
        Arguments.of("English", english),
        Arguments.of("code", code),
        Arguments.of("Chinese", chinese),
        Arguments.of(
            "a document, then a question in Chinese", english + chinese.substring(0, 8_000)),
        Arguments.of("a question, then code", chinese.substring(0, 9_000) + code),
        Arguments.of("English, code, Chinese", english + code + chinese),
        Arguments.of("one line of letters", randomLetters(100_000)),
        Arguments.of("digits", "3".repeat(100_000)),
        Arguments.of("emoji", "\uD83D\uDE00".repeat(50_000)),
        Arguments.of("emoji cut by every sample", "x" + "\uD83D\uDE00".repeat(50_001)));
  }

  @ParameterizedTest
  @CsvSource({
    // The number of tokens of a regular text grows with its length: the bounds come from 24,000
    // characters of it.
    "a, 650000, 740000",
    "' ', 40000, 50000",
    "'\n', 160000, 190000",
    "!, 650000, 740000",
    "7, 1740000, 1850000",
    "\u4e2d, 5000000, 5400000"
  })
  void fiveMegabytesOfOneCharacterAreEstimated(String character, long least, long most) {
    assertThat(ESTIMATE.ofText(character.repeat(FIVE_MEGABYTES))).isBetween(least, most);
  }

  @Test
  void fiveMegabytesWithoutASpaceAreEstimated() {
    // Given
    String text = randomLetters(FIVE_MEGABYTES);

    // When, then
    assertThat(ESTIMATE.ofText(text)).isBetween(2_500_000L, 3_100_000L);
  }

  @ParameterizedTest
  @CsvSource({"\uD83D\uDE00", "x\uD83D\uDE00"})
  void fiveMegabytesOfEmojiAreEstimatedWhereverTheSamplesCutThem(String start) {
    // Given
    String text = start + "\uD83D\uDE00".repeat(FIVE_MEGABYTES / 2);

    // When, then
    assertThat(ESTIMATE.ofText(text)).isBetween(5_200_000L, 5_400_000L);
  }

  @Test
  void halvesOfCharactersAreCountedLikeAnyText() {
    assertThat(ESTIMATE.ofText("\uD83D".repeat(10))).isPositive();
    assertThat(ESTIMATE.ofText("\uDE00".repeat(100_000))).isPositive();
  }

  @Test
  void messagesAreCountedWithWhatATemplateAdds() throws Exception {
    // Given
    JsonNode messages =
        json(
            """
            [{"role":"system","content":"hello world"},
             {"role":"user","content":[{"type":"text","text":"hello world"},
                                       {"type":"image_url","image_url":{"url":"x"}}]},
             {"role":"assistant","content":null},
             {"role":"tool"},
             17]""");

    // When, then: 3 before the answer, 4 for each of 5 messages, 2 + 2 of text
    assertThat(ofMessages(messages)).isEqualTo(3 + 5 * 4 + 4);
  }

  @Test
  void toolsAndTheirCallsAndDocumentsArePartOfAPrompt() throws Exception {
    // Given
    String tools = "[{\"type\":\"function\",\"function\":{\"name\":\"weather\"}}]";
    String calls = "[{\"id\":\"1\",\"function\":{\"name\":\"weather\",\"arguments\":\"{}\"}}]";
    String documents = "[{\"title\":\"A\",\"text\":\"hello world\"}]";

    // When
    long tokens =
        ESTIMATE.ofPrompt(
            OpenAiRequest.parse(
                Endpoint.CHAT_COMPLETIONS,
                """
                {"messages":[{"role":"assistant","content":"hello world","tool_calls":%s}],
                 "tools":%s,"documents":%s}"""
                    .formatted(calls, tools, documents)
                    .getBytes(StandardCharsets.UTF_8)));

    // Then
    assertThat(tokens)
        .isEqualTo(
            3
                + 4
                + 2
                + EXACT.countTokensOrdinary(calls)
                + EXACT.countTokensOrdinary(tools)
                + EXACT.countTokensOrdinary(documents));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "['hello world','hello','hello world hello'] | 3",
        "[[1,2],[1,2,3,4],[1]] | 4",
        "[1,2,3] | 3",
        "'hello world' | 2"
      },
      quoteCharacter = '`')
  void theLongestOfSeveralPromptsIsCounted(String prompt, long tokens) throws Exception {
    OpenAiRequest request =
        OpenAiRequest.parse(
            Endpoint.COMPLETIONS,
            "{\"prompt\":%s}"
                .formatted(prompt.replace('\'', '"'))
                .getBytes(StandardCharsets.UTF_8));

    assertThat(ESTIMATE.ofLongestPrompt(request)).isEqualTo(tokens);
  }

  @Test
  void messagesThatAreNotAnArrayCountAsNothing() throws Exception {
    for (String text : List.of("null", "\"hello\"", "17", "{\"content\":\"hello\"}")) {
      assertThat(ofMessages(json(text))).isEqualTo(3);
    }
  }

  @Test
  void aLongChatIsEstimatedAsWellAsALongText() {
    // Given
    ArrayNode messages = Json.mapper().createArrayNode();
    for (int i = 0; i < 250; i++) {
      messages.addObject().put("role", "user").put("content", randomLetters(20_000));
    }

    // When, then
    assertThat(ofMessages(messages)).isBetween(2_400_000L, 3_000_000L);
  }

  @Test
  void aChatOfManyShortMessagesIsEstimatedWithinATenth() {
    // Given
    ArrayNode messages = Json.mapper().createArrayNode();
    for (int i = 0; i < 2_000; i++) {
      messages.addObject().put("role", "user").put("content", "Where is order number " + i + "?");
    }
    long each = EXACT.countTokensOrdinary("Where is order number 1000?") + 4;

    // When, then
    assertThat(ofMessages(messages)).isCloseTo(2_000 * each, TENTH);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"hello world\" | 2",
        "[\"hello world\",\"hello world\"] | 4",
        "[1,2,3] | 3",
        "[[1,2,3],[4,5]] | 5",
        "[\"hello world\",[1,2]] | 4",
        "[] | 0",
        "null | 0",
        "true | 0"
      })
  void aPromptIsATextTokenIdsOrSeveralOfEither(String prompt, long tokens) throws Exception {
    assertThat(ESTIMATE.ofPrompt(json(prompt))).isEqualTo(tokens);
  }

  @Test
  void aDeeplyNestedPromptIsCounted() throws Exception {
    assertThat(ESTIMATE.ofPrompt(json("[".repeat(999) + "1" + "]".repeat(999)))).isOne();
  }

  private static JsonNode json(String text) throws Exception {
    return Json.mapper().readTree(text);
  }

  private static String words(List<String> words, String separator, int chars) {
    Random random = new Random(7);
    return IntStream.range(0, chars)
        .mapToObj(i -> words.get(random.nextInt(words.size())))
        .collect(Collectors.joining(separator))
        .substring(0, chars);
  }

  private static String randomLetters(int chars) {
    Random random = new Random(7);
    StringBuilder text = new StringBuilder(chars);
    for (int i = 0; i < chars; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private static long ofMessages(JsonNode messages) {
    ObjectNode body = Json.mapper().createObjectNode();
    body.set("messages", messages);
    return ESTIMATE.ofPrompt(new OpenAiRequest(Endpoint.CHAT_COMPLETIONS, body));
  }
}
