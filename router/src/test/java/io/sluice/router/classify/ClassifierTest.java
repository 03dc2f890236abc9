package io.sluice.router.classify;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClassifierTest {
  private final Classifier classifier = new Classifier(StandardRules.RULES);

  @ParameterizedTest
  @CsvSource({
    // words, code block, max_tokens, temperature, tiers in order
    "10,    false, 0,    1.0, fast balanced precise",
    "150,   false, 512,  0.0, fast balanced precise",
    "151,   false, 0,    1.0, balanced precise fast",
    "10,    false, 513,  1.0, balanced precise fast",
    "300,   false, 1024, 0.0, balanced precise fast",
    "301,   false, 0,    0.3, precise balanced fast",
    "301,   false, 0,    0.4, balanced precise fast",
    "10,    false, 1025, 0.3, precise balanced",
    "10,    false, 1025, 0.4, balanced precise",
    "10,    true,  0,    0.3, precise balanced",
    "10,    true,  0,    1.0, balanced precise",
  })
  void aRequestThatNamesNoTierIsPutIntoOneByTheRules(
      int words, boolean code, long maxTokens, double temperature, String tiers) {
    // Given
    ObjectNode body = chat("word ".repeat(words) + (code ? " ```x``` " : ""));
    body.put("temperature", temperature);

    // When
    Classification found = classify(classifier, body, maxTokens, Optional.empty());

    // Then
    assertThat(found.tiers()).containsExactly(tiers.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "fast,     fast balanced precise",
    "balanced, balanced precise",
    "precise,  precise balanced",
    "auto,     balanced precise"
  })
  void codeDegradesToTheQuickestTierOnlyIfThatWasNamed(String tier, String tiers) {
    assertThat(classify(classifier, chat("```x```"), 0, Optional.of(tier)).tiers())
        .containsExactly(tiers.split(" "));
  }

  @Test
  void aPoolMayHaveOtherTiersOrNone() {
    // Given
    ObjectNode body = chat("```x```");
    Classifier one = new Classifier(ClassifierRules.parse("only", "150,300", "512,1024", 0.3));
    Classifier two = new Classifier(ClassifierRules.parse("s, l", "150,300", "512,1024", 0.3));
    Classifier none = new Classifier(ClassifierRules.parse("", "150,300", "512,1024", 0.3));

    // Then
    assertThat(classify(one, body, 0, Optional.empty()).tiers()).containsExactly("only");
    assertThat(classify(two, body, 0, Optional.empty()).tiers()).containsExactly("l");
    assertThat(classify(none, body, 0, Optional.of("auto")).tiers()).isEmpty();
    assertThat(none.problem(Optional.of("fast")))
        .contains("this pool has no tiers; remove the header 'tier'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Write a Python function that sorts a list",
        "```\nx\n```",
        "import os\n\ndef main():\n    return 1",
        "Why does this SQL fail: SELECT a FROM b"
      })
  void codeIsToldByHowItBegins(String prompt) {
    assertThat(classify(classifier, chat(prompt), 0, Optional.empty()).text()).contains("code");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Why is the sky blue?", "Tell me of the island of Java", "Return to sender", ""})
  void otherTextIsOfNoKind(String prompt) {
    assertThat(classify(classifier, chat(prompt), 0, Optional.empty()).text()).isEmpty();
  }

  @Test
  void codeFarBehindTheBeginningIsNotLookedFor() {
    assertThat(
            classify(
                    classifier, chat("word ".repeat(50) + "a Python function"), 0, Optional.empty())
                .text())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"best_of\":2}                                      | best_of",
        "{\"best_of\":1}                                      | ''",
        "{\"use_beam_search\":true}                           | beam_search",
        "{\"tools\":[{}]}                                     | tools",
        "{\"tools\":[]}                                       | ''",
        "{\"response_format\":{\"type\":\"json_schema\"}}     | structured_outputs",
        "{\"response_format\":{\"type\":\"text\"}}            | ''",
        "{\"guided_json\":{}}                                 | structured_outputs",
        "{\"logprobs\":true}                                  | logprobs",
        "{\"logprobs\":5,\"best_of\":3}                       | best_of logprobs"
      })
  void optionsThatEnginesMayRefuseAreNeeds(String body, String needs) throws IOException {
    // Given
    var json = (ObjectNode) Json.tree(body.getBytes(StandardCharsets.UTF_8));

    // When
    Classification found = classify(classifier, json, 0, Optional.empty());

    // Then
    assertThat(String.join(" ", found.needs())).isEqualTo(needs);
  }

  @Test
  void aBodyIsNeverLongerForWhatIsLeftOut() {
    // Given
    String kept = "\"n\" : [1e9, 1e400, \"\uD83D\uDE00 \\ud800 \\/\"]";
    String body = " { \"best_of\" : 2 , %s , \"best_of\":[{}] } ".formatted(kept);

    // When
    byte[] without = EngineOptions.without(body.getBytes(UTF_8), List.of("best_of"));

    // Then
    assertThat(new String(without, UTF_8)).isEqualTo("{" + kept + "}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[1]", "{\"best_of\":", "{} x", "{\"best_of\":2}"})
  void whatIsLeftIsNoLongerThanItWas(String body) {
    byte[] without = EngineOptions.without(body.getBytes(UTF_8), List.of("best_of"));
    assertThat(without).hasSizeLessThanOrEqualTo(body.length());
  }

  @Test
  void aBodyThatIsNotUtf8StaysAsItIs() {
    byte[] body = "{\"best_of\":2}".getBytes(UTF_16);
    assertThat(EngineOptions.without(body, List.of("best_of"))).isSameAs(body);
  }

  @Test
  void anOptionThatOnlyChoosesAmongAnswersIsLeftOut() {
    // Given
    String body = "{\"n\":1,\"best_of\":4,\"use_beam_search\":true,\"tools\":[{}]}";

    // When
    byte[] without =
        EngineOptions.without(
            body.getBytes(StandardCharsets.UTF_8), List.of("best_of", "beam_search", "tools"));

    // Then
    assertThat(new String(without, StandardCharsets.UTF_8)).isEqualTo("{\"n\":1,\"tools\":[{}]}");
  }

  @Test
  void oddBodiesAreClassifiedAsWell() {
    // Given
    ObjectNode odd = Json.mapper().createObjectNode();
    odd.put("temperature", "hot").put("prompt", 5).put("tools", "x").put("logprobs", "y");
    odd.putArray("messages").add(5).addObject().putArray("content").add("x").addNull();

    // Then
    assertThat(classify(classifier, odd, 0, Optional.empty()).needs()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"150", "300,150", "a,b", ""})
  void thresholdsAreTwoNumbers(String words) {
    assertThatThrownBy(() -> ClassifierRules.parse("fast", words, "512,1024", 0.3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tier words");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fast,fast", "auto,fast"})
  void tiersAreDifferentNames(String tiers) {
    assertThatThrownBy(() -> ClassifierRules.parse(tiers, "1,2", "1,2", 0.3))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static ObjectNode chat(String... contents) {
    ObjectNode body = Json.mapper().createObjectNode();
    var messages = body.putArray("messages");
    Arrays.stream(contents)
        .forEach(content -> messages.addObject().put("role", "user").put("content", content));
    return body;
  }

  private static Classification classify(
      Classifier classifier, ObjectNode body, long outputTokens, Optional<String> tier) {
    return classifier.classify(
        new OpenAiRequest(Endpoint.CHAT_COMPLETIONS, body), outputTokens, tier);
  }
}
