package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import io.sluice.router.lease.EndOffsetWatermark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a router waits for acceptances, where they come late. */
@Tag("slow")
class SchedulerAcceptanceTest {
  private static final Duration TICK = Duration.ofMillis(20);
  private static final long REQUEST_EVERY_MILLIS = 240;
  private static final long ANSWER_MILLIS = 500;
  private static final List<String> WORKERS = List.of("w1", "w2", "w3", "w4");
  private static final int SLOTS = 8;

  /** A report on its way to the router. */
  private record Report(long atMillis, Outcome outcome) {}

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();
  private final Map<String, Duration> delays = new HashMap<>();
  private final Map<LeaseRef, Long> givenMillis = new HashMap<>();
  private final List<Report> reports = new ArrayList<>();
  private int requests;

  SchedulerAcceptanceTest() {
    task.effects.onAssign = assignment -> given(assignment.lease());
  }

  @ParameterizedTest
  @ValueSource(longs = {2_100, 3_000, 5_900, 11_000})
  void whereAllAcceptLateFewLeasesAreLostAtFirstAndThenNone(long delayMillis) {
    // Given
    join();
    allAcceptAfter(Duration.ofMillis(delayMillis));

    // When
    passWithRequests(Duration.ofSeconds(25));
    long lostAtFirst = lost();
    passWithRequests(Duration.ofSeconds(120));

    // Then
    assertThat(lostAtFirst).isBetween(1L, 6L * WORKERS.size() * SLOTS);
    assertThat(lost()).isEqualTo(lostAtFirst);
    assertThat(answered()).isGreaterThan(200);
  }

  @Test
  void whereAcceptancesComeLaterAndLaterNoLeaseIsLost() {
    // Given
    join();

    // When
    for (int millis = 200; millis <= 5_000; millis += 200) {
      allAcceptAfter(Duration.ofMillis(millis));
      passWithRequests(Duration.ofSeconds(5));
    }

    // Then
    assertThat(lost()).isZero();
    assertThat(answered()).isGreaterThan(200);
  }

  @Test
  void whereAllAcceptLateAWorkerThatJoinsLosesNothingEither() {
    // Given
    join();
    allAcceptAfter(Duration.ofSeconds(3));
    passWithRequests(Duration.ofSeconds(25));
    long lostAtFirst = lost();

    // When
    router.join(new TestWorker("w5").slots(SLOTS));
    delays.put("w5", Duration.ofSeconds(3));
    passWithRequests(Duration.ofSeconds(25));

    // Then
    assertThat(task.effects.workers()).contains("w5");
    assertThat(lost()).isEqualTo(lostAtFirst);
  }

  @Test
  void aWorkerThatNeverAcceptsIsFoundWithinTwoSecondsWhileTheOthersAreQuick() {
    // Given
    join();
    allAcceptAfter(Duration.ofMillis(100));
    passWithRequests(Duration.ofSeconds(5));
    delays.remove("w1");

    // When
    LeaseRef lease = passUntilGivenTo("w1");
    passWithRequests(Duration.ofMillis(2_040));

    // Then
    assertThat(task.effects.revoked).containsExactly(lease);
    assertThat(lost()).isEqualTo(1);
  }

  @Test
  void aWorkerThatWasAwayDoesNotMakeTheRouterWaitForAnother() {
    // Given
    join();
    allAcceptAfter(Duration.ofMillis(100));
    delays.put("w1", Duration.ofSeconds(9));
    passWithRequests(Duration.ofSeconds(20));
    allAcceptAfter(Duration.ofMillis(100));
    passWithRequests(Duration.ofSeconds(10));
    delays.remove("w2");

    // When
    LeaseRef lease = passUntilGivenTo("w2");
    passWithRequests(Duration.ofMillis(2_040));

    // Then
    assertThat(task.effects.revoked).contains(lease);
  }

  @Test
  void aMinuteAfterTheSlowTimeTheRouterWaitsForTwoSecondsAgain() {
    // Given
    join();
    allAcceptAfter(Duration.ofSeconds(3));
    passWithRequests(Duration.ofSeconds(30));
    allAcceptAfter(Duration.ofMillis(100));
    passWithRequests(Duration.ofSeconds(63));
    delays.remove("w1");

    // When
    LeaseRef lease = passUntilGivenTo("w1");
    passWithRequests(Duration.ofMillis(2_040));

    // Then
    assertThat(task.effects.revoked).contains(lease);
  }

  @ParameterizedTest
  @ValueSource(strings = {"accepted", "started", "stale", "failed"})
  void anyReportOfALeaseThatWasTakenBackCounts(String report) {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef first = request();
    router.pass(Duration.ofSeconds(3));
    assertThat(task.effects.revoked).containsExactly(first);

    // When
    task.outcome(first, event(report));

    // Then
    assertThat(waitedFor(task.effects.lastLease())).isBetween(6_000L, 6_040L);
  }

  @Test
  void theRouterNeverWaitsForLongerThanWorkersTakeAnAssignment() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef first = request();
    router.pass(Duration.ofSeconds(40));

    // When
    task.outcome(first, new Outcome.Accepted());

    // Then
    long most = Assignment.MAX_AGE.toMillis();
    assertThat(waitedFor(task.effects.lastLease())).isBetween(most, most + 40);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAcceptanceThatThisRouterSleptThroughDoesNotMakeItWait(boolean ticksFirst) {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef first = request();

    // When
    sleepsThroughAcceptance(first, ticksFirst);

    // Then
    assertThat(waitedFor(request())).isBetween(2_000L, 2_040L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLeaseThatWasTakenBackBeforeThisRouterSleptDoesNotMakeItWait(boolean ticksFirst) {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef first = request();
    router.pass(Duration.ofMillis(2_040));

    // When
    sleepsThroughAcceptance(first, ticksFirst);

    // Then
    assertThat(waitedFor(request())).isBetween(2_000L, 2_040L);
  }

  @Test
  void theTimeForWhichAReportWasUnreadHereIsNotTheWorkers() {
    // Given
    var heard = new EndOffsetWatermark(router.now().nanos());
    VirtualTask behind = router.newTask(heard);
    heard.read(0);
    router.join(new TestWorker("w1"));
    behind.effects.onAssign = assignment -> given(assignment.lease());
    behind.request(new TestRequest("r"));
    heard.ended(1, router.now().nanos() + Duration.ofMillis(100).toNanos());
    router.pass(Duration.ofSeconds(10));

    // When
    heard.read(1);
    behind.outcome(behind.effects.lastLease(), new Outcome.Accepted());

    // Then
    assertThat(waitedFor(request())).isBetween(2_000L, 2_040L);
  }

  private void sleepsThroughAcceptance(LeaseRef lease, boolean ticksFirst) {
    router.freeze(Duration.ofMillis(2_900));
    if (ticksFirst) {
      router.tick();
    }
    task.outcome(lease, new Outcome.Accepted());
    router.pass(Duration.ofSeconds(1));
  }

  private static Outcome.Event event(String name) {
    return switch (name) {
      case "accepted" -> new Outcome.Accepted();
      case "started" -> VirtualTask.started(10);
      case "stale" -> new Outcome.Returned(Outcome.ReturnReason.STALE, 0);
      default -> TestWorker.failure(0);
    };
  }

  private void join() {
    WORKERS.forEach(worker -> router.join(new TestWorker(worker).slots(SLOTS)));
  }

  private void allAcceptAfter(Duration delay) {
    WORKERS.forEach(worker -> delays.put(worker, delay));
  }

  private void given(LeaseRef lease) {
    givenMillis.put(lease, router.elapsedMillis());
    Duration delay = delays.get(lease.worker());
    if (delay != null) {
      long atMillis = router.elapsedMillis() + delay.toMillis();
      reports.add(new Report(atMillis, new Outcome(lease, new Outcome.Accepted())));
    }
  }

  /** Returns the lease of a new request. */
  private LeaseRef request() {
    task.request(
        new TestRequest("r" + requests)
            .at(requests++)
            .deadlineMillis(router.elapsedMillis() + 300_000));
    return task.effects.lastLease();
  }

  /**
   * Passes time until a lease that nobody accepts is taken back, and returns how long it lasted.
   */
  private long waitedFor(LeaseRef lease) {
    while (!task.effects.revoked.contains(lease)) {
      router.pass(TICK);
    }
    return router.elapsedMillis() - givenMillis.get(lease);
  }

  /** Returns the next lease of a worker. */
  private LeaseRef passUntilGivenTo(String worker) {
    task.effects.clear();
    while (!task.effects.workers().contains(worker)) {
      passWithRequests(TICK);
    }
    task.effects.revoked.clear();
    return task.effects.lastLease();
  }

  private long lost() {
    return events("requeued .* not_accepted");
  }

  private long answered() {
    return events("answered .*");
  }

  private long events(String pattern) {
    return router.events.log.stream().filter(event -> event.matches(pattern)).count();
  }

  /** Time passes. New requests come, and workers accept and answer them. */
  private void passWithRequests(Duration duration) {
    for (long millis = 0; millis < duration.toMillis(); millis += TICK.toMillis()) {
      router.pass(TICK);
      if (router.elapsedMillis() % REQUEST_EVERY_MILLIS < TICK.toMillis()) {
        var _ = request();
      }
      List<Report> due =
          reports.stream().filter(report -> report.atMillis() <= router.elapsedMillis()).toList();
      reports.removeAll(due);
      due.forEach(this::deliver);
    }
  }

  private void deliver(Report report) {
    LeaseRef lease = report.outcome().lease();
    task.outcome(lease, report.outcome().event());
    if (report.outcome().event() instanceof Outcome.Accepted && isHeld(lease)) {
      long atMillis = router.elapsedMillis() + ANSWER_MILLIS;
      reports.add(new Report(atMillis, new Outcome(lease, VirtualTask.completed())));
    }
  }

  private boolean isHeld(LeaseRef lease) {
    return task.store
        .get(lease.requestId())
        .flatMap(tracked -> tracked.state().activeLease())
        .filter(lease::equals)
        .isPresent();
  }
}
