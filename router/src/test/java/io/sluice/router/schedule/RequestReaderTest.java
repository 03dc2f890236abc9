package io.sluice.router.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.PoolTopics;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.schedule.RequestFacts.Source;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestReaderTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final Source SOURCE = new Source("sluice.requests.2k", 7, 42);
  private static final String CHAT =
      "{\"model\":\"llama\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final Map<String, Integer> TOPICS =
      Map.of("sluice.replies", 48, "sluice.replies.service", 3);

  private final RequestReader reader =
      RequestReader.forPool(
          Lanes.standard(),
          ModelCatalogue.parse("llama=32768,qwen=4096"),
          512,
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
        bad("deep nesting", "[".repeat(100_000), "the body is not JSON"),
        bad("a number without end", "{\"n\":" + "9".repeat(5_000) + "}", "the body is not JSON"),
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
    Reading reading = reader.read(SOURCE, new RecordHeaders(), body.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading).isInstanceOf(Reading.Refused.class);
    Reading.Refused refused = (Reading.Refused) reading;
    assertThat(refused.kind()).isEqualTo(ErrorKind.INVALID_REQUEST);
    assertThat(refused.message()).contains(message).hasSizeLessThan(400);
    assertThat(refused.facts().replyTo().topic()).isEqualTo("sluice.replies");
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
        badHeader("tier", "t".repeat(300), "header 'tier' must be at most 256 characters"));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("badHeaders")
  void aBadHeaderIsRefusedWithOneClearMessageWhereTheCallerCanReadIt(
      String name, String value, String message) {
    // When
    Reading reading = reader.read(SOURCE, headers(name, value), CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading).isInstanceOf(Reading.Refused.class);
    assertThat(((Reading.Refused) reading).kind()).isEqualTo(ErrorKind.INVALID_REQUEST);
    assertThat(((Reading.Refused) reading).message()).startsWith(message).hasSizeLessThan(400);
    ReplyAddress address = reading.facts().replyTo();
    assertThat(address.topic()).isEqualTo("sluice.replies");
    assertThat(address.partition()).isBetween(0, 47);
    assertThat(reading.facts().tenant()).hasSizeLessThanOrEqualTo(256);
  }

  @Test
  void anUnknownModelIsRefusedWithTheModelsThereAre() {
    // When
    Reading reading = read(chat("\"model\":\"gpt-9\""));

    // Then
    Reading.Refused refused = (Reading.Refused) reading;
    assertThat(refused.kind()).isEqualTo(ErrorKind.MODEL_NOT_FOUND);
    assertThat(refused.message())
        .isEqualTo("the model 'gpt-9' is not served here; there are: llama, qwen");
  }

  @Test
  void aPromptLongerThanAnyWorkerOfTheModelHoldsIsRefused() {
    // When
    Reading reading =
        read(
            "{\"model\":\"qwen\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                .formatted("many words ".repeat(5_000)));

    // Then
    Reading.Refused refused = (Reading.Refused) reading;
    assertThat(refused.kind()).isEqualTo(ErrorKind.CONTEXT_LENGTH_EXCEEDED);
    assertThat(refused.message()).contains("'qwen' is 4096 tokens", "shorten the prompt");
  }

  @Test
  void promptAndOutputTogetherMustFit() {
    // When
    Reading reading = read(chat("\"model\":\"qwen\",\"max_tokens\":6000"));

    // Then
    assertThat(((Reading.Refused) reading).kind()).isEqualTo(ErrorKind.CONTEXT_LENGTH_EXCEEDED);
  }

  @Test
  void fiveMegabytesOfPromptAreRefusedAsTooLong() {
    // When
    Reading reading = read(CHAT.replace("Hi", "lorem ipsum ".repeat(450_000)));

    // Then
    assertThat(((Reading.Refused) reading).kind()).isEqualTo(ErrorKind.CONTEXT_LENGTH_EXCEEDED);
  }

  @Test
  void moreThanEightMebibytesAreRefusedBeforeAnybodyReadsThem() {
    // When
    Reading reading =
        reader.read(
            SOURCE,
            headers("large", "x".repeat(100_000)),
            new byte[PoolTopics.MAX_REQUEST_BYTES - 50_000],
            NOW);

    // Then
    assertThat(((Reading.Refused) reading).message())
        .isEqualTo("the request has more than 8388608 bytes; shorten it");
  }

  @Test
  void aRequestInOrderIsReadWithItsLaneAndItsDefaults() {
    // When
    RequestFacts facts = accepted(CHAT);

    // Then
    assertThat(facts.requestId()).isEqualTo("sluice.requests.2k-7-42");
    assertThat(facts.requestPartition()).isEqualTo(7);
    assertThat(facts.model()).isEqualTo("llama");
    assertThat(facts.lane()).isEqualTo("2k");
    assertThat(facts.outputTokens()).isEqualTo(512);
    assertThat(facts.tenant()).isEqualTo("default");
    assertThat(facts.deadlineEpochMillis()).isEqualTo(NOW + 60_000);
    assertThat(facts.fresh()).isTrue();
  }

  @Test
  void theLaneFollowsFromPromptAndOutputNotFromTheTopic() {
    // When
    RequestFacts facts = accepted(CHAT.replace("Hi", "many words ".repeat(3_000)));

    // Then
    assertThat(facts.lane()).isEqualTo("8k");
    assertThat(facts.promptTokens()).isBetween(6_000L, 6_100L);
  }

  @Test
  void aRequestThatNamesNoModelGetsTheFirstOfTheCatalogue() {
    assertThat(accepted("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}").model())
        .isEqualTo("llama");
  }

  @Test
  void assumedOutputNeverMakesAPromptTooLong() {
    // When
    RequestFacts facts =
        accepted(
            "{\"model\":\"qwen\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                .formatted("many words ".repeat(1_950)));

    // Then
    assertThat(facts.promptTokens() + facts.outputTokens()).isLessThanOrEqualTo(4_096);
  }

  @Test
  void anEmptyCatalogueWaitsForAnyModel() {
    // Given
    RequestReader open =
        RequestReader.forPool(
            Lanes.standard(),
            ModelCatalogue.parse(""),
            512,
            topic -> OptionalInt.of(48),
            source -> true);

    // When
    Reading named =
        open.read(SOURCE, new RecordHeaders(), chat("\"model\":\"x\"").getBytes(UTF_8), NOW);
    Reading unnamed =
        open.read(
            SOURCE,
            new RecordHeaders(),
            "{\"messages\":[{\"role\":\"user\"}]}".getBytes(UTF_8),
            NOW);

    // Then
    assertThat(named).isInstanceOf(Reading.Accepted.class);
    assertThat(((Reading.Refused) unnamed).message())
        .isEqualTo("'model' is missing; name the model to ask");
  }

  @Test
  void completionsTakeTextsAndTokenIds() {
    // Given
    Headers headers = headers("endpoint", "/v1/completions");

    // When
    long text = tokens(headers, "\"Once upon a time\"");
    long ids = tokens(headers, "[1,2,3,4,5]");
    long texts = tokens(headers, "[\"Once\",\"upon\"]");

    // Then
    assertThat(text).isEqualTo(4);
    assertThat(ids).isEqualTo(5);
    assertThat(texts).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "{}", "[]", "null"})
  void aPromptThatIsNeitherTextNorListIsRefused(String prompt) {
    // When
    Reading reading =
        reader.read(
            SOURCE,
            headers("endpoint", "/v1/completions"),
            "{\"model\":\"llama\",\"prompt\":%s}".formatted(prompt).getBytes(UTF_8),
            NOW);

    // Then
    assertThat(((Reading.Refused) reading).message()).startsWith("'prompt' must be a text");
  }

  @Test
  void anAnswerGoesWhereTheCallerAskedFor() {
    // Given
    Headers headers = headers("reply-to", "sluice.replies.service");
    headers.add("reply-partition", "2".getBytes(UTF_8));

    // When
    Reading reading = reader.read(SOURCE, headers, CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading.facts().replyTo()).isEqualTo(new ReplyAddress("sluice.replies.service", 2));
  }

  @Test
  void springsHeadersAreUnderstood() {
    // Given
    Headers headers = headers("kafka_replyTopic", "sluice.replies.service");
    headers.add("kafka_replyPartition", ByteBuffer.allocate(4).putInt(1).array());

    // When
    Reading reading = reader.read(SOURCE, headers, CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading.facts().replyTo()).isEqualTo(new ReplyAddress("sluice.replies.service", 1));
  }

  @Test
  void theTierAutoIsNoTier() {
    assertThat(
            reader.read(SOURCE, headers("tier", "auto"), CHAT.getBytes(UTF_8), NOW).facts().tier())
        .isEmpty();
  }

  @Test
  void aTombstoneIsRefused() {
    assertThat(((Reading.Refused) reader.read(SOURCE, new RecordHeaders(), null, NOW)).message())
        .startsWith("the body is empty");
  }

  @Property(tries = 500)
  void noBytesMakeTheReaderFail(@ForAll @Size(max = 300) byte[] value) {
    assertThat(reader.read(SOURCE, new RecordHeaders(), value, NOW)).isNotNull();
  }

  @Property(tries = 500)
  void noHeadersMakeTheReaderFail(
      @ForAll @StringLength(max = 40) String text, @ForAll @Size(max = 8) byte[] bytes) {
    // Given
    Headers headers = new RecordHeaders();
    for (String name :
        new String[] {"request-id", "reply-to", "reply-partition", "endpoint", "tier", "tenant"}) {
      headers.add(name, text.getBytes(UTF_8));
    }
    headers.add("kafka_replyPartition", bytes);
    headers.add("deadline", null);

    // When
    Reading reading = reader.read(SOURCE, headers, CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(TOPICS).containsKey(reading.facts().replyTo().topic());
    assertThat(reading.facts().replyTo().partition())
        .isLessThan(TOPICS.get(reading.facts().replyTo().topic()));
  }

  @Property(tries = 500)
  void noTextWhereANumberOrListBelongsMakesTheReaderFail(
      @ForAll @StringLength(max = 60) String content, @ForAll long number) {
    // When
    String json =
        "{\"model\":\"llama\",\"max_tokens\":%d,\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":%s},%d,null]}]}"
            .formatted(number, Json.text(content), number);

    // Then
    assertThat(read(json)).isNotNull();
  }

  private Reading read(String body) {
    return reader.read(SOURCE, new RecordHeaders(), body.getBytes(UTF_8), NOW);
  }

  private RequestFacts accepted(String body) {
    Reading reading = read(body);
    assertThat(reading).isInstanceOf(Reading.Accepted.class);
    return reading.facts();
  }

  private long tokens(Headers headers, String prompt) {
    String body = "{\"model\":\"llama\",\"prompt\":%s}".formatted(prompt);
    Reading reading = reader.read(SOURCE, headers, body.getBytes(UTF_8), NOW);
    assertThat(reading).isInstanceOf(Reading.Accepted.class);
    return reading.facts().promptTokens();
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
