package io.sluice.bench.replay;

import io.sluice.bench.replay.log.End;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.stat.Samples;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/** A column of the table. A figure that is not known is absent. */
record Figures(Map<Row, Double> values) {
  Figures {
    values = Map.copyOf(values);
  }

  /**
   * Returns the figures of these requests.
   *
   * @param ids of the requests that are compared
   * @param sloMillis how soon requests want their first token that do not say it
   */
  static Figures of(
      List<Integer> ids,
      List<RecordedRequest> requests,
      IntFunction<Fact> facts,
      double sloMillis) {
    Samples ttft = new Samples();
    Samples waits = new Samples();
    int interactive = 0;
    int within = 0;
    int refused = 0;
    int failed = 0;
    long cached = 0;
    long prompts = 0;
    for (int id : ids) {
      RecordedRequest request = requests.get(id);
      Fact fact = facts.apply(id);
      refused += fact.end() == End.REFUSED ? 1 : 0;
      failed += fact.end() == End.FAILED ? 1 : 0;
      if (fact.cachedTokens().isPresent()) {
        cached += fact.cachedTokens().getAsInt();
        prompts += request.promptTokens();
      }
      if (request.isInteractive()) {
        interactive++;
        fact.ttftMillis().ifPresent(ttft::add);
        fact.waitedMillis().ifPresent(waits::add);
        within += fact.ttftMillis().orElse(Double.MAX_VALUE) <= slo(request, sloMillis) ? 1 : 0;
      }
    }
    Map<Row, Double> values = new EnumMap<>(Row.class);
    values.put(Row.REQUESTS, (double) ids.size());
    if (ttft.count() > 0) {
      values.put(Row.TTFT_P50, ttft.percentile(50));
      values.put(Row.TTFT_P95, ttft.percentile(95));
      values.put(Row.TTFT_P99, ttft.percentile(99));
    }
    if (waits.count() > 0) {
      values.put(Row.WAIT_P95, waits.percentile(95));
    }
    if (interactive > 0) {
      values.put(Row.WITHIN_SLO, (double) within / interactive);
    }
    if (prompts > 0) {
      values.put(Row.PREFIX_HITS, (double) cached / prompts);
    }
    values.put(Row.REFUSED, (double) refused);
    values.put(Row.FAILED, (double) failed);
    return new Figures(values);
  }

  private static double slo(RecordedRequest request, double otherwise) {
    OptionalLong by = request.metadata().firstTokenByMillis();
    return by.isPresent() ? by.getAsLong() - request.arrivalMillis() : otherwise;
  }

  /** Returns the means over runs of the same requests. */
  static Figures mean(List<Figures> runs) {
    Map<Row, Double> means = new EnumMap<>(Row.class);
    for (Row row : Row.values()) {
      OptionalDouble mean =
          runs.stream()
              .filter(run -> run.values().containsKey(row))
              .mapToDouble(run -> run.values().getOrDefault(row, 0.0))
              .average();
      mean.ifPresent(value -> means.put(row, value));
    }
    return new Figures(means);
  }

  /** Returns one of the figures; empty if it is not known. */
  OptionalDouble of(Row row) {
    Double value = values.get(row);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }
}
