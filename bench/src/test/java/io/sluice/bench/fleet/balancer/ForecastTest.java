package io.sluice.bench.fleet.balancer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.simulator.engine.Engine;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares forecasts with what an engine without noise does. */
class ForecastTest {
  private static final EngineConfig CONFIG = EngineConfig.of(Timing.of(GpuProfile.RTX4090), 16_384);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 20, 60})
  void theFirstTokenComesWhenForecast(int before) {
    // Given an engine in the middle of its work
    SplittableRandom random = new SplittableRandom(before);
    Engine engine = new Engine(CONFIG);
    Map<Integer, Forecast.Open> open = new LinkedHashMap<>();
    long now = 0;
    for (int id = 0; id < before; id++) {
      submit(engine, open, request(id, random.nextInt(100, 2_500), random.nextInt(20, 400)));
      now += step(engine, open, now, -1);
    }

    // When
    FleetRequest last = request(before, 1_000, 100);
    open.forEach((id, has) -> engine.uncomputedTokens(id).ifPresent(has::lacks));
    double forecast =
        Forecast.of(CONFIG, List.copyOf(open.values()), open(last)).millisToFirstToken();
    submit(engine, open, last);

    // Then
    long sent = now;
    List<Long> ends = new ArrayList<>();
    while (ends.isEmpty()) {
      long nanos = step(engine, open, now, last.id());
      now += Math.abs(nanos);
      if (nanos < 0) {
        ends.add(now);
      }
    }
    double actual = (ends.getFirst() - sent) / 1e6;
    assertThat(forecast).isCloseTo(actual, within(0.05 * actual + 30));
  }

  /** Runs a step; its time is negative if it had the first token of a request. */
  private static long step(Engine engine, Map<Integer, Forecast.Open> open, long now, int awaited) {
    boolean[] isThere = {false};
    long nanos =
        engine
            .step(
                now,
                (sequence, token, end) -> {
                  int id = (int) sequence.request().id();
                  isThere[0] |= id == awaited;
                  open.get(id).has(sequence.outputTokens());
                  if (sequence.finish().isPresent()) {
                    open.remove(id);
                  }
                })
            .durationNanos();
    return isThere[0] ? -nanos : nanos;
  }

  private static void submit(
      Engine engine, Map<Integer, Forecast.Open> open, FleetRequest request) {
    engine.submit(request.toSequence());
    open.put(request.id(), open(request));
  }

  private static Forecast.Open open(FleetRequest request) {
    return new Forecast.Open(
        request.promptTokens(), request.outputTokens(), request.promptTokens());
  }

  private static FleetRequest request(int id, int promptTokens, int outputTokens) {
    long[] blocks = new long[promptTokens / 512 + 1];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = 1_000L * id + i;
    }
    return new FleetRequest(id, 0, promptTokens, outputTokens, blocks, id, true, false);
  }
}
