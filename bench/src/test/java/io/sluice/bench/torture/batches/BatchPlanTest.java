package io.sluice.bench.torture.batches;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.pool.Engines;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BatchPlanTest {
  @Test
  void equalSeedsGiveEqualBatches() {
    assertThat(plan(5)).isEqualTo(plan(5)).isNotEqualTo(plan(6));
  }

  @Test
  void everyBatchHasRequestsOfDifferentIdsAndOneOtherLine() {
    for (PlannedBatch batch : plan(5)) {
      Set<String> ids = new HashSet<>();
      List<PlannedLine> requests =
          batch.lines().stream().filter(line -> line.body().isPresent()).toList();
      requests.forEach(line -> ids.add(line.customId()));
      assertThat(ids).hasSize(requests.size()).hasSize(batch.lines().size() - 1);
      assertThat(batch.input().lines().count()).isEqualTo(batch.lines().size());
    }
  }

  private static List<PlannedBatch> plan(long seed) {
    return BatchPlan.of(seed, Duration.ofMinutes(10), 0.05, Engines.simulated());
  }
}
