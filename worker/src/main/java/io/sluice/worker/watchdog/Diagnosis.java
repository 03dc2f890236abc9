package io.sluice.worker.watchdog;

import io.sluice.worker.health.EngineSample;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the engine has become worse since its start. Begins again when another process takes the
 * engine's place. {@link #observe} is for one thread, the rest for any.
 */
public final class Diagnosis {
  private static final Logger log = LoggerFactory.getLogger(Diagnosis.class);

  private final WindowCollector windows;
  private Degradation degradation = new Degradation();
  private long life;
  private volatile Optional<Symptom> symptom = Optional.empty();
  private volatile double slowdown;

  /** A diagnosis by windows of this length. */
  public Diagnosis(Duration window) {
    windows = new WindowCollector(window);
  }

  /** Takes what the engine did since the previous sample. */
  public void observe(EngineSample sample) {
    if (sample.life() != life) {
      life = sample.life();
      windows.clear();
      degradation = new Degradation();
      slowdown = 0;
      tell(Optional.empty());
    }
    windows
        .add(sample)
        .ifPresent(
            window -> {
              degradation.observe(window);
              slowdown = degradation.slowdown();
              tell(degradation.symptom());
            });
  }

  private void tell(Optional<Symptom> now) {
    if (now.isPresent() && symptom.isEmpty()) {
      log.warn("event=engine_degraded symptom={}", now.get());
    } else if (now.isEmpty() && symptom.isPresent()) {
      log.info("event=engine_recovered symptom={}", symptom.get());
    }
    symptom = now;
  }

  /**
   * Returns how many times as long tokens take now as at the engine's start; 0 if it is not known
   * yet.
   */
  public double slowdown() {
    return slowdown;
  }

  /** Returns the first sign that counts; empty for an engine that is as good as it was. */
  public Optional<Symptom> symptom() {
    return symptom;
  }
}
