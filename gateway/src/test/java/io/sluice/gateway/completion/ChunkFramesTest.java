package io.sluice.gateway.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.Utf8Text;
import io.sluice.producer.reply.AnswerBuilder;
import io.sluice.producer.reply.ReplyEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ChunkFramesTest {
  private static final String CLOSING =
      """
      {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"total_tokens":3}}
      """
          .strip();

  @Test
  void tokensArePassedOnAsTheyCome() throws IOException {
    // Given
    ChunkFrames frames = frames("{}");

    // Then
    assertThat(texts(frames, tokens("{\"a\":1}", 1))).containsExactly("{\"a\":1}");
    assertThat(frames.isEnded()).isFalse();
  }

  @Test
  void theUsageOfTheClosingChunkIsDroppedIfItWasNotAskedFor() throws IOException {
    // Given
    ChunkFrames frames = frames("{}");

    // When
    List<String> last = texts(frames, completed(CLOSING));

    // Then
    assertThat(last).hasSize(1);
    assertThat(last.getFirst()).contains("finish_reason").doesNotContain("usage");
    assertThat(frames.isEnded()).isTrue();
  }

  @Test
  void theUsageThatWasAskedForHasAChunkOfItsOwn() throws IOException {
    // Given
    ChunkFrames frames = frames("{\"stream_options\":{\"include_usage\":true}}");

    // When
    List<String> last = texts(frames, completed(CLOSING));

    // Then
    assertThat(last).hasSize(2);
    assertThat(last.getFirst()).doesNotContain("usage");
    assertThat(last.getLast())
        .isEqualTo("{\"id\":\"c\",\"choices\":[],\"usage\":{\"total_tokens\":3}}");
  }

  @Test
  void aClosingChunkWithHeldBackTextIsSentOnce() throws IOException {
    // Given
    ChunkFrames frames = frames("{}");

    // Then
    assertThat(texts(frames, tokens(CLOSING, 0))).isEmpty();
    assertThat(texts(frames, completed(CLOSING))).hasSize(1);
  }

  @Test
  void tokensWithoutACountThatAreNotTheEndAreNotLost() throws IOException {
    // Given
    ChunkFrames frames = frames("{}");

    // Then
    assertThat(texts(frames, tokens("{\"a\":1}", 0))).isEmpty();
    assertThat(texts(frames, tokens("{\"b\":1}", 1))).containsExactly("{\"a\":1}", "{\"b\":1}");
    assertThat(texts(frames, tokens("{\"c\":1}", 0))).isEmpty();
    assertThat(texts(frames, tokens("{\"d\":1}", 0))).containsExactly("{\"c\":1}");
    assertThat(texts(frames, new ReplyEvent.Resumed(2, 3, Optional.empty())))
        .containsExactly("{\"d\":1}");
    assertThat(texts(frames, tokens("{\"e\":1}", 0))).isEmpty();
    assertThat(texts(frames, completed(CLOSING)).getFirst()).isEqualTo("{\"e\":1}");
  }

  @Test
  void anErrorIsTheLastFrame() throws IOException {
    // Given
    ChunkFrames frames = frames("{}");
    texts(frames, tokens("{\"a\":1}", 1));

    // When
    List<String> last =
        texts(
            frames,
            new ReplyEvent.Failed(
                ErrorKind.ENGINE_ERROR, "three attempts failed", OptionalLong.empty(), "{}"));

    // Then
    assertThat(last)
        .containsExactly(
            "{\"error\":{\"message\":\"three attempts failed\",\"type\":\"api_error\","
                + "\"param\":null,\"code\":\"engine_error\"}}");
    assertThat(frames.isEnded()).isTrue();
  }

  @Test
  void anAnswerThatBeginsAgainAfterTokensWereSentIsAnError() throws IOException {
    // Given
    ChunkFrames fresh = frames("{}");
    ChunkFrames begun = frames("{}");
    texts(begun, tokens("{\"a\":1}", 1));

    // When
    var restarted = new ReplyEvent.Restarted(2, 1, Optional.empty());

    // Then
    assertThat(texts(fresh, restarted)).isEmpty();
    assertThat(fresh.isEnded()).isFalse();
    assertThat(texts(begun, restarted)).singleElement().asString().contains("\"error\"");
    assertThat(begun.isEnded()).isTrue();
  }

  private static List<String> texts(ChunkFrames frames, ReplyEvent event) {
    return frames.of(event).stream().map(Utf8Text::toString).toList();
  }

  private static ChunkFrames frames(String body) throws IOException {
    byte[] json = body.getBytes(StandardCharsets.UTF_8);
    return new ChunkFrames(OpenAiRequest.parse(Endpoint.COMPLETIONS, json).streamUsage());
  }

  private static ReplyEvent tokens(String json, int count) {
    return new ReplyEvent.Tokens(
        "t", 0, count, OptionalLong.empty(), Optional.empty(), Utf8Text.of(json));
  }

  private static ReplyEvent completed(String json) {
    return new ReplyEvent.Completed(
        AnswerBuilder.builder()
            .requestId("id")
            .text("t")
            .finishReason("stop")
            .usage(Usage.NONE)
            .json("{}")
            .fallback(false)
            .attempts(1)
            .firstTokenMillis(OptionalLong.empty())
            .latencyMillis(OptionalLong.empty())
            .build(),
        Utf8Text.of(json));
  }
}
