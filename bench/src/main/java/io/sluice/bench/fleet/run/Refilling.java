package io.sluice.bench.fleet.run;

import io.sluice.simulator.engine.LiveSequence;
import java.util.function.IntConsumer;

/** Lets callers send another request whenever one is answered. */
final class Refilling implements FleetRun.Front {
  private final FleetRun.Front inner;
  private final IntConsumer answered;

  /**
   * Passes everything on.
   *
   * @param answered gets each request that has an answer
   */
  Refilling(FleetRun.Front inner, IntConsumer answered) {
    this.inner = inner;
    this.answered = answered;
  }

  @Override
  public void send(FleetRequest request) {
    inner.send(request);
  }

  @Override
  public void started(int engine, int request, int cachedTokens) {
    inner.started(engine, request, cachedTokens);
  }

  @Override
  public void token(int engine, LiveSequence sequence, long endNanos) {
    inner.token(engine, sequence, endNanos);
  }

  @Override
  public void finished(int engine, int request) {
    inner.finished(engine, request);
    answered.accept(request);
  }
}
