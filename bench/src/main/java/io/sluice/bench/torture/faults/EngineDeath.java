package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ends a simulated engine while its worker lives; the engine boots again by itself.
 *
 * @param how the fault control that ends it: {@code oom} or {@code die}
 */
record EngineDeath(Target target, String how, Duration boot) implements Fault {
  private static final Duration SERVES_WITHIN = Duration.ofSeconds(60);

  @Override
  public List<Target> targets() {
    return List.of(target);
  }

  @Override
  public String label() {
    return "engine " + how;
  }

  @Override
  public Duration duration() {
    return Duration.ZERO;
  }

  @Override
  public void inject(FaultContext context) throws IOException, InterruptedException {
    double seconds = boot.toMillis() / 1e3;
    String body = String.format(Locale.ROOT, "{\"boot_seconds\":%.1f}", seconds);
    context.pool().control(target, "POST", "/" + how, body);
  }

  @Override
  public void recover(FaultContext context)
      throws IOException, InterruptedException, TimeoutException {
    long end = System.nanoTime() + SERVES_WITHIN.toNanos();
    while (!context.pool().control(target, "GET", "/state", "").contains("serving")) {
      if (System.nanoTime() - end > 0) {
        throw new TimeoutException(
            target.id()
                + " did not serve again within %d s of its death"
                    .formatted(SERVES_WITHIN.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }
}
