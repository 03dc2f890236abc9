package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.RequestHeaders.Parsed;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestHeadersTest {
  private static final String GENERATED = "sluice.requests.8k-3-17";
  private static final RequestHeaders DEFAULTS =
      new RequestHeaders(
          GENERATED,
          Optional.empty(),
          OptionalInt.empty(),
          Endpoint.CHAT_COMPLETIONS,
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          Priority.INTERACTIVE,
          "default",
          Optional.empty(),
          Optional.empty());

  @Test
  void aRequestWithoutHeadersHasTheDefaults() {
    assertThat(parse(new RecordHeaders())).isEqualTo(new Parsed(DEFAULTS, Optional.empty()));
  }

  @Test
  void theFirstTokenIsWantedByTheSloUnlessTheRequestIsBulk() {
    assertThat(parse(headers("slo-ttft-ms", "2000")).headers().firstTokenBy(500, Optional.empty()))
        .hasValue(2_500);
    assertThat(
            parse(headers("slo-ttft-ms", "2000", "priority", "bulk"))
                .headers()
                .firstTokenBy(500, Optional.empty()))
        .isEmpty();
    assertThat(DEFAULTS.firstTokenBy(500, Optional.empty())).isEmpty();
    assertThat(DEFAULTS.firstTokenBy(500, Optional.of(Duration.ofSeconds(4)))).hasValue(4_500);
    assertThat(parse(headers("slo-ttft-ms", "soon")).problem())
        .contains("header 'slo-ttft-ms' must be a number of milliseconds such as 2000, not 'soon'");
  }

  @Test
  void aRequestOfTheBulkTopicIsBulkUnlessItSaysOtherwise() {
    // Given
    Headers urgent = headers("priority", "urgent");

    // When
    RequestHeaders silent =
        RequestHeaders.parse(new RecordHeaders(), GENERATED, Priority.BULK).headers();
    RequestHeaders explicit = RequestHeaders.parse(urgent, GENERATED, Priority.BULK).headers();

    // Then
    assertThat(silent.priority()).isEqualTo(Priority.BULK);
    assertThat(explicit.priority()).isEqualTo(Priority.URGENT);
  }

  @ParameterizedTest
  @CsvSource({
    "deadline, soon",
    "deadline, 0",
    "deadline, -1",
    "deadline, 17.5",
    "deadline, 99999999999999999999",
    "timeout-ms, 30s",
    "timeout-ms, 0",
    "timeout-ms, -30000",
    "timeout-ms, NaN",
    "priority, yesterday",
    "priority, URGENT",
    "endpoint, /v1/embeddings",
    "endpoint, chat",
    "reply-partition, -1",
    "reply-partition, first",
    "reply-partition, 2147483648"
  })
  void aGarbledHeaderIsReportedByNameAndHasItsDefault(String name, String value) {
    // When
    Parsed parsed = parse(headers(name, value));

    // Then
    assertThat(parsed.headers()).isEqualTo(DEFAULTS);
    assertThat(parsed.problem().orElseThrow()).contains("'" + name + "'").contains(value);
  }

  @Test
  void aPartitionThatIsTooLargeForThePoolIsNotJudgedHere() {
    assertThat(parse(headers("reply-partition", "999")).headers().replyPartition()).hasValue(999);
  }

  @Test
  void ofSeveralGarbledHeadersTheFirstIsReportedAndTheSoundOnesCount() {
    // Given
    Headers headers =
        headers(
            "request-id", "r-1",
            "reply-to", "sluice.replies.shop",
            "deadline", "soon",
            "priority", "yesterday",
            "reply-partition", "x",
            "tenant", "shop");

    // When
    Parsed parsed = parse(headers);

    // Then
    assertThat(parsed.problem().orElseThrow()).contains("'reply-partition'");
    assertThat(parsed.headers().requestId()).isEqualTo("r-1");
    assertThat(parsed.headers().replyTopic()).contains("sluice.replies.shop");
    assertThat(parsed.headers().tenant()).isEqualTo("shop");
    assertThat(parsed.headers().deadlineEpochMillis()).isEmpty();
  }

  @Test
  void anIdOfTheGreatestLengthIsKeptAndALongerOneIsReplaced() {
    // Given
    String longest = "i".repeat(256);

    // When
    Parsed kept = parse(headers("request-id", longest));
    Parsed replaced = parse(headers("request-id", longest + "i"));

    // Then
    assertThat(kept.headers().requestId()).isEqualTo(longest);
    assertThat(kept.problem()).isEmpty();
    assertThat(replaced.headers().requestId()).isEqualTo(GENERATED);
    assertThat(replaced.problem().orElseThrow()).contains("'request-id'").contains("256");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nevent=forged", "a\u0000b", "a\u007fb", "a\uFFFDb"})
  void anIdThatALogCannotShowIsReplaced(String id) {
    Parsed parsed = parse(headers("request-id", id));

    assertThat(parsed.headers().requestId()).isEqualTo(GENERATED);
    assertThat(parsed.problem().orElseThrow()).contains("'request-id'").doesNotContain(id);
  }

  @Test
  void idsThatAreNoUtf8AreNotTakenForOneAnother() {
    Headers headers = new RecordHeaders().add("request-id", new byte[] {(byte) 0xff, (byte) 0xfe});

    Parsed parsed = parse(headers);

    assertThat(parsed.headers().requestId()).isEqualTo(GENERATED);
    assertThat(parsed.problem()).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n"})
  void aBlankHeaderCountsAsAbsent(String blank) {
    // Given
    Headers headers =
        headers(
            "request-id",
            blank,
            "deadline",
            blank,
            "priority",
            blank,
            "endpoint",
            blank,
            "tenant",
            blank,
            "reply-partition",
            blank);

    // When
    Parsed parsed = parse(headers);

    // Then
    assertThat(parsed).isEqualTo(new Parsed(DEFAULTS, Optional.empty()));
  }

  @Test
  void surroundingWhiteSpaceDoesNotBelongToAValue() {
    // Given
    Headers headers =
        headers("request-id", " r-1\n", "priority", "\tbulk ", "timeout-ms", " 5000 ");

    // When
    RequestHeaders read = parse(headers).headers();

    // Then
    assertThat(read.requestId()).isEqualTo("r-1");
    assertThat(read.priority()).isEqualTo(Priority.BULK);
    assertThat(read.timeoutMillis()).hasValue(5000);
  }

  @Test
  void ofARepeatedHeaderTheLastCounts() {
    // Given
    Headers headers =
        headers("tenant", "first", "tenant", "last", "priority", "x", "priority", "bulk");

    // When
    Parsed parsed = parse(headers);

    // Then
    assertThat(parsed.headers().tenant()).isEqualTo("last");
    assertThat(parsed.problem()).isEmpty();
  }

  @Test
  void aHeaderWithoutAValueCountsAsAbsent() {
    // Given
    Headers headers = new RecordHeaders();
    headers.add("priority", null).add("kafka_replyPartition", null).add("request-id", null);

    // When
    Parsed parsed = parse(headers);

    // Then
    assertThat(parsed).isEqualTo(new Parsed(DEFAULTS, Optional.empty()));
  }

  @Test
  void springHeadersNameTheReplyAddress() {
    // Given
    Headers headers = headers("kafka_replyTopic", "sluice.replies.spring");
    headers.add("kafka_replyPartition", ByteBuffer.allocate(4).putInt(7).array());

    // When
    Parsed parsed = parse(headers);

    // Then
    assertThat(parsed.headers().replyTopic()).contains("sluice.replies.spring");
    assertThat(parsed.headers().replyPartition()).hasValue(7);
    assertThat(parsed.problem()).isEmpty();
  }

  @Test
  void ourOwnReplyHeadersPrevailOverSprings() {
    // Given
    Headers headers =
        headers(
            "kafka_replyTopic", "sluice.replies.spring",
            "reply-to", "sluice.replies.ours",
            "reply-partition", "3");
    headers.add("kafka_replyPartition", ByteBuffer.allocate(4).putInt(7).array());

    // When
    RequestHeaders read = parse(headers).headers();

    // Then
    assertThat(read.replyTopic()).contains("sluice.replies.ours");
    assertThat(read.replyPartition()).hasValue(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ff", "ffffffff", "80000000", "0000000000000007", "37"})
  void aGarbledSpringPartitionIsReportedAndMeansByRequestId(String hex) {
    // Given
    Headers headers = new RecordHeaders();
    headers.add("kafka_replyPartition", java.util.HexFormat.of().parseHex(hex));

    // When
    Parsed parsed = parse(headers);

    // Then
    assertThat(parsed.headers().replyPartition()).isEmpty();
    assertThat(parsed.problem().orElseThrow()).contains("'kafka_replyPartition'");
  }

  @Test
  void aLongGarbledValueIsCutBetweenCharactersInTheProblem() {
    // Given: a character of two UTF-16 units lies across the 64th unit
    String value = "x".repeat(63) + "\uD83D\uDE00" + "y".repeat(5_000_000);

    // When
    String problem = parse(headers("priority", value)).problem().orElseThrow();

    // Then
    assertThat(problem).hasSizeLessThan(200).contains("\uD83D\uDE00...");
  }

  @Property
  void arbitraryBytesInAnyHeaderNeverThrow(
      @ForAll("headerNames") String first,
      @ForAll byte[] garbage,
      @ForAll("headerNames") String second,
      @ForAll byte[] more,
      @ForAll long appendTimeMillis) {
    // Given
    Headers headers = new RecordHeaders();
    headers.add(first, garbage).add(second, more);

    // When
    Parsed parsed = parse(headers);

    // Then
    assertThat(parsed.headers().requestId()).isNotBlank().hasSizeLessThanOrEqualTo(256);
    parsed.headers().deadline(appendTimeMillis);
  }

  @Property
  void whatIsWrittenIsReadBack(@ForAll("wellFormed") RequestHeaders written) {
    // Given
    Headers headers = new RecordHeaders();

    // When
    written.writeTo(headers);

    // Then
    assertThat(parse(headers)).isEqualTo(new Parsed(written, Optional.empty()));
  }

  @ParameterizedTest(name = "timeout {0}, deadline {1}: {2}")
  @CsvSource({
    ", , 61000",
    "500, , 1500",
    ", 900, 900",
    "500, 1200, 1200",
    "500, 9999, 1500",
    "9223372036854775807, , 253402300799999",
    ", 9223372036854775807, 253402300799999",
    "9223372036854775807, 9223372036854775807, 253402300799999",
    "9223372036854775807, 5000, 5000",
    "500, 9223372036854775807, 1500"
  })
  void theDeadlineIsTheEarlierOfBothAndNeverOverflows(Long timeout, Long deadline, long expected) {
    // Given
    RequestHeaders headers = headersOf(timeout, deadline, Priority.INTERACTIVE);

    // When
    long actual = headers.deadline(1000);

    // Then
    assertThat(actual).isEqualTo(expected);
  }

  @Test
  void aDeadlineInThePastStaysInThePast() {
    assertThat(headersOf(null, 1L, Priority.INTERACTIVE).deadline(1_790_000_000_000L)).isOne();
  }

  @Test
  void bulkIsWantedForADay() {
    assertThat(headersOf(null, null, Priority.BULK).deadline(1000)).isEqualTo(86_401_000);
  }

  @Provide
  Arbitrary<String> headerNames() {
    return Arbitraries.of(
        "request-id",
        "reply-to",
        "reply-partition",
        "endpoint",
        "timeout-ms",
        "slo-ttft-ms",
        "deadline",
        "priority",
        "tenant",
        "tier",
        "fallback-model",
        "kafka_replyTopic",
        "kafka_replyPartition");
  }

  @Provide
  Arbitrary<RequestHeaders> wellFormed() {
    Arbitrary<String> names =
        Arbitraries.strings().ofMinLength(1).ofMaxLength(50).filter(WireText::survives);
    Arbitrary<String> ids =
        names.filter(id -> id.chars().noneMatch(c -> Character.isISOControl(c) || c == 0xFFFD));
    Arbitrary<OptionalLong> millis =
        Arbitraries.longs()
            .greaterOrEqual(1)
            .optional()
            .map(value -> value.map(OptionalLong::of).orElse(OptionalLong.empty()));
    Arbitrary<OptionalInt> partitions =
        Arbitraries.integers()
            .greaterOrEqual(0)
            .optional()
            .map(value -> value.map(OptionalInt::of).orElse(OptionalInt.empty()));
    return Combinators.combine(
            ids,
            names.optional(),
            partitions,
            Arbitraries.of(Endpoint.class),
            millis,
            millis,
            Arbitraries.of(Priority.class),
            names)
        .as(
            (id, topic, partition, endpoint, timeout, deadline, priority, tenant) ->
                new RequestHeaders(
                    id, topic, partition, endpoint, timeout, deadline, deadline, priority, tenant,
                    topic, topic));
  }

  private static RequestHeaders headersOf(Long timeout, Long deadline, Priority priority) {
    return new RequestHeaders(
        "r",
        Optional.empty(),
        OptionalInt.empty(),
        Endpoint.CHAT_COMPLETIONS,
        timeout == null ? OptionalLong.empty() : OptionalLong.of(timeout),
        deadline == null ? OptionalLong.empty() : OptionalLong.of(deadline),
        OptionalLong.empty(),
        priority,
        "default",
        Optional.empty(),
        Optional.empty());
  }

  private static Parsed parse(Headers headers) {
    return RequestHeaders.parse(headers, GENERATED, Priority.INTERACTIVE);
  }

  private static Headers headers(String... namesAndValues) {
    Headers headers = new RecordHeaders();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      HeaderText.put(headers, namesAndValues[i], namesAndValues[i + 1]);
    }
    return headers;
  }
}
