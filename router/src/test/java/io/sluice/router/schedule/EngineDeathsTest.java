package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A prompt kills every engine that it comes to, or merely shares one. */
class EngineDeathsTest {
  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @BeforeEach
  void join() {
    List.of("w1", "w2", "w3").forEach(worker -> router.join(new TestWorker(worker)));
  }

  @Test
  void aRequestThatTookTwoEnginesDownEndsWithAClearErrorAndADeadLetter() {
    // Given
    task.request(new TestRequest("r"));

    // When
    LeaseRef first = engineDied(accepted(), 0);
    LeaseRef second = engineDied(accepted(), 0);

    // Then
    assertThat(second.worker()).isNotEqualTo(first.worker());
    assertThat(task.effects.assigned).hasSize(2);
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("worker_lost");
    var letter = task.effects.deadLetters.getFirst();
    assertThat(letter.message()).contains("2 workers or their engines died");
    assertThat(letter.history().last())
        .extracting(attempt -> attempt.end().reason(), attempt -> attempt.end().code())
        .containsOnly(tuple(Reason.DIED, "engine_gone"));
  }

  @Test
  void whoHadTokensIsResumedFreeOfChargeHoweverOften() {
    task.request(new TestRequest("r"));

    for (int attempt = 1; attempt <= 6; attempt++) {
      LeaseRef lease = accepted();
      task.outcome(lease, VirtualTask.started(10));
      engineDied(lease, 10 * attempt);
      router.pass(Duration.ofMillis(500));
    }

    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.history("r").deaths()).isZero();
    assertThat(task.history("r").failures()).isZero();
  }

  @Test
  void tokensThatTheRouterHearsOfOnlyWithTheDeathCountToo() {
    task.request(new TestRequest("r"));

    engineDied(accepted(), 3);
    engineDied(accepted(), 3);
    int deaths = task.history("r").deaths();
    engineDied(accepted(), 4);

    assertThat(deaths).isOne();
    assertThat(task.history("r").deaths()).isZero();
    assertThat(task.effects.terminals).isEmpty();
  }

  /** Such as one that is restarted, and kills each engine after its first tokens. */
  @Test
  void whoNeverGetsFurtherFailsLikeAnyOther() {
    task.request(new TestRequest("r"));

    for (int attempt = 1; attempt <= 4; attempt++) {
      LeaseRef lease = accepted();
      task.outcome(lease, VirtualTask.started(10));
      engineDied(lease, 5);
      router.pass(Duration.ofMillis(500));
    }

    assertThat(task.effects.assigned).hasSize(4);
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("engine_error");
  }

  @Test
  void whoMayKillAnEngineGoesToOneThatHasNothingElseToLose() {
    // Given neighbours at every worker but one, and the one that the policy likes best is not idle
    task.request(new TestRequest("r"));
    LeaseRef first = accepted();
    String idle =
        router.workers().stream()
            .map(worker -> worker.snapshot().id())
            .filter(worker -> !worker.equals(first.worker()))
            .findFirst()
            .orElseThrow();
    for (int i = 0; i < 12; i++) {
      LeaseRef neighbour = task.start(new TestRequest("n" + i));
      if (neighbour.worker().equals(idle)) {
        task.outcome(neighbour, VirtualTask.completed());
      }
    }

    // When
    engineDied(first, 0);

    // Then
    assertThat(task.effects.lastLease().requestId()).isEqualTo("r");
    assertThat(task.effects.lastLease().worker()).isEqualTo(idle);
  }

  private LeaseRef accepted() {
    LeaseRef lease = task.effects.lastLease();
    task.outcome(lease, new Outcome.Accepted());
    return lease;
  }

  private LeaseRef engineDied(LeaseRef lease, int tokens) {
    task.outcome(lease, new Outcome.Failed(FailureCode.ENGINE_GONE, "the engine died", tokens));
    return lease;
  }
}
