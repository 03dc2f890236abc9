package io.sluice.common.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplyHeadersTest {

  @Property
  void whatIsWrittenIsReadBack(@ForAll("wellFormed") ReplyHeaders written) {
    // Given
    Headers headers = new RecordHeaders();

    // When
    written.writeTo(headers);

    // Then
    assertThat(ReplyHeaders.parse(headers)).contains(written);
  }

  @Property
  void arbitraryBytesInAnyHeaderNeverThrow(
      @ForAll("wellFormed") ReplyHeaders written,
      @ForAll("headerNames") String name,
      @ForAll byte[] garbage) {
    // Given
    Headers headers = new RecordHeaders();
    written.writeTo(headers);
    headers.remove(name).add(name, garbage);

    // When
    Optional<ReplyHeaders> parsed = ReplyHeaders.parse(headers);

    // Then
    parsed.ifPresent(
        record -> {
          assertThat(record.attempt()).isNotNegative();
          assertThat(record.index()).isNotNegative();
          assertThat((long) record.index() + record.count())
              .isBetween(0L, (long) Integer.MAX_VALUE);
        });
  }

  @ParameterizedTest
  @CsvSource({
    "kind, surprise",
    "kind, TOKENS",
    "attempt, -1",
    "attempt, first",
    "attempt, 4294967297",
    "index, -1",
    "index, many",
    "index, 2147483647",
    "count, -2",
    "count, 99999999999"
  })
  void tokensThatDoNotSayWhereTheyBelongAreNoReplyRecord(String name, String value) {
    // Given
    Headers headers = new RecordHeaders();
    tokens(4, 2).writeTo(headers);
    assertThat(ReplyHeaders.parse(headers)).isPresent();

    // When
    HeaderText.put(headers.remove(name), name, value);

    // Then
    assertThat(ReplyHeaders.parse(headers)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"request-id", "kind", "attempt", "lease", "index", "count"})
  void tokensThatLackAHeaderAreNoReplyRecord(String name) {
    // Given
    Headers headers = new RecordHeaders();
    tokens(4, 2).writeTo(headers);

    // When
    headers.remove(name);

    // Then
    assertThat(ReplyHeaders.parse(headers)).isEmpty();
  }

  @Test
  void aClaimOfAnUnknownModeIsNotAReplyRecord() {
    // Given
    Headers headers = new RecordHeaders();
    ReplyHeaders.of("r", ReplyKind.CLAIM, 2, "b", 0).writeTo(headers);

    // When
    HeaderText.put(headers, HeaderNames.MODE, "rewind");

    // Then
    assertThat(ReplyHeaders.parse(headers)).isEmpty();
  }

  @Test
  void aPointerNeedsNeitherAttemptNorLease() {
    // Given
    Headers headers = new RecordHeaders();
    HeaderText.put(headers, HeaderNames.REQUEST_ID, "r");
    HeaderText.put(headers, HeaderNames.KIND, "pointer");

    // When
    Optional<ReplyHeaders> parsed = ReplyHeaders.parse(headers);

    // Then
    assertThat(parsed).contains(ReplyHeaders.of("r", ReplyKind.POINTER, 0, "", 0));
  }

  @Example
  void aForeignRecordIsNotAReplyRecord() {
    assertThat(ReplyHeaders.parse(new RecordHeaders())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "TOKENS, 1, 0, true",
    "TOKENS, 1, 4, false",
    "CLAIM, 2, 0, true",
    "FINAL, 1, 4, true",
    "ERROR, 1001, 0, true",
    "ERROR, 0, 0, false",
    "POINTER, 0, 0, false"
  })
  void whatBeginsOrEndsAnAttemptTellsWhoseAnswerItIs(
      ReplyKind kind, int attempt, int index, boolean tells) {
    // Given
    ReplyHeaders headers = ReplyHeaders.of("r", kind, attempt, "a", index);

    // When, then
    assertThat(headers.ofTenant("acme").owner())
        .isEqualTo(tells ? Optional.of("acme") : Optional.empty());
    assertThat(headers.owner()).isEqualTo(tells ? Optional.of("default") : Optional.empty());
  }

  @Provide
  Arbitrary<ReplyHeaders> wellFormed() {
    Arbitrary<String> names =
        Arbitraries.strings().alpha().numeric().ofMinLength(1).ofMaxLength(40);
    Arbitrary<Integer> numbers = Arbitraries.integers().between(0, 1 << 30);
    return Combinators.combine(
            names,
            Arbitraries.of(ReplyKind.class),
            numbers,
            Arbitraries.of(ClaimMode.class),
            numbers,
            numbers,
            names.optional(),
            Arbitraries.longs().greaterOrEqual(0).optional())
        .as(
            (name, kind, attempt, mode, index, count, text, millis) ->
                ReplyHeadersBuilder.builder()
                    .requestId(name)
                    .kind(kind)
                    .attempt(attempt)
                    .lease("lease-" + name)
                    .mode(kind == ReplyKind.CLAIM ? mode : ClaimMode.RESUME)
                    .index(kind == ReplyKind.CLAIM ? 0 : index)
                    .count(
                        kind == ReplyKind.TOKENS ? Math.min(count, Integer.MAX_VALUE - index) : 0)
                    .fallback(text.isPresent())
                    .latencyMillis(millis.map(OptionalLong::of).orElse(OptionalLong.empty()))
                    .notes(
                        kind == ReplyKind.TOKENS
                            ? new TokenNotes(OptionalInt.of(count), text, text)
                            : TokenNotes.NONE)
                    .tokenIds(text)
                    .tenant(text)
                    .worker(text)
                    .model(text)
                    .build());
  }

  @Provide
  Arbitrary<String> headerNames() {
    return Arbitraries.of(
        "request-id",
        "kind",
        "attempt",
        "lease",
        "mode",
        "index",
        "count",
        "token-ids",
        "prompt-tokens",
        "finish-reason",
        "stop-reason",
        "worker",
        "model",
        "fallback",
        "latency-ms");
  }

  private static ReplyHeaders tokens(int index, int count) {
    return ReplyHeadersBuilder.builder()
        .requestId("r")
        .kind(ReplyKind.TOKENS)
        .attempt(1)
        .lease("a")
        .mode(ClaimMode.RESUME)
        .index(index)
        .count(count)
        .fallback(false)
        .latencyMillis(OptionalLong.empty())
        .notes(TokenNotes.NONE)
        .build();
  }
}
