package io.sluice.common.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Choices of the same answers, streamed and whole: the merged chunks must equal the whole one. The
 * answers of {@code vLLM} are recorded, except for the random ids of tool calls; the others follow
 * OpenAI's reference.
 */
class MergedChoiceTest {

  /** The choice of an answer in both forms. */
  record Pair(String name, Endpoint endpoint, List<JsonNode> chunks, JsonNode whole) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Pair> pairs() throws IOException {
    List<Pair> pairs = new ArrayList<>();
    try (InputStream file = MergedChoiceTest.class.getResourceAsStream("choices.json")) {
      for (JsonNode pair : Json.mapper().readTree(Objects.requireNonNull(file))) {
        List<JsonNode> chunks = new ArrayList<>();
        pair.path("chunks").forEach(chunks::add);
        JsonNode whole = pair.path("whole");
        Endpoint endpoint = whole.has("message") ? Endpoint.CHAT_COMPLETIONS : Endpoint.COMPLETIONS;
        pairs.add(new Pair(pair.path("name").asText(), endpoint, chunks, whole));
      }
    }
    return pairs.stream();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void whatWasStreamedIsTheWholeAnswer(Pair pair) {
    var choice = new MergedChoice(pair.whole().path("index").asInt());

    pair.chunks().forEach(choice::add);

    assertThat(withoutNothing(choice.toWhole(pair.endpoint())))
        .isEqualTo(withoutNothing(pair.whole().deepCopy()));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aCompactChoiceIsWrittenAsAnyOther(Pair pair) {
    var choice = new MergedChoice(pair.whole().path("index").asInt());
    var compact = MergedChoice.compact(pair.whole().path("index").asInt());

    pair.chunks().forEach(choice::add);
    pair.chunks().forEach(compact::add);

    assertThat(Json.text(compact.toWhole(pair.endpoint())))
        .isEqualTo(Json.text(choice.toWhole(pair.endpoint())));
    assertThat(Json.text(compact.toChunk(pair.endpoint())))
        .isEqualTo(Json.text(choice.toChunk(pair.endpoint())));
  }

  /** As for a reader of an answer that was not streamed: the end repeats what it has read. */
  @ParameterizedTest
  @MethodSource("pairs")
  void whatAWholeAnswerAddsToWhatWasReadCompletesIt(Pair pair) {
    for (int read = 0; read <= pair.chunks().size(); read++) {
      var choice = new MergedChoice(pair.whole().path("index").asInt());
      pair.chunks().subList(0, read).forEach(choice::add);
      ObjectNode closing = pair.whole().deepCopy();
      WholeAnswers.toDelta(closing);

      var measured = MergedChoice.measured(pair.whole().path("index").asInt());
      pair.chunks().subList(0, read).forEach(measured::add);
      ObjectNode ofMeasured = closing.deepCopy();

      choice.removeFrom(closing);
      measured.removeFrom(ofMeasured);
      assertThat(ofMeasured).isEqualTo(closing);

      choice.add(closing);

      assertThat(withoutNothing(choice.toWhole(pair.endpoint())))
          .as("after %d chunks, and then %s", read, closing)
          .isEqualTo(withoutNothing(pair.whole().deepCopy()));
    }
  }

  /** As in a worker: several chunks are merged into one, and the end arrives separately. */
  @ParameterizedTest
  @MethodSource("pairs")
  void howChunksWereGatheredMakesNoDifference(Pair pair) {
    int index = pair.whole().path("index").asInt();
    var all = new MergedChoice(index);
    for (int from = 0; from < pair.chunks().size(); from += 3) {
      var some = new MergedChoice(index);
      pair.chunks().subList(from, Math.min(from + 3, pair.chunks().size())).forEach(some::add);
      all.add(some.toChunk(pair.endpoint()));
    }
    var last = new MergedChoice(index);
    pair.chunks().forEach(last::add);

    all.add(last.toClosingChunk(pair.endpoint()));

    assertThat(withoutNothing(all.toWhole(pair.endpoint())))
        .isEqualTo(withoutNothing(pair.whole().deepCopy()));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aWholeAnswerIsAStreamOfOneChunk(Pair pair) {
    JsonNode chunk = pair.whole().deepCopy();
    WholeAnswers.toDelta(chunk);
    var choice = new MergedChoice(pair.whole().path("index").asInt());

    choice.add(chunk);

    assertThat(withoutNothing(choice.toWhole(pair.endpoint())))
        .isEqualTo(withoutNothing(pair.whole().deepCopy()));
  }

  @Test
  void textThatWasThereBeforePrecedesWhatComes() throws IOException {
    var choice = new MergedChoice(0);

    choice.begin("Once ");
    choice.add(chunk("{\"delta\":{\"content\":\"upon\"}}"));

    assertThat(choice.toWhole(Endpoint.CHAT_COMPLETIONS).at("/message/content").asText())
        .isEqualTo("Once upon");
  }

  @Test
  void aNonTextValueDoesNotReplaceTheText() throws IOException {
    var choice = new MergedChoice(0);

    choice.add(
        chunk("{\"delta\":{\"role\":null,\"content\":\"a\"},\"message\":{\"content\":\"other\"}}"));
    choice.add(chunk("{\"delta\":{\"content\":[{\"type\":\"thinking\"}]}}"));
    choice.add(chunk("{\"delta\":{\"content\":null}}"));
    choice.add(chunk("{\"delta\":{\"content\":\"b\"}}"));

    JsonNode whole = choice.toWhole(Endpoint.CHAT_COMPLETIONS);
    assertThat(whole.path("message"))
        .isEqualTo(chunk("{\"role\":\"assistant\",\"content\":\"ab\"}"));
    assertThat(whole.path("finish_reason").isNull()).isTrue();
  }

  private static JsonNode chunk(String json) throws IOException {
    return Json.mapper().readTree(json);
  }

  @Test
  void longTextsOfAnyFieldAreMergedInOneGo() throws IOException {
    var choice = new MergedChoice(0);
    JsonNode piece = chunk("{\"delta\":{\"reasoning\":\"0123456789\"}}");

    for (int i = 0; i < 200_000; i++) {
      choice.add(piece);
    }

    assertThat(choice.toWhole(Endpoint.CHAT_COMPLETIONS).at("/message/reasoning").asText())
        .hasSize(2_000_000);
  }

  /**
   * Whole answers contain null for absent fields; streams omit them or begin with an empty text.
   */
  private static JsonNode withoutNothing(JsonNode value) {
    if (value instanceof ObjectNode object) {
      List<String> empty = new ArrayList<>();
      for (var field : object.properties()) {
        withoutNothing(field.getValue());
        if (isNothing(field.getValue())) {
          empty.add(field.getKey());
        }
      }
      object.remove(empty);
    } else {
      value.forEach(MergedChoiceTest::withoutNothing);
    }
    return value;
  }

  private static boolean isNothing(JsonNode value) {
    boolean isEmptyList = value.isArray() && value.isEmpty();
    boolean isEmptyText = value.isTextual() && value.asText().isEmpty();
    return value.isNull() || isEmptyList || isEmptyText;
  }
}
