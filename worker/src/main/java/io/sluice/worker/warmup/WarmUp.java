package io.sluice.worker.warmup;

import io.sluice.worker.config.WarmUpSettings;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.engine.Silence;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to an engine that has just booted, so that what it compiles and allocates at its first
 * requests, and the prefixes that callers share, are there before callers wait for them. A failed
 * request has no consequence. Thread-safe.
 */
public final class WarmUp {
  private static final int AT_ONCE = 4;
  private static final Duration POLL = Duration.ofSeconds(1);

  /** A process may take long over its first requests; all of them together have a limit. */
  private static final Silence BOOTING = new Silence(true, false);

  private static final Logger log = LoggerFactory.getLogger(WarmUp.class);

  private final EngineClient engine;
  private final WarmUpPrompts prompts;
  private final WarmUpSettings settings;

  /** A warm-up with these prompts. */
  public WarmUp(EngineClient engine, WarmUpPrompts prompts, WarmUpSettings settings) {
    this.engine = engine;
    this.prompts = prompts;
    this.settings = settings;
  }

  /** Sends all requests, four at a time; returns when they have ended, or when the time is up. */
  void run(String model, int maxModelLen) throws InterruptedException {
    List<Callable<Boolean>> calls =
        prompts.bodies(model, maxModelLen, settings.requests()).stream()
            .map(body -> (Callable<Boolean>) () -> answer(body))
            .toList();
    var threads =
        Executors.newFixedThreadPool(
            AT_ONCE, Thread.ofVirtual().name("sluice-warm-up-", 0).factory());
    try {
      List<Future<Boolean>> ends =
          threads.invokeAll(calls, settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
      long answered = ends.stream().filter(WarmUp::isAnswered).count();
      log.info("event=engine_warmed_up answered={} of={}", answered, calls.size());
    } finally {
      threads.shutdownNow();
    }
  }

  private static boolean isAnswered(Future<Boolean> end) {
    return end.state() == Future.State.SUCCESS && end.resultNow();
  }

  private boolean answer(byte[] body) throws InterruptedException {
    try (EngineStream stream =
        engine.open(new EngineRequest("/v1/chat/completions", body, true, BOOTING, Map.of()))) {
      Optional<EngineEvent> event = Optional.empty();
      while (event.isEmpty() || !(event.get() instanceof EngineEvent.Finish)) {
        event = stream.next(POLL);
      }
      return true;
    } catch (EngineException e) {
      log.info("event=warm_up_failed reason=\"{}\"", e.getMessage());
      return false;
    }
  }
}
