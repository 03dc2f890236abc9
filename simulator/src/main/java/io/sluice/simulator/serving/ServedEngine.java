package io.sluice.simulator.serving;

import io.sluice.simulator.engine.Engine;
import io.sluice.simulator.engine.FinishReason;
import io.sluice.simulator.engine.StepResult;
import io.sluice.simulator.engine.TokenOutput;
import io.sluice.simulator.metrics.ServerMetrics;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An engine with its front end: the choices in it, their progress, and the statistics of both. The
 * caller provides the clock. Not thread-safe, except that the pending work can be read from any
 * thread.
 */
final class ServedEngine {

  /** What happens to new requests. */
  private enum Intake {
    OPEN,
    ABORTING,
    FAILING
  }

  private final Engine engine;
  private final boolean adapters;
  private final ServerMetrics metrics;
  private final PendingWork pending = new PendingWork();
  private final Map<Long, ActiveChoice> active = new LinkedHashMap<>();
  private Intake intake = Intake.OPEN;

  ServedEngine(Engine engine, boolean adapters, ServerMetrics metrics) {
    this.engine = engine;
    this.adapters = adapters;
    this.metrics = metrics;
  }

  Engine engine() {
    return engine;
  }

  PendingWork pendingWork() {
    return pending;
  }

  boolean isEmpty() {
    return active.isEmpty();
  }

  /** Admits a choice that the pending work already counts. */
  void enter(ActiveChoice choice, long nowNanos) {
    if (choice.isCancelled()) {
      forget(choice);
      return;
    }
    choice.queued(nowNanos);
    active.put(choice.request().id(), choice);
    switch (intake) {
      case OPEN -> engine.submit(choice.request());
      case ABORTING -> end(choice, FinishReason.ABORT);
      case FAILING -> end(choice, FinishReason.ERROR);
    }
  }

  /** Removes a choice, even one that is still held back. Has no effect if it was removed before. */
  void leave(ActiveChoice choice) {
    if (active.remove(choice.request().id()) == null) {
      choice.cancel();
      return;
    }
    engine.abort(choice.request().id());
    forget(choice);
  }

  private void forget(ActiveChoice choice) {
    if (!choice.hasOutput()) {
      pending.prefilled(choice.request().prompt().size());
    }
    pending.finished();
  }

  /** Answers all new requests with {@code abort}. */
  void refuse() {
    if (intake == Intake.OPEN) {
      intake = Intake.ABORTING;
    }
  }

  void abortAll() {
    endAll(FinishReason.ABORT);
  }

  /** Ends all current and new requests with {@code error}, as a dead engine does. */
  void die() {
    intake = Intake.FAILING;
    endAll(FinishReason.ERROR);
  }

  /** Delivers the tokens of a step whose time is over. */
  void deliver(StepResult result, long nowNanos) {
    // Counted before delivery, so that a client with an answer finds it in the metrics.
    Map<ActiveChoice, ChoiceOutput> outputs = new LinkedHashMap<>();
    metrics.atomically(() -> count(result, nowNanos, outputs));
    outputs.forEach(ActiveChoice::pass);
  }

  /** Updates the gauges. */
  void measure() {
    metrics.updateEngine(engine.stats());
    if (adapters) {
      metrics.updateAdapters(engine.loraUse());
    }
  }

  private void count(StepResult result, long nowNanos, Map<ActiveChoice, ChoiceOutput> outputs) {
    int promptTokens = 0;
    int cachedTokens = 0;
    for (TokenOutput token : result.outputs()) {
      ActiveChoice choice = active.get(token.sequenceId());
      if (choice == null) {
        continue;
      }
      if (!choice.hasOutput()) {
        promptTokens += choice.request().prompt().size();
        cachedTokens += token.cachedTokens();
        pending.prefilled(choice.request().prompt().size());
      }
      ChoiceOutput output = choice.take(token, nowNanos, metrics);
      outputs.put(choice, output);
      if (output.finish().isPresent()) {
        leave(choice);
      }
    }
    if (!outputs.isEmpty()) {
      metrics.stepFinished(promptTokens, cachedTokens, outputs.size());
    }
    measure();
  }

  private void endAll(FinishReason reason) {
    for (ActiveChoice choice : active.values().toArray(new ActiveChoice[0])) {
      end(choice, reason);
    }
  }

  private void end(ActiveChoice choice, FinishReason reason) {
    leave(choice);
    metrics.ended(reason);
    choice.end(reason);
  }
}
