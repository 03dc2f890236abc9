package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The engine ends while its worker lives, and boots by itself.
 *
 * @param how {@code oom} or {@code die}
 */
record EngineDeath(Target target, String how, Duration boot) implements Blow {
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
  public Duration lasting() {
    return Duration.ZERO;
  }

  @Override
  public void deal(Arena arena) throws IOException, InterruptedException {
    double seconds = boot.toMillis() / 1e3;
    String body = String.format(Locale.ROOT, "{\"boot_seconds\":%.1f}", seconds);
    arena.pool().control(target, "POST", "/" + how, body);
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException, TimeoutException {
    long end = System.nanoTime() + SERVES_WITHIN.toNanos();
    while (!arena.pool().control(target, "GET", "/state", "").contains("serving")) {
      if (System.nanoTime() - end > 0) {
        throw new TimeoutException(target.id() + " does not serve again");
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }
}
