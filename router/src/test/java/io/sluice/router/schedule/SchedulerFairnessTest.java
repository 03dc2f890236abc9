package io.sluice.router.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.RequestBody;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** In which order waiting requests go, and which of them may not wait at all. */
class SchedulerFairnessTest {
  private final VirtualRouter router = new VirtualRouter(20_000, Duration.ofSeconds(30));
  private final VirtualTask task = router.settledTask();

  @Test
  void oneRequestOfAnotherTenantGoesBeforeTheRestOfAFlood() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(1_000);

    // When
    task.request(new TestRequest("other").at(2_000).tenant("other"));
    complete(2);

    // Then
    assertThat(task.effects.requests()).contains("other");
  }

  @Test
  void tenantsShareAWorkerAcrossLanesToo() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(1_000);

    // When
    task.request(new TestRequest("other").at(2_000).tenant("other").lane("8k").tiers("precise"));
    complete(2);

    // Then
    assertThat(task.effects.requests()).contains("other");
  }

  @Test
  void aFloodThatRunsInOnePartitionLetsATenantOfAnotherOneGo() {
    // Given
    VirtualTask other = router.settledTask();
    router.join(new TestWorker("w1").slots(1));
    flood(1_000);
    other.request(new TestRequest("other").at(2_000).tenant("other"));

    // When
    for (int i = 0; i < 200 && other.effects.assigned.isEmpty(); i++) {
      complete(1);
      router.pass(Duration.ofMillis(60));
    }

    // Then
    assertThat(other.effects.requests()).containsExactly("other");
  }

  @Test
  void aTenantThatNoWorkerCanServeDoesNotDelayOthers() {
    // Given
    VirtualTask other = router.settledTask();
    router.join(new TestWorker("w1").slots(1).maxModelLen(4_096));
    flood(1_000);
    other.request(
        new TestRequest("long").tenant("other").promptTokens(9_000).deadlineMillis(3_600_000));

    // When
    for (int i = 0; i < 300; i++) {
      complete(1);
      router.pass(Duration.ofMillis(60));
    }

    // Then
    assertThat(task.effects.requests()).hasSizeGreaterThan(280);
    assertThat(other.stateName("long")).isEqualTo("pending");
  }

  @Test
  void whoSendsOneAtATimeDoesNotYieldEachTimeToOneThatNoWorkerCanServe() {
    // Given
    VirtualTask other = router.settledTask();
    router.join(new TestWorker("w1").slots(4).maxModelLen(4_096));
    other.request(
        new TestRequest("long").tenant("other").promptTokens(9_000).deadlineMillis(3_600_000));
    int sentAtOnce = 0;

    // When
    for (int i = 0; i < 100; i++) {
      task.request(new TestRequest("one-" + i).at(i).tenant("busy").promptTokens(1_000));
      sentAtOnce += task.effects.requests().contains("one-" + i) ? 1 : 0;
      router.pass(Duration.ofMillis(100));
      task.outcome(task.effects.lastLease(), new Outcome.Completed("stop", 1_000, 100, 300));
    }

    // Then: one a second yields, once the tenant is far ahead
    assertThat(sentAtOnce).isBetween(85, 98);
  }

  @Test
  void tenantsShareTheTokensThatTheirAnswersTook() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    floodOf("brief", 200);
    floodOf("wordy", 200);

    // When
    for (int i = 0; i < 110; i++) {
      boolean isWordy = task.effects.lastLease().requestId().startsWith("wordy");
      task.outcome(
          task.effects.lastLease(), new Outcome.Completed("stop", 100, isWordy ? 900 : 0, 300));
    }

    // Then: 100 tokens against 1,000
    assertThat(task.effects.requests())
        .filteredOn(id -> id.startsWith("wordy"))
        .hasSizeBetween(9, 11);
  }

  @Test
  void tenantsTakeTurnsAllTheTimeThoughAnswersAreLongerThanExpected() {
    // Given: all slots are of one tenant when the other one comes
    router.join(new TestWorker("w1").slots(100));
    floodOf("first", 1_000);
    floodOf("second", 1_000);

    // When: 900 tokens instead of 100
    for (int i = 0; i < 800; i++) {
      task.outcome(
          task.effects.assigned.get(i).lease(), new Outcome.Completed("stop", 100, 900, 300));
    }

    // Then
    assertThat(longestRun(task.effects.requests().subList(500, 900))).isLessThan(10);
  }

  @Test
  void whatTheEngineRejectsCountsWithItsPromptOnly() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    floodOf("bad", 100);
    floodOf("good", 100);

    // When
    for (int i = 0; i < 60; i++) {
      boolean isBad = task.effects.lastLease().requestId().startsWith("bad");
      task.outcome(
          task.effects.lastLease(),
          isBad ? TestWorker.rejection() : new Outcome.Completed("stop", 100, 100, 300));
    }

    // Then: 100 tokens against 200
    assertThat(task.effects.requests())
        .filteredOn(id -> id.startsWith("bad"))
        .hasSizeBetween(38, 42);
  }

  @Test
  void whatWasCancelledCountsWithItsExpectedLength() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    floodOf("cancels", 100);
    floodOf("reads", 100);

    // When
    for (int i = 0; i < 60; i++) {
      boolean isCancelled = task.effects.lastLease().requestId().startsWith("cancels");
      task.outcome(
          task.effects.lastLease(),
          isCancelled ? new Outcome.Cancelled() : new Outcome.Completed("stop", 100, 100, 300));
    }

    // Then
    assertThat(task.effects.requests())
        .filteredOn(id -> id.startsWith("cancels"))
        .hasSizeBetween(29, 32);
  }

  @Test
  void priorityComesBeforeFairness() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100);
    task.request(new TestRequest("other").at(2_000).tenant("other"));

    // When
    task.request(
        new TestRequest("urgent").at(2_001).tenant("flood").priority(Priority.URGENT).lane("8k"));
    complete(1);

    // Then
    assertThat(task.effects.requests()).endsWith("urgent");
  }

  @Test
  void aNearDeadlineComesBeforeFairness() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(10);
    task.request(new TestRequest("other").at(2_000).tenant("other"));

    // When
    task.request(
        new TestRequest("soon")
            .at(2_001)
            .tenant("flood")
            .deadlineMillis(router.elapsedMillis() + 4_000));
    complete(1);

    // Then
    assertThat(task.effects.requests()).endsWith("soon");
  }

  @Test
  void aTenantThatWaitsForNothingElseDoesNotDelayAnotherTierOrNeed() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("running"));
    task.request(new TestRequest("waits").tiers("fast"));
    router.join(new TestWorker("w2").models("qwen"));

    // When
    task.request(new TestRequest("other").model("qwen").tiers("fast"));

    // Then
    assertThat(task.effects.requests()).containsExactly("running", "other");
  }

  @Test
  void aRequestThatWouldWaitTooLongIsRefusedAtOnce() {
    // Given: 200 tokens a second, and 1,000 requests of 200 tokens
    router.join(new TestWorker("w1").slots(1));
    flood(1_000);
    completeEverySecond(12);

    // When
    task.request(new TestRequest("more").at(3_000).tenant("flood").deadlineMillis(9_999_000));

    // Then
    assertThat(task.effects.terminals).last().matches(last -> last.code().equals("overloaded"));
    assertThat(router.events.log).contains("refused more overloaded");
  }

  @Test
  void promotedBulkIsNotRefusedForItsWait() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(1_000);
    completeEverySecond(12);
    TestRequest bulk = new TestRequest("bulk").at(3_000).tenant("flood").deadlineMillis(9_999_000);
    var promoted = new RecordHeaders().add(HeaderNames.PROMOTED, "1".getBytes(UTF_8));

    // When
    task.scheduler()
        .request(bulk.accepted(), new RequestBody(promoted, bulk.body().value()), router.now());

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.stateName("bulk")).isEqualTo("pending");
  }

  @Test
  void oneThatCouldNotBeginBeforeItsDeadlineIsRefusedAtOnce() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(32);
    completeEverySecond(12);

    // When
    long soon = router.elapsedMillis() + 10_000;
    task.request(new TestRequest("late").at(3_000).tenant("flood").deadlineMillis(soon));
    task.request(new TestRequest("early").at(3_001).tenant("flood").deadlineMillis(soon + 15_000));

    // Then
    assertThat(router.events.log).contains("refused late overloaded");
    assertThat(task.stateName("early")).isEqualTo("pending");
  }

  @Test
  void anotherTenantUrgentRequestsAndBulkAreNotRefusedForAFlood() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(1_000);
    completeEverySecond(12);

    // When
    task.request(new TestRequest("other").at(3_000).tenant("other"));
    task.request(new TestRequest("urgent").at(3_001).tenant("flood").priority(Priority.URGENT));
    task.request(new TestRequest("bulk").at(3_002).tenant("flood").priority(Priority.BULK));

    // Then
    assertThat(task.effects.terminals).isEmpty();
  }

  @Test
  void aBacklogOfAnotherLaneRefusesNothingThatIdleWorkersCouldTake() {
    // Given: nobody serves the long ones
    router.join(new TestWorker("w1").slots(1).lanes("2k"));
    for (int i = 0; i < 20; i++) {
      task.request(
          new TestRequest("long" + i).lane("32k").promptTokens(30_000).deadlineMillis(3_600_000));
    }
    serveOneEverySecond(12);

    // When
    task.request(new TestRequest("more").at(3_000));

    // Then
    assertThat(task.effects.terminals).noneMatch(last -> last.code().equals("overloaded"));
    assertThat(task.effects.requests()).endsWith("more");
  }

  @Test
  void whatAQuietPoolIsAskedIsNotTakenForAllItCanWhileSomethingElseWaits() {
    // Given
    router.join(new TestWorker("w1").slots(1).lanes("2k").tier("fast").refuses("tools"));
    task.request(new TestRequest("other-tier").tiers("precise").deadlineMillis(3_600_000));
    task.request(new TestRequest("other-need").needs("tools").deadlineMillis(3_600_000));
    task.request(new TestRequest("bulk").lane("8k").priority(Priority.BULK));
    serveOneEverySecond(12);

    // When
    flood(1_000);

    // Then
    assertThat(router.events.log).noneMatch(event -> event.startsWith("refused"));
  }

  @Test
  void aBacklogOfItsOwnLaneStillRefusesWhenAnotherLaneIsIdle() {
    // Given
    router.join(new TestWorker("w1").slots(1).lanes("2k"));
    router.join(new TestWorker("w2").slots(1).lanes("8k"));
    flood(1_000);
    completeEverySecond(12);

    // When
    task.request(new TestRequest("short").at(3_000).tenant("flood").deadlineMillis(9_999_000));
    task.request(new TestRequest("long").at(3_001).tenant("flood").lane("8k"));

    // Then
    assertThat(router.events.log).contains("refused short overloaded");
    assertThat(task.stateName("long")).isEqualTo("leased");
  }

  @Test
  void aBurstOnAnIdlePoolIsNotRefused() {
    // Given
    router.join(new TestWorker("w1").slots(1));

    // When
    flood(5_000);

    // Then
    assertThat(task.effects.terminals).isEmpty();
  }

  @Test
  void theBacklogIsCountedByLaneAndPriorityInTokens() {
    // When
    flood(3);
    task.request(new TestRequest("bulk").at(9).lane("8k").priority(Priority.BULK));

    // Then
    assertThat(router.parts().backlog().waiting("2k", Priority.INTERACTIVE))
        .isEqualTo(new Backlog.Waits(3, 600));
    assertThat(router.parts().backlog().waiting("8k", Priority.BULK))
        .isEqualTo(new Backlog.Waits(1, 200));
  }

  private void flood(int requests) {
    for (int i = 0; i < requests; i++) {
      task.request(new TestRequest("f" + i).at(i).tenant("flood").deadlineMillis(3_600_000));
    }
  }

  /** Returns how many requests of one tenant were dispatched one after the other, at most. */
  private static int longestRun(List<String> requests) {
    int longest = 0;
    int run = 0;
    String last = "";
    for (String request : requests) {
      String tenant = request.replaceAll("[0-9]", "");
      run = tenant.equals(last) ? run + 1 : 1;
      longest = Math.max(longest, run);
      last = tenant;
    }
    return longest;
  }

  private void floodOf(String tenant, int requests) {
    for (int i = 0; i < requests; i++) {
      task.request(new TestRequest(tenant + i).at(i).tenant(tenant).deadlineMillis(3_600_000));
    }
  }

  private void serveOneEverySecond(int requests) {
    for (int i = 0; i < requests; i++) {
      task.request(new TestRequest("quiet" + i).at(i));
      router.pass(Duration.ofSeconds(1));
      complete(1);
    }
  }

  private void complete(int requests) {
    for (int i = 0; i < requests; i++) {
      task.outcome(task.effects.lastLease(), VirtualTask.completed());
    }
  }

  private void completeEverySecond(int requests) {
    for (int i = 0; i < requests; i++) {
      router.pass(Duration.ofSeconds(1));
      complete(1);
    }
  }
}
