package io.sluice.cli.operations;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerState;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The state of a worker at one moment.
 *
 * @param state {@code ready}, {@code draining} or {@code engine down}
 * @param breaker {@code closed}, {@code half open} or {@code open}, and why
 * @param running requests in its engine's batch; empty while the engine is down
 * @param waiting requests in its engine's queue; empty while the engine is down
 * @param held requests that it holds, of {@code slots}
 * @param tokensPerSecond output of its engine, by its batch and step time; empty if not measured,
 *     and while the engine is down
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
record WorkerStatus(
    String id,
    Optional<String> tier,
    List<String> models,
    List<String> lanes,
    String state,
    String breaker,
    OptionalDouble kvUsage,
    OptionalInt running,
    OptionalInt waiting,
    int held,
    int slots,
    OptionalDouble tokensPerSecond,
    String version) {
  private static final double MILLIS_PER_SECOND = 1000.0;

  static WorkerStatus of(WorkerSnapshot snapshot, BreakerState breaker) {
    return WorkerStatusBuilder.builder()
        .id(snapshot.id())
        .models(snapshot.models())
        .lanes(snapshot.lanes())
        .state(stateOf(snapshot))
        .breaker(breakerOf(breaker))
        .kvUsage(snapshot.kvUsage())
        .running(ofLivingEngine(snapshot, snapshot.running()))
        .waiting(ofLivingEngine(snapshot, snapshot.waiting()))
        .held(snapshot.heldInAll())
        .slots(snapshot.slots())
        .tokensPerSecond(tokensPerSecond(snapshot))
        .version(snapshot.version())
        .tier(snapshot.tier())
        .build();
  }

  private static OptionalDouble tokensPerSecond(WorkerSnapshot snapshot) {
    double step = snapshot.pace().stepMillis();
    return step > 0 && snapshot.engineUp()
        ? OptionalDouble.of(snapshot.running() * MILLIS_PER_SECOND / step)
        : OptionalDouble.empty();
  }

  /** An engine that does not answer says nothing: its snapshot has 0 where nothing is known. */
  private static OptionalInt ofLivingEngine(WorkerSnapshot snapshot, int figure) {
    return snapshot.engineUp() ? OptionalInt.of(figure) : OptionalInt.empty();
  }

  private static String breakerOf(BreakerState breaker) {
    String phase = lowerCase(breaker.phase());
    String causes = breaker.causesInWords();
    return causes.isEmpty() ? phase : phase + " (" + causes + ")";
  }

  private static String lowerCase(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String stateOf(WorkerSnapshot snapshot) {
    if (!snapshot.engineUp()) {
      return "engine down";
    }
    return snapshot.draining() ? "draining" : "ready";
  }
}
