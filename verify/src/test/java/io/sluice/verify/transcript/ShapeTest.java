package io.sluice.verify.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import io.sluice.verify.http.EngineClient;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ShapeTest {

  private static final Wording WORDING =
      new Wording(
          new Engine(
              new EngineClient(URI.create("http://localhost:1/v1/"), Optional.empty()),
              "tiny",
              2048,
              List.of("adapter"),
              "0.32.0"));

  @Test
  void keysAreComparedInOrderLeavesByTypeAndTellingValuesByValue() {
    assertThat(shape("{\"object\":\"list\",\"n\":3,\"text\":\"abc\",\"none\":null}"))
        .containsExactly(
            "answer {object, n, text, none}",
            "object: list",
            "n: number",
            "text: string",
            "none: null");
  }

  @Test
  void itemsOfAListAreMergedIntoOne() {
    assertThat(shape("{\"choices\":[{\"index\":0},{\"index\":1}],\"ids\":[1,2],\"empty\":[]}"))
        .containsExactly(
            "answer {choices, ids, empty}",
            "choices[*] {index}",
            "choices[*].index: number",
            "ids[*]: number",
            "empty: []");
  }

  @Test
  void namesContextsAndRandomIdsMayDifferBetweenEngines() {
    assertThat(
            shape(
                "{\"id\":\"chatcmpl-0123456789abcdef\",\"message\":\"tiny of 2048 and adapter, not tiny2 or 20480\"}"))
        .contains("id: chatcmpl-RANDOM", "message: MODEL of CONTEXT and LORA, not tiny2 or 20480");
  }

  @Test
  void objectsKeyedByTokenHaveNoKeysInTheirShape() {
    assertThat(shape("{\"top_logprobs\":[{\" a\":-1.5,\"b\":-2}]}"))
        .contains("top_logprobs[*] {*}", "top_logprobs[*].*: number");
  }

  @Test
  void anEndThatDependsOnChanceIsLeftOut() {
    assertThat(
            Shape.of(
                EngineAnswer.json("{\"finish_reason\":\"stop\",\"stop_reason\":7}"),
                WORDING,
                Request.Comparison.ANY_END))
        .contains("finish_reason: an end", "stop_reason: an end");
  }

  private static java.util.Set<String> shape(String json) {
    return Shape.of(EngineAnswer.json(json), WORDING, Request.Comparison.ALL);
  }
}
