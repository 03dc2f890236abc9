package io.sluice.router.parse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.topic.PoolTopics;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.classify.Classifier;
import io.sluice.router.classify.StandardRules;
import io.sluice.router.request.RequestMetadata.Source;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad input: each kind has one clear message, and an address at which the caller can read it. */
class RequestReaderBadInputTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final Source SOURCE = new Source("sluice.requests.2k", 7, 42);
  private static final String CHAT =
      "{\"model\":\"llama\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final Map<String, Integer> TOPICS =
      Map.of("sluice.replies", 48, "sluice.replies.service", 3);

  /** Shared, for it loads a tokenizer. */
  private static final RequestReader READER =
      RequestReader.forPool(
          Lanes.standard(),
          ModelCatalog.parse("llama=32768,qwen=4096"),
          new Classifier(StandardRules.RULES),
          PoolRules.STANDARD,
          topic ->
              TOPICS.containsKey(topic) ? OptionalInt.of(TOPICS.get(topic)) : OptionalInt.empty(),
          source -> source.offset() >= 40);

  static Stream<Arguments> badInput() {
    return Stream.of(
        bad("nothing", "", "the body is empty; send an OpenAI request as JSON"),
        bad("no JSON", "hello", "the body is not JSON; send an OpenAI request as JSON"),
        bad("half a JSON", "{\"model\":", "the body is not JSON"),
        bad("JSON and more", CHAT + "x", "the body is not JSON"),
        bad("a list", "[1,2]", "the body must be a JSON object, an OpenAI request"),
        bad("a number", "7", "the body must be a JSON object"),
        bad("null", "null", "the body must be a JSON object"),
        bad("deep nesting", "[".repeat(100_000), "the body is nested too deeply"),
        bad("too many parts", "[" + "{},".repeat(600_000) + "1]", "has too many"),
        bad("a number without end", "{\"n\":" + "9".repeat(5_000) + "}", "too long values"),
        bad("no messages", "{\"model\":\"llama\"}", "'messages' must be a non-empty array"),
        bad(
            "empty messages",
            "{\"model\":\"llama\",\"messages\":[]}",
            "'messages' must be a non-empty array"),
        bad(
            "messages as text",
            "{\"model\":\"llama\",\"messages\":\"Hi\"}",
            "'messages' must be a non-empty array"),
        bad(
            "messages that are texts",
            "{\"model\":\"llama\",\"messages\":[\"Hi\"]}",
            "each of 'messages' must be an object with a 'role' and a 'content'"),
        bad(
            "a message without a role",
            "{\"model\":\"llama\",\"messages\":[{\"content\":\"Hi\"}]}",
            "each of 'messages' must be an object"),
        bad("a number as model", chat("\"model\":5"), "'model' must be a model's name"),
        bad("a blank model", chat("\"model\":\" \""), "'model' must be a model's name"),
        bad(
            "an endless model",
            chat("\"model\":\"" + "m".repeat(300) + "\""),
            "'model' must be a model's name, of at most 256 characters"),
        bad(
            "max_tokens as text",
            chat("\"max_tokens\":\"many\""),
            "'max_tokens' must be a whole number"),
        bad("max_tokens below 0", chat("\"max_tokens\":-1"), "'max_tokens' must be a whole number"),
        bad("a broken max_tokens", chat("\"max_tokens\":1.5"), "'max_tokens' must be a whole"),
        bad(
            "a huge max_tokens",
            chat("\"max_tokens\":99999999999"),
            "'max_tokens' must be a whole number"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badInput")
  void aBadBodyIsRefusedWithOneClearMessage(String description, String body, String message) {
    // When
    ParsedRequest reading = READER.read(SOURCE, new RecordHeaders(), body.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading).isInstanceOf(ParsedRequest.Refused.class);
    ParsedRequest.Refused refused = (ParsedRequest.Refused) reading;
    assertThat(refused.kind()).isEqualTo(ErrorKind.INVALID_REQUEST);
    assertThat(refused.message()).contains(message).hasSizeLessThan(400);
    assertThat(refused.metadata().replyTo().topic()).isEqualTo("sluice.replies");
  }

  static Stream<Arguments> badHeaders() {
    return Stream.of(
        badHeader("deadline", "soon", "header 'deadline' must be epoch milliseconds"),
        badHeader("deadline", "-5", "header 'deadline' must be epoch milliseconds"),
        badHeader("timeout-ms", "1 minute", "header 'timeout-ms' must be a number"),
        badHeader("priority", "yesterday", "header 'priority' must be urgent, interactive or bulk"),
        badHeader("endpoint", "/v1/embeddings", "header 'endpoint' must be /v1/chat/completions"),
        badHeader("reply-partition", "999", "reply-partition 999 does not exist: topic"),
        badHeader("reply-partition", "x", "header 'reply-partition' must be a partition number"),
        badHeader("reply-to", "sluice.outcomes", "reply-to must be sluice.replies or a topic"),
        badHeader("reply-to", "sluice.repliesx", "reply-to must be sluice.replies or a topic"),
        badHeader(
            "reply-to", "sluice.replies.nobody", "reply topic 'sluice.replies.nobody' does not"),
        badHeader("request-id", "r".repeat(300), "header 'request-id' must be at most 256"),
        badHeader("tenant", "t".repeat(300), "header 'tenant' must be at most 256 characters"),
        badHeader("tier", "t".repeat(300), "header 'tier' must be one of auto, fast, balanced"),
        badHeader(
            "fallback-model", "m".repeat(300), "header 'fallback-model' must be at most 256"));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("badHeaders")
  void aBadHeaderIsRefusedWithOneClearMessageWhereTheCallerCanReadIt(
      String name, String value, String message) {
    // When
    ParsedRequest reading = READER.read(SOURCE, headers(name, value), CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading).isInstanceOf(ParsedRequest.Refused.class);
    assertThat(((ParsedRequest.Refused) reading).kind()).isEqualTo(ErrorKind.INVALID_REQUEST);
    assertThat(((ParsedRequest.Refused) reading).message())
        .startsWith(message)
        .hasSizeLessThan(400);
    ReplyAddress address = reading.metadata().replyTo();
    assertThat(address.topic()).isEqualTo("sluice.replies");
    assertThat(address.partition()).isBetween(0, 47);
    assertThat(reading.metadata().tenant()).hasSizeLessThanOrEqualTo(256);
  }

  @Test
  void anUnknownModelIsRefusedWithTheModelsThereAre() {
    // When
    ParsedRequest reading = read(chat("\"model\":\"gpt-9\""));

    // Then
    ParsedRequest.Refused refused = (ParsedRequest.Refused) reading;
    assertThat(refused.kind()).isEqualTo(ErrorKind.MODEL_NOT_FOUND);
    assertThat(refused.message())
        .isEqualTo("this pool does not serve the model 'gpt-9'; available models: llama, qwen");
  }

  @Test
  void aPromptLongerThanAnyWorkerOfTheModelHoldsIsRefused() {
    // When
    ParsedRequest reading =
        read(
            "{\"model\":\"qwen\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                .formatted("many words ".repeat(5_000)));

    // Then
    ParsedRequest.Refused refused = (ParsedRequest.Refused) reading;
    assertThat(refused.kind()).isEqualTo(ErrorKind.CONTEXT_LENGTH_EXCEEDED);
    assertThat(refused.message()).contains("'qwen' is 4096 tokens", "shorten the prompt");
  }

  @Test
  void aPromptThatMayBeCutFromTheLeftIsNotTooLong() {
    // When
    ParsedRequest whole =
        read(
            "{\"model\":\"qwen\",\"max_tokens\":96,\"truncate_prompt_tokens\":-1,\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                .formatted("many words ".repeat(5_000)));
    ParsedRequest part =
        read(
            "{\"model\":\"qwen\",\"max_tokens\":96,\"truncate_prompt_tokens\":1000,\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                .formatted("many words ".repeat(5_000)));

    // Then
    assertThat(((ParsedRequest.Accepted) whole).metadata().promptTokens()).isEqualTo(4_000);
    assertThat(((ParsedRequest.Accepted) part).metadata().promptTokens()).isEqualTo(1_000);
  }

  @Test
  void anInvalidLengthToCutToIsRefused() {
    assertThat(((ParsedRequest.Refused) read(chat("\"truncate_prompt_tokens\":\"all\""))).message())
        .contains("'truncate_prompt_tokens' must be a whole number, at least -1");
    assertThat(((ParsedRequest.Refused) read(chat("\"truncate_prompt_tokens\":-2"))).kind())
        .isEqualTo(ErrorKind.INVALID_REQUEST);
  }

  @Test
  void promptAndOutputTogetherMustFit() {
    // When
    ParsedRequest reading = read(chat("\"model\":\"qwen\",\"max_tokens\":6000"));

    // Then
    assertThat(((ParsedRequest.Refused) reading).kind())
        .isEqualTo(ErrorKind.CONTEXT_LENGTH_EXCEEDED);
  }

  @Test
  void fiveMegabytesOfPromptAreRefusedAsTooLong() {
    // When
    ParsedRequest reading = read(CHAT.replace("Hi", "lorem ipsum ".repeat(450_000)));

    // Then
    assertThat(((ParsedRequest.Refused) reading).kind())
        .isEqualTo(ErrorKind.CONTEXT_LENGTH_EXCEEDED);
  }

  @Test
  void moreThanEightMebibytesAreRefusedBeforeAnybodyReadsThem() {
    // When
    ParsedRequest reading =
        READER.read(
            SOURCE,
            headers("large", "x".repeat(100_000)),
            new byte[PoolTopics.MAX_REQUEST_BYTES - 50_000],
            NOW);

    // Then
    assertThat(((ParsedRequest.Refused) reading).message())
        .isEqualTo("the request has more than 8388608 bytes, headers included; shorten it");
  }

  private ParsedRequest read(String body) {
    return READER.read(SOURCE, new RecordHeaders(), body.getBytes(UTF_8), NOW);
  }

  private static String chat(String field) {
    return "{%s,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
        .formatted(field.contains("model") ? field : "\"model\":\"llama\"," + field);
  }

  private static Headers headers(String name, String value) {
    return new RecordHeaders().add(name, value.getBytes(UTF_8));
  }

  private static Arguments bad(String description, String body, String message) {
    return Arguments.of(description, body, message);
  }

  private static Arguments badHeader(String name, String value, String message) {
    return Arguments.of(name, value, message);
  }
}
