package io.sluice.worker.intake;

import static io.sluice.worker.testing.ScriptedEngine.run;
import static io.sluice.worker.testing.ScriptedEngine.silence;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AssignmentBuilder;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.protocol.Priority;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.worker.generation.HeldMemory;
import io.sluice.worker.generation.Services;
import io.sluice.worker.generation.StopReason;
import io.sluice.worker.health.FreezeWatch;
import io.sluice.worker.testing.Surroundings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Timeout(20)
class IntakeTest {
  private static final int SLOTS = 20;

  private final Surroundings around = new Surroundings();
  private final RunningGenerations running = new RunningGenerations();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final AtomicBoolean engineUp = new AtomicBoolean(true);
  private final Incarnation incarnation = new Incarnation();
  private BreakerPhase breaker = BreakerPhase.CLOSED;
  private final Intake intake = intake(around.services());
  private long offset;

  private Intake intake(Services services) {
    return new Intake(
        services,
        running,
        new Admission(() -> SLOTS, draining::get, engineUp::get, () -> breaker),
        incarnation);
  }

  @AfterEach
  void stopAll() throws InterruptedException {
    running.stop(any -> true, StopReason.ABANDONED);
    assertThat(running.awaitNone(Duration.ofSeconds(5))).isTrue();
  }

  @Test
  void anAssignmentIsAcceptedAndRuns() throws Exception {
    around.engine.plays(silence());

    intake.take(assigned("a"), Duration.ZERO);

    around.engine.awaitSilence();
    assertThat(running.count()).isEqualTo(1);
    assertThat(running.countPerRouter()).isEqualTo(Map.of("router-1", 1));
    assertThat(around.log.events()).containsExactly(new Outcome.Accepted());
  }

  @Test
  void aTenthMoreThanTheSlotsIsHeldAndTheRestGoesBack() {
    for (int i = 0; i < 23; i++) {
      around.engine.plays(silence());
      intake.take(assigned("lease-" + i), Duration.ZERO);
    }

    assertThat(running.count()).isEqualTo(22);
    awaitReturned(ReturnReason.NO_SLOT);
  }

  @Test
  void aRequestForWhichThereIsNoMemoryGoesBack() {
    around.engine.plays(silence());
    around.memory = HeldMemory.of(100);
    Intake small = intake(around.services());

    small.take(assigned("a"), Duration.ZERO);
    small.take(assigned("b"), Duration.ZERO);

    assertThat(running.count()).isEqualTo(1);
    awaitReturned(ReturnReason.NO_SLOT);
    assertThat(running.usable(SLOTS)).isEqualTo(1);
  }

  @Test
  void nothingIsAcceptedNextToASuspectUntilItHasAToken() {
    around.engine.plays(silence());
    around.engine.plays(silence());

    intake.take(suspect("r-1", "a"), Duration.ZERO);
    intake.take(suspect("r-2", "b"), Duration.ZERO);
    intake.take(assigned("c"), Duration.ZERO);

    awaitReturned(ReturnReason.NO_SLOT);
    assertThat(running.ofLease("a")).isPresent();
    assertThat(running.ofLease("b")).isEmpty();
    assertThat(running.ofLease("c")).isPresent();
  }

  @Test
  void aSuspectTakesAllSlotsUntilItHasAToken() {
    var shown = new CompletableFuture<Void>();
    around.engine.plays(run(shown::join), text("a", 1), silence());
    assertThat(running.usable(20)).isEqualTo(20);

    intake.take(suspect("r-1", "a"), Duration.ZERO);
    assertThat(running.usable(20)).isEqualTo(1);

    shown.complete(null);
    await().until(() -> running.usable(20) == 20);
  }

  @Test
  void aSuspectWaitsUntilAllOthersHaveAToken() throws Exception {
    var shown = new CompletableFuture<Void>();
    around.engine.plays(run(shown::join), text("a", 1), silence());
    around.engine.plays(silence());
    intake.take(assigned("a"), Duration.ZERO);
    await().until(() -> around.engine.requests().size() == 1);

    intake.take(suspect("r-2", "b"), Duration.ZERO);

    await()
        .during(Duration.ofMillis(200))
        .until(() -> around.log.events().equals(List.of(new Outcome.Accepted())));
    shown.complete(null);
    await().until(() -> around.engine.requests().size() == 2);
  }

  @Test
  void whileASuspectWaitsToBeAloneNothingElseIsAccepted() throws Exception {
    around.engine.plays(silence());
    intake.take(assigned("a"), Duration.ZERO);
    await().until(() -> around.engine.requests().size() == 1);
    intake.take(suspect("r-2", "b"), Duration.ZERO);
    awaitReturned(ReturnReason.NO_SLOT);

    intake.take(assigned("c"), Duration.ZERO);
    around.time.advance(Duration.ofSeconds(3));
    around.engine.plays(silence());
    intake.take(assigned("d"), Duration.ZERO);

    assertThat(running.ofLease("c")).isEmpty();
    assertThat(running.ofLease("d")).isPresent();
  }

  @Test
  void othersAreAcceptedAsSoonAsASuspectThatWaitedHasAToken() throws Exception {
    var shown = new CompletableFuture<Void>();
    around.engine.plays(run(shown::join), text("a", 1), silence());
    around.engine.plays(text("b", 1), silence());
    around.engine.plays(silence());
    intake.take(assigned("a"), Duration.ZERO);
    await().until(() -> around.engine.requests().size() == 1);
    intake.take(suspect("r-2", "b"), Duration.ZERO);
    intake.take(assigned("c"), Duration.ZERO);
    assertThat(running.ofLease("c")).isEmpty();

    shown.complete(null);
    await().until(() -> running.usable(20) == 20);
    intake.take(assigned("d"), Duration.ZERO);

    assertThat(running.ofLease("d")).isPresent();
  }

  @Test
  void suspectsThatAreNeverAloneDoNotBlockOthersForGood() {
    var reservation = new SuspectReservation();
    int offSeconds = 0;
    for (int second = 0; second < 60; second++) {
      reservation.suspectWaits("r-1", TimeUnit.SECONDS.toNanos(second));
      offSeconds += reservation.isActive(TimeUnit.SECONDS.toNanos(second)) ? 1 : 0;
    }

    assertThat(offSeconds).isBetween(28, 32);
    assertThat(reservation.isActive(TimeUnit.SECONDS.toNanos(62))).isFalse();
  }

  @Test
  void aSuspectThatIsAloneDoesNotEndTheReservationOfAnother() {
    var reservation = new SuspectReservation();
    reservation.suspectWaits("r-1", 0);
    reservation.suspectWaits("r-2", 1);

    reservation.suspectEnters("r-1");
    boolean isActiveForTheOther = reservation.isActive(2);
    reservation.suspectEnters("r-2");

    assertThat(isActiveForTheOther).isTrue();
    assertThat(reservation.isActive(3)).isFalse();
  }

  @Test
  void whileTheBreakerIsOpenNothingIsAccepted() {
    breaker = BreakerPhase.OPEN;

    intake.take(assigned("a"), Duration.ZERO);

    awaitReturned(ReturnReason.BREAKER_OPEN);
    assertThat(running.count()).isZero();
  }

  @Test
  void whileTheBreakerIsHalfOpenThreeProbesRunAndOthersAreReturned() {
    breaker = BreakerPhase.HALF_OPEN;

    for (int i = 0; i < 4; i++) {
      around.engine.plays(silence());
      intake.take(assigned("lease-" + i), Duration.ZERO);
    }

    awaitReturned(ReturnReason.BREAKER_OPEN);
    assertThat(running.count()).isEqualTo(3);
  }

  @Test
  void aRevokeGetsThroughWhileEverySlotIsTaken() {
    for (int i = 0; i < 22; i++) {
      around.engine.plays(silence());
      intake.take(assigned("lease-" + i), Duration.ZERO);
    }

    intake.take(revoked("lease-7"), Duration.ZERO);

    await().until(() -> running.count() == 21);
    assertThat(running.ofLease("lease-7")).isEmpty();
  }

  @Test
  void anAmendmentReachesItsGenerationWhileEverySlotIsTaken() {
    for (int i = 0; i < 22; i++) {
      around.engine.plays(silence());
      intake.take(assigned("lease-" + i), Duration.ZERO);
    }

    intake.take(amended("lease-7", Priority.BULK), Duration.ZERO);

    assertThat(running.ofLease("lease-7").orElseThrow().priority()).isEqualTo(Priority.BULK);
    assertThat(running.ofLease("lease-8").orElseThrow().priority()).isEqualTo(Priority.INTERACTIVE);
  }

  @Test
  void aRevocationWithoutAGenerationIsIgnored() {
    intake.take(revoked("nobody"), Duration.ZERO);

    assertThat(around.log.events()).isEmpty();
  }

  @Test
  void anAssignmentToAnotherIncarnationGoesBack() {
    ConsumerRecord<String, byte[]> record = assigned("a");
    incarnation.renew();

    intake.take(record, Duration.ZERO);

    awaitReturned(ReturnReason.STALE);
    assertThat(running.count()).isZero();
  }

  @Test
  void anAssignmentForWhichNoRouterWaitsAnyMoreGoesBack() {
    intake.take(assigned("a"), Assignment.MAX_AGE.plusMillis(1));

    awaitReturned(ReturnReason.STALE);
  }

  @ParameterizedTest
  @ValueSource(longs = {-7_200_000, -3_000, 3_000, 7_200_000})
  void aBrokerClockThatIsOffMakesNothingStaleAndNothingLate(long skewMillis) throws Exception {
    around.engine.plays(silence());
    intake.take(revoked("a record of another clock"), Duration.ZERO);

    intake.take(
        record(assignment("a"), around.time.millis() + skewMillis),
        Assignment.MAX_AGE.minusMillis(1));

    around.engine.awaitSilence();
    assertThat(running.count()).isEqualTo(1);
    assertThat(around.log.events()).containsExactly(new Outcome.Accepted());
  }

  @Test
  void whileDrainingEverythingIsReturned() {
    draining.set(true);

    intake.take(assigned("a"), Duration.ZERO);

    awaitReturned(ReturnReason.DRAINING);
  }

  @Test
  void whileTheEngineIsDownEverythingIsReturned() {
    engineUp.set(false);

    intake.take(assigned("a"), Duration.ZERO);

    awaitReturned(ReturnReason.BREAKER_OPEN);
  }

  @Test
  void aRepeatedAssignmentRunsOnce() throws Exception {
    around.engine.plays(silence());

    intake.take(assigned("a"), Duration.ZERO);
    intake.take(assigned("a"), Duration.ZERO);

    around.engine.awaitSilence();
    assertThat(around.engine.requests()).hasSize(1);
  }

  @Test
  void aLaterAttemptOfARequestEndsTheEarlierOneWithoutAWord() throws Exception {
    around.engine.plays(text("a", 1), silence()).plays(silence());
    intake.take(assigned("a"), Duration.ZERO);
    around.engine.awaitSilence();

    intake.take(
        record(
            around.assignment(2, "b", false).lease(),
            around.assignment(2, "b", false),
            around.time.millis()),
        Duration.ZERO);

    await().until(() -> running.ofLease("a").isEmpty());
    assertThat(running.ofLease("b")).isPresent();
  }

  @Test
  void recordsOfUnknownKindAndHalfAssignmentsAreIgnored() {
    var headers = new RecordHeaders();
    headers.add("kind", "dance".getBytes(StandardCharsets.UTF_8));
    intake.take(record(headers, around.time.millis()), Duration.ZERO);
    var half = new RecordHeaders();
    half.add("kind", Assignment.KIND_ASSIGN.getBytes(StandardCharsets.UTF_8));
    intake.take(record(half, around.time.millis()), Duration.ZERO);

    assertThat(running.count()).isZero();
    assertThat(around.log.events()).isEmpty();
  }

  @Test
  void aFrozenProcessDropsAllItHeldAndBeginsANewIncarnation() throws Exception {
    around.engine.plays(text("a", 1), silence());
    intake.take(assigned("a"), Duration.ZERO);
    around.engine.awaitSilence();
    String before = incarnation.current();
    var watch = new FreezeWatch(running, incarnation, around.time);
    watch.tick();
    around.time.advance(Duration.ofMillis(1_400));
    watch.tick();
    assertThat(incarnation.current()).isEqualTo(before);

    around.time.advance(Duration.ofMillis(1_501));
    watch.tick();

    assertThat(incarnation.current()).isNotEqualTo(before);
    assertThat(running.awaitNone(Duration.ofSeconds(5))).isTrue();
    assertThat(around.log.events()).doesNotHaveAnyElementsOfTypes(Outcome.Returned.class);
  }

  @Test
  void aSlowStartIsNotAFreeze() {
    String before = incarnation.current();
    var watch = new FreezeWatch(running, incarnation, around.time);
    around.time.advance(Duration.ofSeconds(30));

    watch.tick();

    assertThat(incarnation.current()).isEqualTo(before);
  }

  private void awaitReturned(ReturnReason reason) {
    await()
        .untilAsserted(
            () -> assertThat(around.log.events()).contains(new Outcome.Returned(reason, 0)));
  }

  private ConsumerRecord<String, byte[]> assigned(String lease) {
    return record(assignment(lease), around.time.millis());
  }

  private ConsumerRecord<String, byte[]> suspect(String requestId, String lease) {
    ConsumerRecord<String, byte[]> record = assigned(lease);
    HeaderText.set(record.headers(), HeaderNames.REQUEST_ID, requestId);
    HeaderText.set(record.headers(), HeaderNames.SUSPECT, "true");
    return record;
  }

  private Assignment assignment(String lease) {
    return around.assignment(1, lease, true);
  }

  private ConsumerRecord<String, byte[]> record(Assignment assignment, long appendTime) {
    return record(assignment.lease(), assignment, appendTime);
  }

  private ConsumerRecord<String, byte[]> record(LeaseRef lease, Assignment given, long appendTime) {
    var current =
        new LeaseRef(
            lease.requestId(),
            lease.attempt(),
            lease.lease(),
            lease.worker(),
            incarnation.current());
    var headers = new RecordHeaders();
    AssignmentBuilder.builder(given).lease(current).build().writeTo(headers);
    return record(headers, appendTime);
  }

  private ConsumerRecord<String, byte[]> revoked(String lease) {
    var headers = new RecordHeaders();
    Assignment.writeRevoke(
        headers, new LeaseRef(Surroundings.REQUEST, 1, lease, "w", incarnation.current()));
    return record(headers, around.time.millis());
  }

  private ConsumerRecord<String, byte[]> amended(String lease, Priority priority) {
    var headers = new RecordHeaders();
    new Amendment(
            new LeaseRef(Surroundings.REQUEST, 1, lease, "w", incarnation.current()),
            priority,
            60_000)
        .writeTo(headers);
    return record(headers, around.time.millis());
  }

  private ConsumerRecord<String, byte[]> record(RecordHeaders headers, long appendTime) {
    byte[] body =
        "{\"model\":\"m\",\"messages\":[],\"stream\":true}".getBytes(StandardCharsets.UTF_8);
    return new ConsumerRecord<>(
        "sluice.worker.w",
        0,
        offset++,
        appendTime,
        TimestampType.LOG_APPEND_TIME,
        0,
        body.length,
        Surroundings.REQUEST,
        body,
        headers,
        Optional.empty());
  }
}
