package io.sluice.router.stream;

import static io.sluice.router.stream.StreamFixture.CHAT;
import static io.sluice.router.stream.StreamFixture.START_EPOCH_MILLIS;
import static io.sluice.router.stream.StreamFixture.headers;
import static io.sluice.router.stream.StreamFixture.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.PastAttempt;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.TestWorker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class RouterTopologyTest {
  private final StreamFixture fixture = new StreamFixture();
  @TempDir private Path stateDirectory;
  private RouterDriver driver;

  @BeforeEach
  void start() {
    driver = new RouterDriver(fixture, stateDirectory);
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  @Test
  void aRequestBecomesAnAssignmentOnTheWorkersTopicWithItsBodyUnchanged() {
    // Given
    fixture.join(new TestWorker("w1").incarnation("boot-1"));

    // When
    driver.send(
        "2k", CHAT, headers("request-id", "r", "tenant", "acme", "traceparent", "00-ab-cd-01"));

    // Then
    ProducerRecord<String, byte[]> sent = fixture.toWorker("w1").getFirst();
    assertThat(sent.key()).isEqualTo("r");
    assertThat(new String(sent.value(), UTF_8)).isEqualTo(CHAT);
    Assignment assignment = Assignment.parse(sent.headers()).orElseThrow();
    assertThat(assignment.lease().requestId()).isEqualTo("r");
    assertThat(assignment.lease().attempt()).isEqualTo(1);
    assertThat(assignment.lease().incarnation()).isEqualTo("boot-1");
    assertThat(assignment.fresh()).isTrue();
    assertThat(assignment.replyTo())
        .isEqualTo(new ReplyAddress("sluice.replies", Partitions.of("r", 4)));
    assertThat(assignment.remainingMillis()).isEqualTo(60_000);
    assertThat(assignment.ageMillis()).isZero();
    assertThat(assignment.appendTimeMillis()).isEqualTo(START_EPOCH_MILLIS);
    assertThat(assignment.tenant()).isEqualTo("acme");
    assertThat(text(sent.headers(), "traceparent")).isEqualTo("00-ab-cd-01");
    assertThat(text(sent.headers(), "sluice")).isEqualTo("1");
  }

  @ParameterizedTest
  @ValueSource(longs = {-7_200_000, -120_000, 120_000, 7_200_000})
  void brokersAndRouterThatDisagreeAboutTheTimeChangeNoDeadline(long aheadMillis) {
    // Given
    fixture.brokersAheadMillis = aheadMillis;
    fixture.join(new TestWorker("w1"));

    // When
    driver.send("2k", CHAT, headers("request-id", "r"));

    // Then
    assertThat(fixture.replies()).isEmpty();
    Assignment assignment =
        Assignment.parse(fixture.toWorker("w1").getFirst().headers()).orElseThrow();
    assertThat(assignment.remainingMillis()).isEqualTo(60_000);
    assertThat(assignment.ageMillis()).isZero();
    assertThat(assignment.appendTimeMillis()).isEqualTo(START_EPOCH_MILLIS);
  }

  @Test
  void aWaitingRequestIsSentWhenAWorkerComes() {
    // Given
    driver.send("2k", CHAT, headers("request-id", "r"));

    // When
    fixture.join(new TestWorker("w1"));
    driver.pass(Duration.ofMillis(40));

    // Then
    assertThat(fixture.toWorker("w1")).hasSize(1);
  }

  @Test
  void anOutcomeEndsTheRequest() {
    // Given
    fixture.join(new TestWorker("w1"));
    driver.send("2k", CHAT, headers("request-id", "r"));
    LeaseRef lease =
        Assignment.parseLease(fixture.toWorker("w1").getFirst().headers()).orElseThrow();

    // When
    driver.report(lease, new Outcome.Completed("stop", 9, 3, 120));

    // Then
    assertThat(driver.hasEnded("r")).isTrue();
    assertThat(fixture.bodies.cached()).isEmpty();
    assertThat(fixture.ledger.at("w1").leases()).isZero();
  }

  @Test
  void aMisLanedRequestIsMovedByItsLabel() {
    // Given
    fixture.join(new TestWorker("short").lanes("2k"));
    fixture.join(new TestWorker("long").lanes("8k"));

    // When
    driver.send("2k", CHAT.replace("Hi", "many words ".repeat(3_000)), headers("request-id", "r"));

    // Then
    assertThat(fixture.toWorker("short")).isEmpty();
    assertThat(fixture.toWorker("long")).hasSize(1);
    assertThat(driver.stored("r").metadata().lane()).isEqualTo("8k");
  }

  @Test
  void aRequestThatNoWorkerTakesIsAnsweredAtItsDeadline() throws IOException {
    // Given
    driver.send("2k", CHAT, headers("request-id", "r", "timeout-ms", "5000", "tenant", "acme"));

    // When
    driver.pass(Duration.ofMillis(4_900));
    boolean waited = fixture.replies().isEmpty();
    driver.pass(Duration.ofMillis(200));

    // Then
    assertThat(waited).isTrue();
    ProducerRecord<String, byte[]> reply = fixture.replies().getFirst();
    assertThat(Json.tree(reply.value()).at("/error/code").asText()).isEqualTo("deadline_exceeded");
    assertThat(text(reply.headers(), "tenant")).isEqualTo("acme");
    assertThat(text(fixture.deadLetters().getFirst().headers(), "error-code"))
        .isEqualTo("deadline_exceeded");
  }

  @Test
  void aDeadLetterHasItsRequestsHeadersAndTheWholeHistory() {
    // Given
    fixture.join(new TestWorker("w1"));
    driver.send(
        "2k",
        CHAT,
        headers("request-id", "r", "tenant", "acme", "history", "forged", "redrive-of", "first"));
    LeaseRef lease =
        Assignment.parseLease(fixture.toWorker("w1").getFirst().headers()).orElseThrow();

    // When
    driver.report(lease, TestWorker.rejection());

    // Then
    ProducerRecord<String, byte[]> letter = fixture.deadLetters().getFirst();
    assertThat(new String(letter.value(), UTF_8)).isEqualTo(CHAT);
    assertThat(text(letter.headers(), "tenant")).isEqualTo("acme");
    assertThat(text(letter.headers(), "redrive-of")).isEqualTo("first");
    assertThat(text(letter.headers(), "append-time")).isEqualTo(Long.toString(START_EPOCH_MILLIS));
    assertThat(text(letter.headers(), "model")).isEqualTo("llama");
    assertThat(letter.headers().headers("history")).hasSize(1);
    AttemptHistory history = AttemptHistory.parse(text(letter.headers(), "history")).orElseThrow();
    assertThat(history.attempts()).isEqualTo(1);
    assertThat(history.last()).extracting(PastAttempt::worker).containsExactly("w1");
    assertThat(history.last()).extracting(PastAttempt::lease).containsExactly(lease.lease());
  }

  @Test
  void aCancelThatOvertookItsRequestCountsUntilTheTimeItCarries() {
    // Given
    String past = Long.toString(START_EPOCH_MILLIS - 1);
    driver.pipe("sluice.control", new Control.Cancel("a").toJson(), headers());
    driver.pipe("sluice.control", new Control.Cancel("b").toJson(), headers("deadline", past));

    // When
    driver.send("2k", CHAT, headers("request-id", "a"));
    driver.send("2k", CHAT, headers("request-id", "b"));

    // Then
    assertThat(fixture.replies()).extracting(ProducerRecord::key).containsExactly("a");
  }

  @Test
  void aCancelTakesARunningRequestFromItsWorker() {
    // Given
    fixture.join(new TestWorker("w1"));
    driver.send("2k", CHAT, headers("request-id", "r"));

    // When
    driver.pipe("sluice.control", new Control.Cancel("r").toJson(), headers());

    // Then
    List<ProducerRecord<String, byte[]>> sent = fixture.toWorker("w1");
    assertThat(sent).hasSize(2);
    assertThat(text(sent.get(1).headers(), "kind")).isEqualTo("revoke");
    assertThat(Assignment.parseLease(sent.get(1).headers()))
        .isEqualTo(Assignment.parseLease(sent.get(0).headers()));
    assertThat(fixture.replies()).hasSize(1);
  }

  @Test
  void aRepeatFromElsewhereIsSentAPointer() throws IOException {
    // Given
    driver.send("2k", CHAT, headers("request-id", "r", "reply-partition", "1"));

    // When
    driver.send("2k", CHAT, headers("request-id", "r", "reply-partition", "2"));

    // Then
    ProducerRecord<String, byte[]> pointer = fixture.replies().getFirst();
    assertThat(pointer.partition()).isEqualTo(2);
    assertThat(text(pointer.headers(), "kind")).isEqualTo("pointer");
    assertThat(Json.tree(pointer.value()).at("/reply_partition").asInt()).isEqualTo(1);
  }

  @Test
  void theRefusalOfAnIdThatAnotherTenantUsesOutranksNothing() throws IOException {
    // Given
    driver.send("2k", CHAT, headers("request-id", "1", "tenant", "a"));

    // When
    driver.send("2k", CHAT, headers("request-id", "1", "tenant", "b"));

    // Then
    ProducerRecord<String, byte[]> refusal = fixture.replies().getFirst();
    assertThat(text(refusal.headers(), "kind")).isEqualTo("error");
    assertThat(text(refusal.headers(), "attempt")).isEqualTo("0");
    assertThat(text(refusal.headers(), "tenant")).isEqualTo("b");
    assertThat(refusal.headers().headers("tenant")).hasSize(1);
    assertThat(Json.tree(refusal.value()).at("/error/code").asText())
        .isEqualTo("request_id_in_use");
    assertThat(text(fixture.deadLetters().getFirst().headers(), "source-offset")).isEqualTo("1");
    assertThat(driver.stored("1").metadata().tenant()).isEqualTo("a");
  }

  @Test
  void aRevokeOfAWorkerWithoutATopicIsNotSentAnywhere() {
    // Given
    LeaseRef lease = new LeaseRef("r", 1, "l", "homeless", "first");

    // When
    driver.report(lease, new Outcome.Accepted());

    // Then
    assertThat(fixture.toWorker("homeless")).isEmpty();
  }

  @Test
  void aWorkersTopicThatTakesNothingCostsOnlyThatWorker() {
    // Given
    fixture.join(new TestWorker("w1"));
    driver.send("2k", CHAT, headers("request-id", "r"));
    fixture.join(new TestWorker("w2"));

    // When
    driver.pass(StreamEffects.ASSIGN_WITHIN.plusMillis(40));
    driver.send("2k", CHAT, headers("request-id", "next"));

    // Then
    assertThat(fixture.toWorker("w2")).extracting(ProducerRecord::key).containsExactly("r", "next");
    assertThat(driver.stored("r").history().failures()).isZero();
    assertThat(fixture.toWorker("w1"))
        .extracting(sent -> text(sent.headers(), "kind"))
        .containsExactly("assign", "revoke");
  }

  @Test
  void nothingThatARouterWritesIsWrittenByTheStreamThread() {
    assertThat(RouterTopology.build(Lanes.standard(), fixture.parts()).describe().toString())
        .doesNotContain("Sink");
  }

  @Test
  void aRouterThatWakesAfterALongPauseActsOnNoRecordThatItStillHas() {
    // Given
    fixture.join(new TestWorker("w1"));
    driver.pass(Duration.ofMillis(40));
    fixture.pauses++;

    // When
    ThrowingCallable record = () -> driver.send("2k", CHAT, headers("request-id", "r"));
    ThrowingCallable tick = () -> driver.pass(Duration.ofMillis(20));

    // Then
    assertThatThrownBy(record).isExactlyInstanceOf(TaskMigratedException.class);
    assertThatThrownBy(tick).isExactlyInstanceOf(TaskMigratedException.class);
    assertThat(fixture.toWorker("w1")).isEmpty();
  }
}
