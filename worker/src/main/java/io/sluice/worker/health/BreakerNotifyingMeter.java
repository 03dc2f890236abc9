package io.sluice.worker.health;

import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.TraceContext;
import io.sluice.worker.generation.EngineRun;
import io.sluice.worker.generation.GenerationMeter;
import java.time.Duration;
import java.util.Optional;

/**
 * Passes everything to a meter, and outcomes to the breaker as well. Thread-safe.
 *
 * @param meter gets everything first
 */
public record BreakerNotifyingMeter(GenerationMeter meter, BreakerMonitor breaker)
    implements GenerationMeter {
  @Override
  public void firstToken(Duration sinceAppend, Optional<TraceContext> trace) {
    meter.firstToken(sinceAppend, trace);
  }

  @Override
  public void tokens(int count) {
    meter.tokens(count);
  }

  @Override
  public void continued(String way) {
    meter.continued(way);
  }

  @Override
  public void ran(EngineRun run) {
    meter.ran(run);
  }

  @Override
  public void outcome(Outcome outcome) {
    meter.outcome(outcome);
    breaker.outcome(outcome);
  }
}
