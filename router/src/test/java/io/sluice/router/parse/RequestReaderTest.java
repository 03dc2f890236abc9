package io.sluice.router.parse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.topic.PoolTopics;
import io.sluice.router.catalog.FallbackModels;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.classify.Classifier;
import io.sluice.router.classify.StandardRules;
import io.sluice.router.classify.TierObjectives;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadata.Source;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestReaderTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final Source SOURCE = new Source("sluice.requests.2k", 7, 42);
  private static final String CHAT =
      "{\"model\":\"llama\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final Map<String, Integer> TOPICS =
      Map.of("sluice.replies", 48, "sluice.replies.service", 3);

  /** Shared, for it loads a tokenizer. */
  private static final RequestReader READER = reader(PoolTopics.LONGEST_DEADLINE);

  private static RequestReader reader(Duration longestDeadline) {
    var rules =
        new PoolRules(
            FallbackModels.parse("llama=qwen"),
            TierObjectives.parse("precise=4000"),
            512,
            longestDeadline);
    return RequestReader.forPool(
        Lanes.standard(),
        ModelCatalog.parse("llama=32768,qwen=4096"),
        new Classifier(StandardRules.RULES),
        rules,
        topic ->
            TOPICS.containsKey(topic) ? OptionalInt.of(TOPICS.get(topic)) : OptionalInt.empty(),
        source -> source.offset() >= 40);
  }

  @Test
  void aRequestInOrderIsReadWithItsLaneAndItsDefaults() {
    // When
    RequestMetadata metadata = accepted(CHAT);

    // Then
    assertThat(metadata.requestId()).isEqualTo("sluice.requests.2k-7-42");
    assertThat(metadata.requestPartition()).isEqualTo(7);
    assertThat(metadata.model()).isEqualTo("llama");
    assertThat(metadata.lane()).isEqualTo("2k");
    assertThat(metadata.outputTokens()).isEqualTo(512);
    assertThat(metadata.tenant()).isEqualTo("default");
    assertThat(metadata.deadlineEpochMillis()).isEqualTo(NOW + 60_000);
    assertThat(metadata.fresh()).isTrue();
  }

  @Test
  void theLaneFollowsFromPromptAndOutputNotFromTheTopic() {
    // When
    RequestMetadata metadata = accepted(CHAT.replace("Hi", "many words ".repeat(3_000)));

    // Then
    assertThat(metadata.lane()).isEqualTo("8k");
    assertThat(metadata.promptTokens()).isBetween(6_000L, 6_100L);
  }

  @Test
  void aRequestThatNamesNoModelGetsTheFirstOfTheCatalogue() {
    assertThat(accepted("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}").model())
        .isEqualTo("llama");
  }

  @Test
  void assumedOutputNeverMakesAPromptTooLong() {
    // When
    RequestMetadata metadata =
        accepted(
            "{\"model\":\"qwen\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                .formatted("many words ".repeat(1_950)));

    // Then
    assertThat(metadata.promptTokens() + metadata.outputTokens()).isLessThanOrEqualTo(4_096);
  }

  @ParameterizedTest
  @ValueSource(ints = {4_090, 4_096, 4_097, 4_500})
  void maxTokensAboutAsLongAsTheContextAreForTheEngineToJudge(int maxTokens) {
    // When
    RequestMetadata metadata =
        accepted(with(CHAT.replace("llama", "qwen"), "\"max_tokens\":" + maxTokens));

    // Then
    assertThat(metadata.contextTokens()).as("fits a worker").isLessThanOrEqualTo(4_096);
  }

  @Test
  void promptsAreJudgedByWhatTheirModelMadeOfEarlierOnes() {
    // Given
    PromptFactors factors = new PromptFactors();
    RequestReader learning =
        READER.withFleet(
            ServedModels.awaited(ModelCatalog.parse("llama=32768,qwen=4096")), factors);
    String body = CHAT.replace("Hi", "many words ".repeat(900));
    RequestMetadata before = metadata(learning, body);

    // When
    for (int answer = 0; answer < PromptFactors.ENOUGH; answer++) {
      factors.answered("llama", 289, 630);
    }
    RequestMetadata after = metadata(learning, body);
    RequestMetadata truncated = metadata(learning, with(body, "\"truncate_prompt_tokens\":100"));
    RequestMetadata picture =
        metadata(
            learning,
            CHAT.replace("\"Hi\"", "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}]"));

    // Then
    assertThat(before.promptTokens()).isEqualTo(before.estimatedTokens()).isBetween(1_800L, 1_820L);
    assertThat(before.lane()).isEqualTo("8k");
    assertThat(after.estimatedTokens()).isEqualTo(before.promptTokens());
    assertThat(after.promptTokens()).isBetween(3_920L, 3_970L);
    assertThat(truncated.promptTokens()).isEqualTo(100);
    assertThat(truncated.estimatedTokens()).isZero();
    assertThat(picture.estimatedTokens()).isZero();
  }

  @Test
  void whatTheEstimateLetsInIsNotRefusedForWhatWasLearned() {
    // Given
    PromptFactors factors = new PromptFactors();
    for (int answer = 0; answer < PromptFactors.ENOUGH; answer++) {
      factors.answered("qwen", 100, 800);
    }
    RequestReader learning =
        READER.withFleet(
            ServedModels.awaited(ModelCatalog.parse("llama=32768,qwen=4096")), factors);

    // When
    RequestMetadata metadata =
        metadata(learning, CHAT.replace("llama", "qwen").replace("Hi", "many words ".repeat(900)));

    // Then
    assertThat(metadata.contextTokens()).isLessThanOrEqualTo(4_096);
  }

  @ParameterizedTest
  @CsvSource({
    "2040, 50, 2040, 8",
    "1000, 2000, 1000, 1048",
    "10, 2048, 10, 2038",
    "2047, 9, 2047, 1"
  })
  void aLimitOverWhatThePromptLeavesOfTheContextIsCutToIt(
      int prompt, int limit, int promptTokens, int outputTokens) {
    // Given
    RequestReader reader =
        READER.withFleet(
            ServedModels.awaited(ModelCatalog.parse("tiny=2048")), new PromptFactors());
    String ids = "7,".repeat(prompt - 1) + "7";
    String body = "{\"model\":\"tiny\",\"prompt\":[%s],\"max_tokens\":%d}".formatted(ids, limit);

    // When
    RequestMetadata metadata =
        ((ParsedRequest.Accepted)
                reader.read(
                    SOURCE, headers("endpoint", "/v1/completions"), body.getBytes(UTF_8), NOW))
            .metadata();

    // Then
    assertThat(metadata.promptTokens()).isEqualTo(promptTokens);
    assertThat(metadata.outputTokens()).isEqualTo(outputTokens);
    assertThat(metadata.lane()).isEqualTo("2k");
  }

  @Test
  void eachOfSeveralPromptsNeedsAContextOfItsOwn() {
    // Given
    RequestReader reader =
        READER.withFleet(
            ServedModels.awaited(ModelCatalog.parse("tiny=2048")), new PromptFactors());
    String prompt = "\"" + "many words ".repeat(500) + "\"";
    String body =
        "{\"model\":\"tiny\",\"prompt\":[%s,\"Hi\",%s,%s],\"max_tokens\":10}"
            .formatted(prompt, prompt, prompt);

    // When
    ParsedRequest reading =
        reader.read(SOURCE, headers("endpoint", "/v1/completions"), body.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading).isInstanceOf(ParsedRequest.Accepted.class);
    assertThat(reading.metadata().promptTokens()).isEqualTo(2_048 - 10);
    assertThat(reading.metadata().estimatedTokens()).isZero();
  }

  private static RequestMetadata metadata(RequestReader reader, String body) {
    return reader.read(SOURCE, new RecordHeaders(), body.getBytes(UTF_8), NOW).metadata();
  }

  private static String with(String body, String option) {
    return "{" + option + "," + body.substring(1);
  }

  @Test
  void anEmptyCatalogueWaitsForAnyModel() {
    // Given
    RequestReader open =
        RequestReader.forPool(
            Lanes.standard(),
            ModelCatalog.parse(""),
            new Classifier(StandardRules.RULES),
            PoolRules.STANDARD,
            topic -> OptionalInt.of(48),
            source -> true);

    // When
    ParsedRequest named =
        open.read(SOURCE, new RecordHeaders(), chat("\"model\":\"x\"").getBytes(UTF_8), NOW);
    ParsedRequest unnamed =
        open.read(
            SOURCE,
            new RecordHeaders(),
            "{\"messages\":[{\"role\":\"user\"}]}".getBytes(UTF_8),
            NOW);

    // Then
    assertThat(named).isInstanceOf(ParsedRequest.Accepted.class);
    assertThat(((ParsedRequest.Refused) unnamed).message())
        .isEqualTo("'model' is missing; name a model");
  }

  @ParameterizedTest
  @CsvSource({
    "timeout-ms, 86400000, true",
    "timeout-ms, 86400001, true",
    "timeout-ms, 259200000, false",
    "deadline, 1800086400000, true",
    "deadline, 1800259200000, false"
  })
  void aDeadlineForWhichNothingIsKeptIsRefused(String header, String value, boolean isTaken) {
    // When
    byte[] body = CHAT.getBytes(UTF_8);
    ParsedRequest reading = READER.read(SOURCE, headers(header, value), body, NOW);
    ParsedRequest elsewhere =
        reader(Duration.ofDays(3)).read(SOURCE, headers(header, value), body, NOW);

    // Then
    assertThat(reading instanceof ParsedRequest.Accepted).isEqualTo(isTaken);
    assertThat(elsewhere).isInstanceOf(ParsedRequest.Accepted.class);
    if (reading instanceof ParsedRequest.Refused refused) {
      assertThat(refused.kind()).isEqualTo(ErrorKind.INVALID_REQUEST);
      assertThat(refused.message())
          .isEqualTo(
              "the deadline is 72 hours after the request, but this pool allows at most"
                  + " 24; set timeout-ms to at most 86400000, or run the routers with a longer"
                  + " --max-deadline");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "precise, , interactive, 4000",
    "precise, 9000, interactive, 9000",
    "fast, , interactive, ",
    "fast, 700, urgent, 700",
    "precise, , bulk, ",
    "precise, 700, bulk, ",
  })
  void aRequestWantsItsFirstTokenByItsOwnObjectiveOrByThatOfItsTier(
      String tier, String own, String priority, Long within) {
    // Given
    Headers headers = headers("tier", tier);
    headers.add("priority", priority.getBytes(UTF_8));
    if (own != null) {
      headers.add("slo-ttft-ms", own.getBytes(UTF_8));
    }

    // When
    ParsedRequest read = READER.read(SOURCE, headers, CHAT.getBytes(UTF_8), NOW);

    // Then
    OptionalLong by = ((ParsedRequest.Accepted) read).metadata().firstTokenByMillis();
    assertThat(by).isEqualTo(within == null ? OptionalLong.empty() : OptionalLong.of(NOW + within));
  }

  @Test
  void promotedBulkHasNoLimitForItsFirstToken() {
    // Given
    Headers headers = headers("slo-ttft-ms", "700");
    headers.add("promoted", "1".getBytes(UTF_8));

    // When
    ParsedRequest read = READER.read(SOURCE, headers, CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(((ParsedRequest.Accepted) read).metadata().firstTokenByMillis()).isEmpty();
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
    ParsedRequest reading =
        READER.read(
            SOURCE,
            headers("endpoint", "/v1/completions"),
            "{\"model\":\"llama\",\"prompt\":%s}".formatted(prompt).getBytes(UTF_8),
            NOW);

    // Then
    assertThat(((ParsedRequest.Refused) reading).message()).startsWith("'prompt' must be a text");
  }

  @Test
  void anAnswerGoesWhereTheCallerAskedFor() {
    // Given
    Headers headers = headers("reply-to", "sluice.replies.service");
    headers.add("reply-partition", "2".getBytes(UTF_8));

    // When
    ParsedRequest reading = READER.read(SOURCE, headers, CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading.metadata().replyTo())
        .isEqualTo(new ReplyAddress("sluice.replies.service", 2));
  }

  @Test
  void springsHeadersAreUnderstood() {
    // Given
    Headers headers = headers("kafka_replyTopic", "sluice.replies.service");
    headers.add("kafka_replyPartition", ByteBuffer.allocate(4).putInt(1).array());

    // When
    ParsedRequest reading = READER.read(SOURCE, headers, CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(reading.metadata().replyTo())
        .isEqualTo(new ReplyAddress("sluice.replies.service", 1));
  }

  @Test
  void aTierThatDoesNotExistIsRefusedWithThoseThatDo() {
    // When
    ParsedRequest reading =
        READER.read(SOURCE, headers("tier", "turbo"), CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(((ParsedRequest.Refused) reading).kind()).isEqualTo(ErrorKind.INVALID_REQUEST);
    assertThat(((ParsedRequest.Refused) reading).message())
        .isEqualTo("header 'tier' must be one of auto, fast, balanced, precise");
  }

  @Test
  void theAskedTierComesFirst() {
    assertThat(metadata("tier", "precise").classification().tiers())
        .containsExactly("precise", "balanced", "fast");
    assertThat(metadata("tier", "auto").classification().tiers())
        .containsExactly("fast", "balanced", "precise");
  }

  @Test
  void theFallbackIsThePoolsUnlessTheRequestNamesOneOrNone() {
    assertThat(metadata("tenant", "a").fallbackModel()).contains("qwen");
    assertThat(metadata("fallback-model", "none").fallbackModel()).isEmpty();
    assertThat(metadata("fallback-model", "llama").fallbackModel()).isEmpty();
    assertThat(metadata("priority", "bulk").fallbackModel()).isEmpty();
    assertThat(metadata("priority", "bulk", "fallback-model", "qwen").fallbackModel())
        .contains("qwen");
  }

  @Test
  void aFallbackThatIsNotServedIsRefused() {
    // When
    ParsedRequest reading =
        READER.read(SOURCE, headers("fallback-model", "gpt"), CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(((ParsedRequest.Refused) reading).message())
        .isEqualTo(
            "header 'fallback-model' must name a model that this pool serves, or none; available"
                + " models: llama, qwen");
  }

  private static RequestMetadata metadata(String... headers) {
    return ((ParsedRequest.Accepted)
            READER.read(SOURCE, headers(headers), CHAT.getBytes(UTF_8), NOW))
        .metadata();
  }

  @Test
  void aTombstoneIsRefused() {
    assertThat(
            ((ParsedRequest.Refused) READER.read(SOURCE, new RecordHeaders(), null, NOW)).message())
        .startsWith("the body is empty");
  }

  @Property(tries = 500)
  void noBytesMakeTheReaderFail(@ForAll @Size(max = 300) byte[] value) {
    assertThat(READER.read(SOURCE, new RecordHeaders(), value, NOW)).isNotNull();
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
    ParsedRequest reading = READER.read(SOURCE, headers, CHAT.getBytes(UTF_8), NOW);

    // Then
    assertThat(TOPICS).containsKey(reading.metadata().replyTo().topic());
    assertThat(reading.metadata().replyTo().partition())
        .isLessThan(TOPICS.get(reading.metadata().replyTo().topic()));
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

  private ParsedRequest read(String body) {
    return READER.read(SOURCE, new RecordHeaders(), body.getBytes(UTF_8), NOW);
  }

  private RequestMetadata accepted(String body) {
    ParsedRequest reading = read(body);
    assertThat(reading).isInstanceOf(ParsedRequest.Accepted.class);
    return reading.metadata();
  }

  private long tokens(Headers headers, String prompt) {
    String body = "{\"model\":\"llama\",\"prompt\":%s}".formatted(prompt);
    ParsedRequest reading = READER.read(SOURCE, headers, body.getBytes(UTF_8), NOW);
    assertThat(reading).isInstanceOf(ParsedRequest.Accepted.class);
    return reading.metadata().promptTokens();
  }

  private static String chat(String field) {
    return "{%s,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
        .formatted(field.contains("model") ? field : "\"model\":\"llama\"," + field);
  }

  private static Headers headers(String... namesAndValues) {
    Headers headers = new RecordHeaders();
    for (int at = 0; at < namesAndValues.length; at += 2) {
      headers.add(namesAndValues[at], namesAndValues[at + 1].getBytes(UTF_8));
    }
    return headers;
  }
}
