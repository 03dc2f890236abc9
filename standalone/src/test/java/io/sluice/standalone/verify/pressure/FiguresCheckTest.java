package io.sluice.standalone.verify.pressure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.standalone.verify.pool.EngineFigures;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class FiguresCheckTest {
  private static final KvCache CACHE = new KvCache(63, 128, 2_048);

  @Test
  void snapshotsThatFollowTheEngineAreKept() {
    List<Seen<EngineFigures>> pages =
        List.of(page(0, 0, 0), page(500, 4, 0.5), page(1_000, 5, 0.6));

    Finding finding =
        new FiguresCheck(
                pages,
                List.of(told(250, 0, 0), told(600, 0, 0), told(750, 4, 0.5), told(1_050, 5, 0.6)))
            .run();

    assertThat(finding.isBroken()).isFalse();
    assertThat(finding.text())
        .contains(
            "all 4 snapshots",
            "running (up to 5)",
            "(up to 60%)",
            "1 were behind its answers, by at most 100 ms");
  }

  @Test
  void figuresThatTheEngineNeverHadAreBroken() {
    List<Seen<EngineFigures>> pages =
        List.of(page(0, 0, 0), page(500, 4, 0.5), page(20_000, 4, 0.5));

    Finding finding = new FiguresCheck(pages, List.of(told(20_100, 3, 0.5))).run();

    assertThat(finding.isBroken()).isTrue();
    assertThat(finding.text()).contains("expected a snapshot with", "it has running 3, waiting 0");
  }

  @Test
  void snapshotsThatAreAScrapeBehindAreBroken() {
    List<Seen<EngineFigures>> pages =
        List.of(page(0, 0, 0), page(500, 1, 0.1), page(1_000, 2, 0.2), page(1_500, 3, 0.3));

    Finding finding =
        new FiguresCheck(
                pages, List.of(told(1_100, 0, 0), told(1_600, 1, 0.1), told(2_100, 2, 0.2)))
            .run();

    assertThat(finding.isBroken()).isTrue();
    assertThat(finding.text()).contains("half of 3 were behind for more than 600 ms");
  }

  @Test
  void aWorkerThatTellsNothingIsBroken() {
    assertThat(new FiguresCheck(List.of(page(0, 0, 0)), List.of()).run().isBroken()).isTrue();
  }

  @Test
  void tokensInUseMayDifferByWhatEnginesRoundUp() {
    List<Seen<EngineFigures>> looked = List.of(page(0, 4, 28.0 / 63), page(100, 4, 28.0 / 63));

    assertThat(new TokensCheck(CACHE, looked).run(List.of(using(50, 4, 28 * 128 - 400))).text())
        .isEqualTo(
            "up to 3184 of 8064 are in use, as the engine says, but for 100 of each request in the"
                + " median, 100 at most (blocks have 128; 1 comparisons)");
    assertThat(new TokensCheck(CACHE, looked).run(List.of(using(50, 4, 28 * 128 - 800))).isBroken())
        .isTrue();
    assertThat(new TokensCheck(CACHE, looked).run(List.of(using(50, 3, 10))).text())
        .startsWith("skipped: ");
  }

  private static Seen<EngineFigures> page(long millis, int running, double kvUsage) {
    return new Seen<>(nanos(millis), new EngineFigures(running, 0, kvUsage, 0, 0));
  }

  private static Seen<WorkerSnapshot> told(long millis, int running, double kvUsage) {
    return new Seen<>(nanos(millis), snapshot(running, kvUsage, 0));
  }

  private static Seen<WorkerSnapshot> using(long millis, int running, long tokens) {
    return new Seen<>(nanos(millis), snapshot(running, 0, tokens));
  }

  private static long nanos(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }

  static WorkerSnapshot snapshot(int running, double kvUsage, long tokensInUse) {
    return WorkerSnapshotBuilder.builder()
        .id("worker-1")
        .incarnation("1.0")
        .sequence(1)
        .models(List.of("m"))
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(2_048)
        .tokenBudget(8_192)
        .tokensInUse(tokensInUse)
        .kvUsage(OptionalDouble.of(kvUsage))
        .running(running)
        .waiting(0)
        .slots(32)
        .held(Map.of("router", running))
        .draining(false)
        .engineUp(true)
        .pace(EnginePace.UNKNOWN)
        .traits(EngineTraits.NONE)
        .version("")
        .build();
  }
}
