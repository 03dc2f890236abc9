package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import io.sluice.router.prefix.PrefixChain;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BulkRoomTest {

  static Stream<Arguments> table() {
    return Stream.of(
        row("some room", true, at(worker(), 7)),
        row("four fifths of the slots taken", false, at(worker(), 8)),
        row("the only slot of a worker", true, at(worker().slots(1), 0)),
        row("memory just below the limit", true, at(worker().kvUsage(0.699), 1)),
        row("memory at the limit", false, at(worker().kvUsage(0.70), 1)),
        row("a prompt that would reach it", false, at(budget().kvUsage(0.60), 1)),
        row("a prompt that fits", true, at(budget().kvUsage(0.35), 1)),
        row("a long prompt on an idle worker", true, at(worker().tokenBudget(100), 0)),
        row("prompts wait already", false, at(worker().pace(8_000, 20, 500), 1)),
        row("they are computed at once", true, at(worker().pace(80_000, 5, 500), 1)),
        row("steps as long as 512 tokens take", true, at(worker().pace(8_000, 64, 0), 1)),
        row("longer steps", false, at(worker().pace(8_000, 65, 0), 1)),
        row("longer steps before anything runs", true, at(worker().pace(8_000, 65, 0), 0)),
        row("half open, to probe it", true, at(worker(), 1, BreakerPhase.HALF_OPEN)),
        row("the last probe of half open", false, at(worker(), 2, BreakerPhase.HALF_OPEN)),
        row("open", false, at(worker(), 0, BreakerPhase.OPEN)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("table")
  void bulkEntersOnlyIfItLeavesRoomForOthers(String what, boolean enters, Candidate candidate) {
    assertThat(decide(Priority.BULK, candidate).chosen().isPresent()).isEqualTo(enters);
  }

  @Test
  void othersNeedNoSuchRoom() {
    Candidate busy = at(worker().kvUsage(0.75).pace(8_000, 90, 500), 9);

    assertThat(decide(Priority.INTERACTIVE, busy).chosen()).contains("w");
  }

  @Test
  void theFeederCountsTheSlotsThatAreLeftForBulk() {
    assertThat(slots(worker(), 3, BreakerPhase.CLOSED)).isEqualTo(5);
    assertThat(slots(worker(), 9, BreakerPhase.CLOSED)).isZero();
    assertThat(slots(worker(), 0, BreakerPhase.OPEN)).isZero();
    assertThat(slots(worker(), 0, BreakerPhase.HALF_OPEN)).isEqualTo(2);
    assertThat(slots(worker(), 3, BreakerPhase.HALF_OPEN)).isZero();
    assertThat(slots(worker().draining(true), 3, BreakerPhase.CLOSED)).isZero();
    assertThat(slots(worker().kvUsage(0.71), 3, BreakerPhase.CLOSED)).isZero();
  }

  private static int slots(TestWorker worker, int leases, BreakerPhase breaker) {
    return BulkRoom.slots(worker.snapshot(), leases, breaker);
  }

  private static Decision decide(Priority priority, Candidate candidate) {
    RequestProfile request =
        new RequestProfile(
            "llama",
            "8k",
            3_000,
            100,
            List.of(),
            priority,
            Set.of(),
            Optional.empty(),
            PrefixChain.NONE);
    return RoutingPolicy.standard()
        .decide(request, Candidates.of(List.of(candidate)), new Random(1));
  }

  private static TestWorker worker() {
    return new TestWorker("w").slots(10);
  }

  private static TestWorker budget() {
    return worker().tokenBudget(10_000);
  }

  private static Candidate at(TestWorker worker, int leases) {
    return at(worker, leases, BreakerPhase.CLOSED);
  }

  private static Candidate at(TestWorker worker, int leases, BreakerPhase breaker) {
    return new Candidate(worker.snapshot(), leases, 0, false, true, false, breaker);
  }

  private static Arguments row(String what, boolean enters, Candidate candidate) {
    return Arguments.of(what, enters, candidate);
  }
}
