package io.sluice.simulator.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** A continued generation equals the uninterrupted one, wherever it was cut. */
class ContinuationTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();
  private static final String MODEL = "m";

  @Property(tries = 150)
  void continuingAChatAnswerAtAnyCharacterYieldsTheRest(
      @ForAll("texts") String system,
      @ForAll("texts") String user,
      @ForAll @DoubleRange(min = 0, max = 1) double at) {
    // Given
    List<ChatMessage> messages =
        List.of(new ChatMessage("system", system), new ChatMessage("user", user));
    String whole = textFor(ChatTemplate.render(messages, ChatTemplate.Ending.ASSISTANT_TURN));
    String partial = cut(whole, at);

    // When
    List<ChatMessage> continued = new ArrayList<>(messages);
    continued.add(new ChatMessage("assistant", partial));
    String rest = textFor(ChatTemplate.render(continued, ChatTemplate.Ending.CONTINUE_FINAL));

    // Then
    assertThat(partial + rest).isEqualTo(whole);
  }

  @Property(tries = 150)
  void continuingATextCompletionAtAnyCharacterYieldsTheRest(
      @ForAll("texts") String prompt, @ForAll @DoubleRange(min = 0, max = 1) double at) {
    String whole = textFor(prompt);
    String partial = cut(whole, at);

    String rest = textFor(prompt + partial);

    assertThat(partial + rest).isEqualTo(whole);
  }

  @Property(tries = 100)
  void continuingTwiceYieldsTheRestToo(
      @ForAll("texts") String prompt,
      @ForAll @DoubleRange(min = 0, max = 1) double first,
      @ForAll @DoubleRange(min = 0, max = 1) double second) {
    String whole = textFor(prompt);
    String one = cut(whole, first);
    String two = cut(textFor(prompt + one), second);

    assertThat(one + two + textFor(prompt + one + two)).isEqualTo(whole);
  }

  @Property(tries = 150)
  void continuingFromTokenIdsYieldsTheRemainingTokens(
      @ForAll("texts") String prompt, @ForAll @DoubleRange(min = 0, max = 1) double at) {
    TokenIds ids = TOKENIZER.encode(prompt + "?");
    TokenIds whole = tokensFor(TOKENIZER.bytes(ids));
    TokenIds partial = whole.first((int) (at * whole.size()));

    TokenIds rest = tokensFor(TOKENIZER.bytes(ids.plus(partial)));

    assertThat(partial.plus(rest)).isEqualTo(whole);
  }

  @Property(tries = 100)
  void aCutInsideACharacterLosesNothingOfTheText(
      @ForAll("texts") String prompt, @ForAll @DoubleRange(min = 0, max = 1) double at) {
    // Given
    TokenIds ids = TOKENIZER.encode(prompt + "?");
    TokenIds whole = tokensFor(TOKENIZER.bytes(ids));
    TokenIds partial = whole.first((int) (at * whole.size()));
    String wholeText = shown(ids, whole);

    // When
    TokenIds continuedPrompt = ids.plus(partial);
    TokenIds rest = tokensFor(TOKENIZER.bytes(continuedPrompt));

    // Then
    assertThat(shownSoFar(ids, partial) + shown(continuedPrompt, rest)).isEqualTo(wholeText);
  }

  @Property(tries = 100)
  void aPromptCutAtAnyByteStillContinues(
      @ForAll("texts") String prompt, @ForAll @IntRange(min = 0, max = 3000) int at) {
    byte[] whole = bytesFor(prompt.getBytes(StandardCharsets.UTF_8));
    int length = Math.min(at, whole.length);
    byte[] promptBytes = prompt.getBytes(StandardCharsets.UTF_8);
    byte[] continued = new byte[promptBytes.length + length];
    System.arraycopy(promptBytes, 0, continued, 0, promptBytes.length);
    System.arraycopy(whole, 0, continued, promptBytes.length, length);

    byte[] rest = bytesFor(continued);

    assertThat(rest).isEqualTo(java.util.Arrays.copyOfRange(whole, length, whole.length));
  }

  @Property(tries = 60)
  void aGenerationWithoutAnEndContinuesPastTheNaturalOne(
      @ForAll("texts") String prompt, @ForAll @IntRange(min = 0, max = 900) int tokens) {
    TokenIds ids = TOKENIZER.encode(prompt + "?");
    TokenIds whole = endless(TOKENIZER.bytes(ids), 1000);
    TokenIds partial = whole.first(tokens);

    TokenIds rest = endless(TOKENIZER.bytes(ids.plus(partial)), 1000 - tokens);

    assertThat(partial.plus(rest)).isEqualTo(whole);
  }

  @Property(tries = 200)
  void anAnswerEndsByItself(@ForAll("texts") String prompt) {
    assertThat(tokensFor(prompt.getBytes(StandardCharsets.UTF_8)).size()).isBetween(0, 480);
  }

  @Test
  void aFreshAnswerHasSomeSentences() {
    for (int i = 0; i < 300; i++) {
      byte[] prompt = ("question " + i + "\n").getBytes(StandardCharsets.UTF_8);

      assertThat(tokensFor(prompt).size()).isBetween(40, 480);
    }
  }

  @Test
  void differentPromptsModelsAndChoicesGetDifferentTexts() {
    byte[] prompt = "Tell me about rivers".getBytes(StandardCharsets.UTF_8);

    assertThat(
            List.of(
                first(Generation.of(TOKENIZER, MODEL, prompt, TokenRules.NONE, 0, true, 0)),
                first(Generation.of(TOKENIZER, "other", prompt, TokenRules.NONE, 0, true, 0)),
                first(Generation.of(TOKENIZER, MODEL, prompt, TokenRules.NONE, 1, true, 0)),
                first(
                    Generation.of(
                        TOKENIZER,
                        MODEL,
                        "Tell me about seas".getBytes(StandardCharsets.UTF_8),
                        TokenRules.NONE,
                        0,
                        true,
                        0))))
        .doesNotHaveDuplicates();
  }

  @Test
  void textsContainCharactersOfSeveralBytesAndCode() {
    StringBuilder texts = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      texts.append(textFor("prompt " + i + "\n"));
    }

    assertThat(texts).contains("é", "—", "🚀", "```python\n", "\n\n");
  }

  @Test
  void aPartialAnswerOfAnotherEngineIsTreatedAsANewPrompt() {
    String prompt = "<|im_start|>assistant\nSure, here it is:";

    String whole = textFor(prompt);

    assertThat(whole).isNotEmpty();
    assertThat(textFor(prompt + whole.substring(0, 10))).isEqualTo(whole.substring(10));
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.oneOf(
        Arbitraries.strings().ofMaxLength(60),
        Arbitraries.strings().withChars("aT .\n é—🚀").ofMaxLength(40),
        Arbitraries.of(
            "Tell me about rivers", "Q: why?\nA:", "The", "The ", " ", "", "日本語のテキスト", "x\n\n"),
        // Prompts that contain generated text.
        Arbitraries.integers().between(0, 500).map(i -> "p" + i + textFor("p" + i)));
  }

  private static String cut(String text, double at) {
    int points = text.codePointCount(0, text.length());
    return text.substring(0, text.offsetByCodePoints(0, (int) Math.round(at * points)));
  }

  private static String textFor(String prompt) {
    return new String(bytesFor(prompt.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
  }

  private static byte[] bytesFor(byte[] prompt) {
    return TOKENIZER.bytes(tokensFor(prompt));
  }

  private static TokenIds tokensFor(byte[] prompt) {
    Generation generation = Generation.of(TOKENIZER, MODEL, prompt, TokenRules.NONE, 0, false, 0);
    List<Integer> ids = new ArrayList<>();
    for (int id = generation.nextToken();
        id != Tokenizer.END_OF_TEXT;
        id = generation.nextToken()) {
      ids.add(id);
    }
    return TokenIds.of(ids.stream().mapToInt(Integer::intValue).toArray());
  }

  private static TokenIds endless(byte[] prompt, int tokens) {
    Generation generation = Generation.of(TOKENIZER, MODEL, prompt, TokenRules.NONE, 0, true, 0);
    int[] ids = new int[tokens];
    java.util.Arrays.setAll(ids, i -> generation.nextToken());
    return TokenIds.of(ids);
  }

  private static String first(Generation generation) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      text.append(TOKENIZER.decode(TokenIds.of(generation.nextToken())));
    }
    return text.toString();
  }

  /** Returns the text that a client sees of finished output. */
  private static String shown(TokenIds prompt, TokenIds output) {
    Detokenizer detokenizer = fed(prompt, output);
    return detokenizer.take(true);
  }

  /** Returns the text that a client has seen of interrupted output. */
  private static String shownSoFar(TokenIds prompt, TokenIds output) {
    return fed(prompt, output).take(false);
  }

  private static Detokenizer fed(TokenIds prompt, TokenIds output) {
    Detokenizer detokenizer = new Detokenizer(TOKENIZER, prompt, List.of(), false);
    for (int i = 0; i < output.size(); i++) {
      detokenizer.add(output.get(i), true);
    }
    return detokenizer;
  }
}
