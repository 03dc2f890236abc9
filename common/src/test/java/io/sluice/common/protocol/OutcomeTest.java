package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Outcome.Accepted;
import io.sluice.common.protocol.Outcome.Cancelled;
import io.sluice.common.protocol.Outcome.Completed;
import io.sluice.common.protocol.Outcome.Event;
import io.sluice.common.protocol.Outcome.Expired;
import io.sluice.common.protocol.Outcome.Failed;
import io.sluice.common.protocol.Outcome.Progress;
import io.sluice.common.protocol.Outcome.Rejected;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.protocol.Outcome.Returned;
import io.sluice.common.protocol.Outcome.Started;
import io.sluice.common.protocol.Outcome.Superseded;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutcomeTest {
  private static final LeaseRef LEASE = new LeaseRef("r-1", 2, "lease-7", "gpu-3", "boot-1");

  @ParameterizedTest
  @MethodSource("events")
  void whatIsWrittenIsReadBack(Event event) {
    // Given
    Outcome outcome = new Outcome(LEASE, event);

    // When
    List<Outcome> read = ProgressReport.parse(outcome.toJson());

    // Then
    assertThat(read).containsExactly(outcome);
  }

  static Stream<Event> events() {
    return Stream.of(
        new Accepted(),
        new Started("sluice.replies", 3, 17, OptionalLong.of(120), OptionalInt.of(64)),
        new Started("sluice.replies", 3, 17, OptionalLong.empty(), OptionalInt.empty()),
        new Progress(42),
        new Completed("stop", 10, 20, 3000),
        new Completed("stop", 10, 20, 3000, OptionalInt.of(8)),
        new Failed(FailureCode.ENGINE_ERROR, 503, "no \"luck\"\n\u4e2d", OptionalLong.of(1000), 5),
        new Failed(FailureCode.CONNECT, "", 0),
        new Rejected(ErrorKind.ANSWER_TOO_LARGE, 0, "", false),
        new Rejected(ErrorKind.INVALID_REQUEST, 400, "no", true),
        new Returned(ReturnReason.EVICTED, 7),
        new Superseded(),
        new Cancelled(),
        new Expired());
  }

  @Test
  void aNewerWorkersCodesStandForTheirKind() {
    String failed = new String(new Outcome(LEASE, new Failed(FailureCode.STALL, "", 1)).toJson());
    String rejected =
        new String(
            new Outcome(LEASE, new Rejected(ErrorKind.ANSWER_TOO_LARGE, 0, "", true)).toJson());

    assertThat(ProgressReport.parse(failed.replace("stall", "tired").getBytes()))
        .containsExactly(new Outcome(LEASE, new Failed(FailureCode.OTHER, "", 1)));
    assertThat(ProgressReport.parse(rejected.replace("answer_too_large", "rude").getBytes()))
        .containsExactly(new Outcome(LEASE, new Rejected(ErrorKind.INVALID_REQUEST, 0, "", true)));
  }

  @ParameterizedTest
  @EnumSource(ReturnReason.class)
  void aReasonStandsInLowerCaseAsEverythingOnTheWire(ReturnReason reason) throws IOException {
    // When
    JsonNode json = Json.tree(new Outcome(LEASE, new Returned(reason, 0)).toJson());

    // Then
    assertThat(json.path("reason").asText())
        .isEqualTo(reason.name().toLowerCase(java.util.Locale.ROOT));
  }

  @Test
  void itIsOneFlatObjectInSnakeCase() {
    // When
    String json = new String(new Outcome(LEASE, new Progress(3)).toJson());

    // Then
    assertThat(json)
        .isEqualTo(
            """
            {"type":"progress","request_id":"r-1","attempt":2,"lease":"lease-7","worker":"gpu-3",\
            "incarnation":"boot-1","tokens":3}""");
  }

  @ParameterizedTest
  @ValueSource(strings = {"request_id", "attempt", "lease", "worker", "incarnation", "type"})
  void anOutcomeThatDoesNotNameItsLeaseIsNone(String missing) throws IOException {
    assertThat(ProgressReport.parse(without(missing, new Accepted()))).isEmpty();
  }

  @Test
  void anOlderWorkersCompletionSaysNothingOfTheCache() throws IOException {
    Completed told = new Completed("stop", 1, 2, 3, OptionalInt.of(1));

    assertThat(ProgressReport.parse(without("cached_tokens", told)))
        .containsExactly(new Outcome(LEASE, new Completed("stop", 1, 2, 3)));
  }

  @Test
  void anEventThatLacksItsTextsIsNone() throws IOException {
    Event failed = new Failed(FailureCode.CONNECT, "refused", 0);
    Event started = new Started("t", 0, 0, OptionalLong.empty(), OptionalInt.empty());
    assertThat(ProgressReport.parse(without("reason", new Returned(ReturnReason.STALE, 0))))
        .isEmpty();
    assertThat(ProgressReport.parse(without("reply_topic", started))).isEmpty();
    assertThat(ProgressReport.parse(without("finish_reason", new Completed("stop", 1, 1, 1))))
        .isEmpty();
    assertThat(ProgressReport.parse(without("code", failed))).isEmpty();
    assertThat(ProgressReport.parse(without("message", failed))).isEmpty();
    Event rejected = new Rejected(ErrorKind.INVALID_REQUEST, 400, "no", true);
    assertThat(ProgressReport.parse(without("error", rejected))).isEmpty();
    assertThat(ProgressReport.parse(without("message", rejected))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "reason, '\"bored\"'",
    "reason, 3",
    "reason, null",
    "reason, '{}'",
    "attempt, 0",
    "attempt, '\"two\"'",
    "attempt, 99999999999",
    "attempt, 2147483647",
    "worker, '\"a/b\"'",
    "lease, '[1]'",
    "type, '\"vanished\"'",
    "type, null",
    "tokens, '{}'"
  })
  void anOutcomeWithAGarbledFieldIsNone(String field, String value) throws IOException {
    // Given
    ObjectNode json =
        (ObjectNode) Json.tree(new Outcome(LEASE, new Returned(ReturnReason.STALE, 0)).toJson());
    json.set(field, Json.mapper().readTree(value));

    // When
    List<Outcome> read = ProgressReport.parse(Json.bytes(json));

    // Then
    assertThat(read).isEmpty();
  }

  @Test
  void anOutcomeWhoseNamesCouldNotBeStoredIsNone() {
    String huge = "x".repeat(257);
    for (LeaseRef lease :
        List.of(
            new LeaseRef(huge, 1, "l", "w", "i"),
            new LeaseRef("r", 1, huge, "w", "i"),
            new LeaseRef("r", 1, "l", huge, "i"),
            new LeaseRef("r", 1, "l", "w", huge))) {
      assertThat(ProgressReport.parse(new Outcome(lease, new Accepted()).toJson())).isEmpty();
    }
  }

  @Test
  void whatANewerPeerAddsIsIgnored() throws IOException {
    // Given
    ObjectNode json = (ObjectNode) Json.tree(new Outcome(LEASE, new Progress(3)).toJson());
    json.put("mood", "fine").putObject("extra");

    // When
    List<Outcome> read = ProgressReport.parse(Json.bytes(json));

    // Then
    assertThat(read).containsExactly(new Outcome(LEASE, new Progress(3)));
  }

  @Test
  void aRecordWithoutAValueIsNotAnOutcome() {
    assertThat(ProgressReport.parse(null)).isEmpty();
  }

  @Property
  void arbitraryBytesNeverThrow(@ForAll byte[] garbage) {
    assertThat(ProgressReport.parse(garbage)).isEmpty();
  }

  @Property
  void arbitraryJsonNeverThrows(@ForAll("json") JsonNode json) {
    ProgressReport.parse(Json.bytes(json));
  }

  @Property
  void anOutcomeCutShortIsNone(@ForAll("cuts") byte[] cut) {
    assertThat(ProgressReport.parse(cut)).isEmpty();
  }

  @Provide
  Arbitrary<JsonNode> json() {
    return ArbitraryJson.withFields(
        "type",
        "request_id",
        "attempt",
        "lease",
        "worker",
        "incarnation",
        "reason",
        "tokens",
        "offset",
        "reply_topic",
        "retry_after_ms");
  }

  @Provide
  Arbitrary<byte[]> cuts() {
    byte[] whole = new Outcome(LEASE, new Completed("stop", 1, 2, 3)).toJson();
    return Arbitraries.integers()
        .between(0, whole.length - 1)
        .map(length -> Arrays.copyOf(whole, length));
  }

  private static byte[] without(String field, Event event) throws IOException {
    ObjectNode json = (ObjectNode) Json.tree(new Outcome(LEASE, event).toJson());
    json.remove(field);
    return Json.bytes(json);
  }
}
