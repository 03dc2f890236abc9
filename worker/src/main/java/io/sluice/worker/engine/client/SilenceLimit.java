package io.sluice.worker.engine.client;

import io.sluice.common.protocol.FailureCode;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineTimeouts;
import java.time.Duration;

/** What a stream waits for, and how long it still may. Not thread-safe. */
final class SilenceLimit {
  private static final Duration UNLIMITED = Duration.ofDays(1);

  private final boolean isStreamed;
  private final EngineTimeouts timeouts;
  private final EngineTimeouts ofStream;
  private final Ticker ticker;
  private Phase phase = Phase.HEAD;
  private long sinceNanos;

  /** The request was sent just now. */
  SilenceLimit(EngineRequest request, EngineTimeouts timeouts, Ticker ticker) {
    this.isStreamed = request.isStreamed();
    this.timeouts = timeouts;
    this.ofStream = timeouts.with(request.silence());
    this.ticker = ticker;
    this.sinceNanos = ticker.nanos();
  }

  /** Returns what the stream waits for. */
  Phase phase() {
    return phase;
  }

  /** The time begins again, for what the stream waits for now. */
  void enter(Phase next) {
    phase = next;
    sinceNanos = ticker.nanos();
  }

  /** The time begins again, for the same. */
  void heard() {
    enter(phase);
  }

  /** Returns the time left; not above 0 if it is over. */
  long leftNanos() {
    return limit().toNanos() - (ticker.nanos() - sinceNanos);
  }

  /** Returns the failure of an engine whose time is over. */
  EngineFailure exceeded() {
    long millis = limit().toMillis();
    return switch (phase) {
      case HEAD ->
          new EngineFailure.Silent(
              FailureCode.HEAD_TIMEOUT, "the engine did not answer within " + millis + " ms");
      case FIRST_TOKEN ->
          new EngineFailure.Silent(
              FailureCode.FIRST_TOKEN_TIMEOUT, "the engine sent no token within " + millis + " ms");
      case TOKENS, WHOLE_BODY, ERROR_BODY, FINISHED ->
          new EngineFailure.Silent(
              FailureCode.STALL, "the engine was silent for " + millis + " ms");
    };
  }

  private Duration limit() {
    return switch (phase) {
      case HEAD -> isStreamed ? ofStream.head() : UNLIMITED;
      case FIRST_TOKEN -> ofStream.firstToken();
      case TOKENS -> ofStream.stall();
      case WHOLE_BODY, ERROR_BODY, FINISHED -> timeouts.stall();
    };
  }
}
