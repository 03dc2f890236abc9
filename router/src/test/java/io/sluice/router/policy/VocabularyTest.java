package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import io.sluice.router.policy.Decision.Reason;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VocabularyTest {

  @Test
  void everyNameInADecisionHasAMeaning() {
    // Given
    List<Candidate> fleet =
        IntStream.range(0, 200)
            .mapToObj(number -> new TestWorker("w" + number).snapshot())
            .map(worker -> new Candidate(worker, 0, 0, false, true, false, BreakerPhase.CLOSED))
            .toList();

    // When
    List<Reason> reasons =
        RoutingPolicy.standard()
            .decide(new TestProfile().profile(), Candidates.of(fleet), new Random(1))
            .candidates();

    // Then
    assertThat(reasons)
        .flatExtracting(reason -> reason.scores().keySet())
        .isNotEmpty()
        .isSubsetOf(Vocabulary.scorers().keySet());
    assertThat(reasons)
        .flatExtracting(reason -> reason.ruledOutBy().stream().toList())
        .containsOnly("sample")
        .isSubsetOf(Vocabulary.filters().keySet());
  }

  @Test
  void itContainsEveryFilterAndNoWeightWithoutAScorer() {
    assertThat(Vocabulary.filters()).containsKeys("model", "handed_back", "bulk");
    assertThat(Vocabulary.scorers()).containsKeys("ttft", "load").doesNotContainKeys("spread");
  }

  @Test
  void anOldDecisionThatNamesAReservationDifferentlyIsExplainedToo() {
    assertThat(Vocabulary.filters())
        .containsEntry("held", Vocabulary.filters().get("reserved"))
        .containsKey("reserved");
  }
}
