package io.sluice.bench.replay.model;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.GpuProfileBuilder;
import io.sluice.simulator.engine.timing.StepCost;
import io.sluice.simulator.engine.timing.StepWork;
import io.sluice.simulator.engine.timing.Timing;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Models a worker's engine on what the worker measured of it. The time per prompt token is the
 * inverse of the measured prefill speed. The time of a step has the shape of the built-in profile
 * that is nearest, scaled so that a step takes as long as it did with the answers that ran then.
 */
final class EngineFit {
  /** More of a step than this is never taken to be prefill. */
  private static final double MOST_PREFILL = 0.9;

  private static final int BLOCK_TOKENS = 16;

  /** Assumed of an engine that says nothing of its memory or context. */
  private static final GpuProfile UNKNOWN = GpuProfile.RTX4090;

  /**
   * Decoding as it was measured.
   *
   * @param millis of a step without the part of prefill; 0 if not known
   * @param work of such a step
   */
  private record Decoding(double millis, StepWork work) {}

  private EngineFit() {}

  /** Returns whether anything was measured of an engine; otherwise a profile stands for it. */
  static boolean isMeasured(WorkerSnapshot worker, Optional<WorkerPace> recorded) {
    return recorded.isPresent()
        || worker.pace().stepMillis() > 0
        || worker.pace().prefillTokensPerSecond() > 0;
  }

  /**
   * Returns the engine of a worker.
   *
   * @param recorded how it generated the recorded answers; empty if there are too few
   * @param slots the most requests in it; empty for the worker's present limit
   */
  static EngineConfig of(WorkerSnapshot worker, Optional<WorkerPace> recorded, OptionalInt slots) {
    double speed = worker.pace().prefillTokensPerSecond();
    double prefillMillis = speed > 0 ? 1_000 / speed : 0;
    Decoding decoding = decoding(worker, recorded, prefillMillis);
    GpuProfile shape = nearest(prefillMillis, decoding);
    double scale = scale(shape.cost(), prefillMillis, decoding);
    int context = worker.maxModelLen() > 0 ? worker.maxModelLen() : UNKNOWN.maxModelLen();
    long tokens =
        worker.tokenBudget() > 0
            ? worker.tokenBudget()
            : (long) UNKNOWN.kvBlocks() * UNKNOWN.blockTokens();
    int blocks = (int) Math.min(Integer.MAX_VALUE, Math.max(tokens, context) / BLOCK_TOKENS + 2);
    int most = slots.orElse(Math.max(1, worker.slots()));
    GpuProfile measured =
        GpuProfileBuilder.builder()
            .wireName(worker.id())
            .cost(scaled(shape.cost(), scale, prefillMillis))
            .requestMillis(0)
            .bytesPerParameter(shape.bytesPerParameter())
            .kvBlocks(blocks)
            .blockTokens(BLOCK_TOKENS)
            .maxNumBatchedTokens(shape.maxNumBatchedTokens())
            .maxNumSeqs(most)
            .maxModelLen(context)
            .noiseSigma(0)
            .measured(true)
            .build();
    return EngineConfig.of(Timing.of(measured), context)
        .withScheduling(
            // As vLLM schedules unless it is told otherwise: a prompt begins a step later.
            Scheduling.of(most, shape.maxNumBatchedTokens()).withAsync(true));
  }

  private static Decoding decoding(
      WorkerSnapshot worker, Optional<WorkerPace> recorded, double prefillMillis) {
    if (recorded.isEmpty()) {
      int running = Math.max(1, worker.running());
      return new Decoding(
          worker.pace().stepMillis(), StepWork.decode(running, (double) worker.tokensInUse()));
    }
    WorkerPace pace = recorded.get();
    double prefill = Math.min(MOST_PREFILL, pace.prefillTokensPerMilli() * prefillMillis);
    return new Decoding(
        pace.stepMillis() * (1 - prefill), StepWork.decode(pace.running(), pace.contextTokens()));
  }

  private static GpuProfile nearest(double prefillMillis, Decoding decoding) {
    return GpuProfile.names().stream()
        .map(GpuProfile::named)
        .min(
            Comparator.comparingDouble(
                profile -> distance(profile.cost(), prefillMillis, decoding)))
        .filter(nearest -> prefillMillis > 0 || decoding.millis() > 0)
        .orElse(UNKNOWN);
  }

  private static double distance(StepCost cost, double prefillMillis, Decoding decoding) {
    return distance(prefillMillis, cost.prefillTokenMillis())
        + distance(decoding.millis(), cost.stepMillis(decoding.work()));
  }

  private static double distance(double measured, double built) {
    return measured > 0 ? Math.abs(Math.log(measured / built)) : 0;
  }

  private static double scale(StepCost cost, double prefillMillis, Decoding decoding) {
    if (decoding.millis() > 0) {
      return decoding.millis() / cost.stepMillis(decoding.work());
    }
    return prefillMillis > 0 ? prefillMillis / cost.prefillTokenMillis() : 1;
  }

  private static StepCost scaled(StepCost cost, double scale, double prefillMillis) {
    return new StepCost(
        cost.baseMillis() * scale,
        prefillMillis > 0 ? prefillMillis : cost.prefillTokenMillis() * scale,
        0,
        cost.decodeSequenceMillis() * scale,
        cost.kvTokenMillis() * scale,
        cost.frontEndTokenMillis() * scale);
  }
}
