package io.sluice.bench.replay.model;

import io.sluice.bench.replay.log.End;
import io.sluice.bench.replay.log.RecordedRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a worker generated the recorded answers, on average over the time in which it generated any.
 *
 * @param stepMillis the median over the answers of their mean time between two tokens
 * @param running how many answers it generated side by side
 * @param contextTokens of these answers together, prompts and what was generated
 * @param prefillTokensPerMilli prompt tokens that it computed, cached ones not counted
 */
record WorkerPace(
    double stepMillis, double running, double contextTokens, double prefillTokensPerMilli) {
  /** In a shorter answer the time of its end counts too much. */
  private static final int LEAST_TOKENS = 8;

  /** Fewer answers say little. */
  private static final int LEAST_ANSWERS = 10;

  /**
   * The time of an answer from its first token to its end.
   *
   * @param computed prompt tokens that were not cached
   */
  private record Stretch(long beginMillis, long endMillis, int tokens, int prompt, int computed) {
    double stepMillis() {
      return (endMillis - beginMillis) / (tokens - 1.0);
    }

    /** Returns its context over its length, in tokens times milliseconds. */
    double contextMillis() {
      return (prompt + tokens / 2.0) * (endMillis - beginMillis);
    }
  }

  /** Measures every worker that has given enough answers. */
  static Map<String, WorkerPace> of(List<RecordedRequest> requests) {
    Map<String, List<Stretch>> byWorker = new HashMap<>();
    for (RecordedRequest request : requests) {
      boolean isWhole =
          request.happened().end() == End.ANSWERED
              && request.happened().ttftMillis().isPresent()
              && request.happened().worker().isPresent()
              && request.outputTokens() >= LEAST_TOKENS;
      if (isWhole) {
        Stretch stretch = stretch(request);
        if (stretch.endMillis() > stretch.beginMillis()) {
          byWorker
              .computeIfAbsent(request.happened().worker().get(), any -> new ArrayList<>())
              .add(stretch);
        }
      }
    }
    Map<String, WorkerPace> paces = new HashMap<>();
    byWorker.forEach(
        (worker, stretches) -> {
          if (stretches.size() >= LEAST_ANSWERS) {
            paces.put(worker, mean(stretches));
          }
        });
    return paces;
  }

  private static Stretch stretch(RecordedRequest request) {
    long begin = request.arrivalMillis() + request.happened().ttftMillis().orElse(0);
    return new Stretch(
        begin,
        request.happened().endedMillis().orElse(begin),
        request.outputTokens(),
        request.promptTokens(),
        Math.max(0, request.promptTokens() - request.happened().cachedTokens().orElse(0)));
  }

  private static WorkerPace mean(List<Stretch> stretches) {
    stretches.sort(Comparator.comparingLong(Stretch::beginMillis));
    double busy = 0;
    long until = Long.MIN_VALUE;
    for (Stretch stretch : stretches) {
      busy += Math.max(0, stretch.endMillis() - Math.max(until, stretch.beginMillis()));
      until = Math.max(until, stretch.endMillis());
    }
    double[] steps = stretches.stream().mapToDouble(Stretch::stepMillis).sorted().toArray();
    double all =
        stretches.stream().mapToDouble(each -> each.endMillis() - each.beginMillis()).sum();
    double context = stretches.stream().mapToDouble(Stretch::contextMillis).sum();
    double computed = stretches.stream().mapToDouble(Stretch::computed).sum();
    return new WorkerPace(steps[steps.length / 2], all / busy, context / busy, computed / busy);
  }
}
