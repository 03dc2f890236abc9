package io.sluice.worker.engine.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.MergedChoice;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** A frame that is read without a tree must say what its tree says. */
class TextFrameTest {
  private static final String VLLM =
      """
      {"id":"chatcmpl-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[\
      {"index":0,"delta":{"content":" the"},"logprobs":null,"finish_reason":null,"token_ids":[262]}],\
      "usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3}}""";

  /** Values as engines send them, and values that no engine should send. */
  private static final List<String> VALUES =
      List.of("null", "\"a\"", "\"\"", "0", "1", "true", "[]", "[5,6]", "[[1]]", "{}", "{\"a\":1}");

  @Provide
  Arbitrary<String> frames() {
    Arbitrary<String> usual =
        choice(
            object(
                Map.of("content", texts(), "reasoning", texts(), "role", texts()), List.of(0, 1)));
    Arbitrary<String> any =
        choice(object(Map.of("content", values(), "tool_calls", values()), List.of(0, 1, 2)));
    Arbitrary<String> choices =
        Arbitraries.frequencyOf(Tuple.of(4, usual), Tuple.of(1, any))
            .list()
            .ofMinSize(1)
            .ofMaxSize(2)
            .map(list -> list.stream().collect(Collectors.joining(",", "[", "]")));
    Arbitrary<String> usage =
        object(
            Map.of(
                "prompt_tokens", values(),
                "completion_tokens", Arbitraries.of("3", "4", "null"),
                "prompt_tokens_details", Arbitraries.of("null", "{\"cached_tokens\":2}")),
            List.of(1, 2, 3));
    return object(
            Map.of(
                "id",
                values(),
                "model",
                values(),
                "system_fingerprint",
                nullMostly(),
                "usage",
                usage),
            List.of(0, 1, 2, 3))
        .flatMap(
            around ->
                choices.map(
                    list ->
                        around.replaceFirst(
                            "\\{", "{\"choices\":" + list + (around.equals("{}") ? "" : ","))));
  }

  private static Arbitrary<String> choice(Arbitrary<String> delta) {
    return object(
            Map.of(
                "index", Arbitraries.of("0", "0", "0", "1"),
                "finish_reason", nullMostly(),
                "logprobs", nullMostly(),
                "token_ids", Arbitraries.of("null", "[]", "[1,2]", "[1.5]", "3")),
            List.of(0, 1, 2, 3, 4))
        .flatMap(
            fields ->
                Combinators.combine(delta, Arbitraries.of(true, false), texts())
                    .as(
                        (chat, isChat, text) ->
                            fields.replaceFirst(
                                "}$",
                                (fields.equals("{}") ? "" : ",")
                                    + (isChat ? "\"delta\":" + chat : "\"text\":" + text)
                                    + "}")));
  }

  private static Arbitrary<String> values() {
    return Arbitraries.of(VALUES);
  }

  private static Arbitrary<String> nullMostly() {
    return Arbitraries.of("null", "null", "null", "null", "\"stop\"", "{\"a\":1}");
  }

  private static Arbitrary<String> texts() {
    return Arbitraries.of("\"a\"", "\"\"", "\"\\u00e9\\n\"", "\" the\"");
  }

  private static Arbitrary<String> object(
      Map<String, Arbitrary<String>> fields, List<Integer> sizes) {
    return Arbitraries.of(sizes)
        .flatMap(
            size ->
                Arbitraries.of(List.copyOf(fields.keySet()))
                    .set()
                    .ofSize(size)
                    .flatMap(
                        names ->
                            Combinators.combine(
                                    names.stream()
                                        .map(
                                            name ->
                                                fields
                                                    .get(name)
                                                    .map(value -> "\"" + name + "\":" + value))
                                        .toList())
                                .as(list -> "{" + String.join(",", list) + "}")));
  }

  @Property
  void itSaysWhatItsTreeSays(@ForAll("frames") String json) throws IOException {
    var read = TextFrame.parse(json.getBytes(UTF_8));
    if (read.isEmpty()) {
      return;
    }
    TextFrame frame = read.get();
    JsonNode tree = Json.tree(json.getBytes(UTF_8));
    ObjectNode choice = (ObjectNode) tree.at("/choices/0");
    List<Integer> ids = new ArrayList<>();
    choice.path(Choice.TOKEN_IDS).forEach(id -> ids.add(id.asInt()));
    assertThat(tree.path("choices")).hasSize(1);
    assertThat(choice.path("index").asInt()).isZero();
    assertThat(choice.path("finish_reason").isTextual()).isFalse();
    assertThat(frame.tokenIds()).isEqualTo(ids);
    assertThat(frame.usage()).isEqualTo(Usage.parse(tree.path("usage")));
    assertThat(!frame.chunk().text().isEmpty()).isEqualTo(Choice.firstOfChunk(tree).hasOutput());
    assertThat(tree.path("system_fingerprint").isContainerNode()).isFalse();
    assertThat(tree.path("system_fingerprint").isTextual()).isFalse();
    choice.remove(Choice.TOKEN_IDS);
    var expected = new MergedChoice(0);
    expected.add(choice);
    var merged = new MergedChoice(0);
    merged.addText(frame.chunk().field(), frame.chunk().text());
    for (Endpoint endpoint : List.of(Endpoint.CHAT_COMPLETIONS, Endpoint.COMPLETIONS)) {
      assertThat(merged.toChunk(endpoint)).isEqualTo(expected.toChunk(endpoint));
    }
  }

  @Property
  void itIsCountedLikeItsTree(@ForAll("frames") String first, @ForAll("frames") String second) {
    assertThat(events(List.of(first, second, VLLM, second), false))
        .isEqualTo(events(List.of(first, second, VLLM, second), true));
  }

  @Example
  void framesOfVllmAreReadWithoutATree() {
    assertThat(TextFrame.parse(VLLM.getBytes(UTF_8))).isPresent();
    assertThat(TextFrame.parse("{\"choices\":[{\"index\":0,\"text\":\"a\"}]}".getBytes(UTF_8)))
        .isPresent();
    assertThat(TextFrame.parse((VLLM + "{}").getBytes(UTF_8))).isEmpty();
    assertThat(TextFrame.parse(VLLM.substring(0, VLLM.length() - 1).getBytes(UTF_8))).isEmpty();
  }

  @Example
  void framesThatSayMoreAreNotTextFrames() {
    for (String choices :
        List.of(
            "{\"delta\":{\"content\":\"a\"},\"text\":\"b\"}",
            "{\"delta\":{\"content\":\"a\"},\"token_ids\":[1],\"token_ids\":[2]}",
            "{\"delta\":{\"content\":\"a\",\"refusal\":\"b\"}}",
            "{\"delta\":{\"content\":\"a\"}},{}",
            "{\"delta\":{\"role\":\"assistant\"}}",
            "{\"delta\":{}}",
            "")) {
      byte[] frame = "{\"choices\":[%s]}".formatted(choices).getBytes(UTF_8);
      assertThat(TextFrame.parse(frame)).as(choices).isEmpty();
    }
  }

  /** Returns what a reader makes of frames; a field that no reader knows makes it read a tree. */
  private static List<String> events(List<String> frames, boolean asTrees) {
    var reader = new ChunkReader();
    List<String> events = new ArrayList<>();
    for (String frame : frames) {
      String sent = asTrees ? frame.replaceFirst("}$", ",\"unknown\":true}") : frame;
      try {
        reader
            .read(sent.getBytes(UTF_8))
            .ifPresent(
                event -> {
                  var tokens = (EngineEvent.Tokens) event;
                  events.add(
                      "%d %s %s"
                          .formatted(tokens.completionTokens(), tokens.tokenIds(), tokens.usage()));
                });
      } catch (EngineException e) {
        events.add(String.valueOf(e.getMessage()));
        return events;
      }
    }
    return events;
  }
}
