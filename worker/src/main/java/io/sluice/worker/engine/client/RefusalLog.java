package io.sluice.worker.engine.client;

import io.sluice.worker.engine.EngineFailure;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs once what the operator can do about an engine that refuses its worker. Thread-safe. */
final class RefusalLog {
  private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);

  private final AtomicBoolean isLogged = new AtomicBoolean();

  void note(EngineFailure failure) {
    if (failure instanceof EngineFailure.Refused refused && isLogged.compareAndSet(false, true)) {
      log.error(
          "event=engine_refuses status={} reason=\"{}\" hint=\"{}\"",
          refused.status(),
          refused.message(),
          refused.hint());
    }
  }
}
