package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
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
import org.junit.jupiter.params.provider.ValueSource;

class AssignmentTest {
  private static final LeaseRef LEASE = new LeaseRef("r-1", 2, "lease-7", "gpu-3", "boot-1");
  private static final Assignment ASSIGNMENT =
      AssignmentBuilder.builder()
          .lease(LEASE)
          .router("router-0")
          .fresh(false)
          .foldFromOffset(OptionalLong.of(41))
          .foldFromTimeMillis(1000)
          .replyTo(new ReplyAddress("sluice.replies", 5))
          .endpoint(Endpoint.COMPLETIONS)
          .tenant("acme")
          .priority(Priority.URGENT)
          .remainingMillis(60_000)
          .ageMillis(250)
          .appendTimeMillis(1000)
          .requestPartition(9)
          .evictions(2)
          .suspect(true)
          .fallbackModel(Optional.of("mini"))
          .build();

  @Property
  void whatIsWrittenIsReadBack(@ForAll("assignments") Assignment written) {
    // Given
    Headers headers = new RecordHeaders();

    // When
    written.writeTo(headers);

    // Then
    assertThat(Assignment.parse(headers)).contains(written);
    assertThat(Assignment.parseLease(headers)).contains(written.lease());
  }

  @Property
  void arbitraryBytesInAnyHeaderNeverThrow(
      @ForAll("headerNames") String name, @ForAll byte[] value) {
    // Given
    Headers headers = new RecordHeaders();
    ASSIGNMENT.writeTo(headers);
    headers.remove(name).add(name, value);

    // When, then: no exception
    Assignment.parse(headers);
    Assignment.parseLease(headers);
  }

  @Test
  void itReplacesWhatTheRequestSaidOfItself() {
    // Given
    Headers headers = new RecordHeaders();
    HeaderText.put(headers, "priority", "yesterday");
    HeaderText.put(headers, "reply-partition", "999");
    HeaderText.put(headers, "fold-from", "3");
    HeaderText.put(headers, "model", "any");
    HeaderText.put(headers, "traceparent", "00-1-2-01");
    Assignment firstEver =
        AssignmentBuilder.builder()
            .lease(LEASE)
            .router("router-0")
            .fresh(true)
            .foldFromOffset(OptionalLong.empty())
            .foldFromTimeMillis(1000)
            .replyTo(ASSIGNMENT.replyTo())
            .endpoint(Endpoint.CHAT_COMPLETIONS)
            .tenant("default")
            .priority(Priority.BULK)
            .remainingMillis(60_000)
            .ageMillis(250)
            .appendTimeMillis(1000)
            .requestPartition(9)
            .evictions(0)
            .suspect(false)
            .build();

    // When
    firstEver.writeTo(headers);

    // Then
    assertThat(Assignment.parse(headers)).contains(firstEver);
    assertThat(headers.headers("priority")).hasSize(1);
    assertThat(HeaderText.get(headers, "traceparent")).contains("00-1-2-01");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kind",
        "request-id",
        "attempt",
        "lease",
        "worker",
        "incarnation",
        "router",
        "fold-from-time",
        "reply-to",
        "reply-partition",
        "endpoint",
        "priority",
        "remaining-ms",
        "age-ms",
        "append-time",
        "request-partition"
      })
  void anAssignmentThatIsNotWholeIsNone(String missing) {
    // Given
    Headers headers = new RecordHeaders();
    ASSIGNMENT.writeTo(headers);

    // When
    headers.remove(missing);

    // Then
    assertThat(Assignment.parse(headers)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sluice.outcomes",
        "sluice.worker.w",
        "sluice.dead-letters",
        "other",
        "sluice.repliesx"
      })
  void anAssignmentThatWantsItsAnswerElsewhereThanOnAReplyTopicIsNone(String topic) {
    // Given
    Headers headers = new RecordHeaders();
    ASSIGNMENT.writeTo(headers);

    // When
    HeaderText.put(headers.remove("reply-to"), "reply-to", topic);

    // Then
    assertThat(Assignment.parse(headers)).isEmpty();
  }

  @Test
  void whatDoesNotSayThatItIsFreshIsNot() {
    // Given
    Headers headers = new RecordHeaders();
    ASSIGNMENT.writeTo(headers);

    // When
    headers.remove("fresh");

    // Then
    assertThat(Assignment.parse(headers).orElseThrow().fresh()).isFalse();
  }

  @Test
  void anAssignmentOfAnOlderRouterBelongsToTheTenantOfItsRequest() {
    // Given
    Headers ofDefault = new RecordHeaders();
    Headers ofAnother = new RecordHeaders();
    ASSIGNMENT.writeTo(ofDefault);
    ASSIGNMENT.writeTo(ofAnother);

    // When
    ofDefault.remove("tenant");
    HeaderText.put(ofAnother.remove("tenant"), "tenant", "globex");

    // Then
    assertThat(Assignment.parse(ofDefault).orElseThrow().tenant()).isEqualTo("default");
    assertThat(Assignment.parse(ofAnother).orElseThrow().tenant()).isEqualTo("globex");
  }

  @Test
  void aRevokeNamesItsLeaseAndIsNotAnAssignment() {
    // Given
    Headers headers = new RecordHeaders();

    // When
    Assignment.writeRevoke(headers, LEASE);

    // Then
    assertThat(Assignment.parseLease(headers)).contains(LEASE);
    assertThat(Assignment.parse(headers)).isEmpty();
    assertThat(HeaderText.get(headers, "kind")).contains(Assignment.KIND_REVOKE);
  }

  @Provide
  Arbitrary<String> headerNames() {
    Headers headers = new RecordHeaders();
    ASSIGNMENT.writeTo(headers);
    return Arbitraries.of(
        java.util.Arrays.stream(headers.toArray())
            .map(org.apache.kafka.common.header.Header::key)
            .toList());
  }

  @Provide
  Arbitrary<Assignment> assignments() {
    Arbitrary<String> names =
        Arbitraries.strings().ofMinLength(1).ofMaxLength(50).filter(WireText::survives);
    Arbitrary<LeaseRef> leases =
        Combinators.combine(names, Arbitraries.integers(), names, names, names).as(LeaseRef::new);
    Arbitrary<ReplyAddress> addresses =
        Combinators.combine(
                Arbitraries.of("sluice.replies", "sluice.replies.orders"), Arbitraries.integers())
            .as(ReplyAddress::new);
    Arbitrary<OptionalLong> offsets =
        Arbitraries.longs()
            .optional()
            .map(value -> value.map(OptionalLong::of).orElse(OptionalLong.empty()));
    return Combinators.combine(
            leases,
            names,
            Arbitraries.of(true, false),
            offsets,
            addresses,
            Arbitraries.of(Endpoint.class),
            Arbitraries.of(Priority.class),
            Arbitraries.longs())
        .as(
            (lease, router, flag, offset, address, endpoint, priority, millis) ->
                AssignmentBuilder.builder()
                    .lease(lease)
                    .router(router)
                    .fresh(flag)
                    .foldFromOffset(offset)
                    .foldFromTimeMillis(millis)
                    .replyTo(address)
                    .endpoint(endpoint)
                    .tenant(router)
                    .priority(priority)
                    .remainingMillis(millis / 2)
                    .ageMillis(millis / 5)
                    .appendTimeMillis(millis / 3)
                    .requestPartition(lease.attempt() / 2)
                    .evictions((int) (Math.abs(millis) % 5))
                    .suspect(!flag)
                    .fallbackModel(flag ? Optional.empty() : Optional.of(router))
                    .build());
  }
}
