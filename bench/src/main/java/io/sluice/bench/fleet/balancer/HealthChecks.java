package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Which engines a proxy uses. It checks each of them every 2 s, and does not use one after three
 * failed checks in a row until two succeed: HAProxy's defaults. A refused or timed-out connection
 * counts as a failed check, as with HAProxy's {@code observe layer4}. Checks that would succeed are
 * not simulated. Not thread-safe.
 */
final class HealthChecks {
  /** A connection to a machine that does not answer fails after this time. */
  static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

  private static final Duration INTERVAL = Duration.ofSeconds(2);
  private static final int FALL = 3;
  private static final int RISE = 2;

  /** Checks in a row of an engine that has failed, until it is used again. */
  private static final class Row {
    private int failures;
    private int successes;
  }

  private final FleetRun run;
  private final boolean isToldAtOnce;
  private final IntConsumer changed;
  private final BitSet unusable = new BitSet();
  private final Map<Integer, Row> rows = new HashMap<>();

  /**
   * Checks of engines that are all up.
   *
   * @param isToldAtOnce whether failures and returns are known at once, without checks
   * @param changed gets each engine that is no longer used, or used again
   */
  HealthChecks(FleetRun run, boolean isToldAtOnce, IntConsumer changed) {
    this.run = run;
    this.isToldAtOnce = isToldAtOnce;
    this.changed = changed;
  }

  boolean isUsable(int engine) {
    return !unusable.get(engine);
  }

  /** An engine has failed. */
  void failed(int engine) {
    if (isToldAtOnce) {
      set(engine, false);
    } else if (rows.put(engine, new Row()) == null) {
      long now = run.time().nowNanos();
      // Checks of different engines do not coincide.
      long next = Math.floorMod(Mix.next(engine) - now, INTERVAL.toNanos());
      run.time().at(now + next, () -> check(engine));
    }
  }

  /** An engine that failed answers again. */
  void cameBack(int engine) {
    if (isToldAtOnce) {
      set(engine, true);
    }
  }

  /** A connection to an engine could not be opened. */
  void refused(int engine) {
    Row row = rows.get(engine);
    if (row != null) {
      failure(engine, row);
    }
  }

  private void check(int engine) {
    Row row = rows.get(engine);
    EngineNode node = run.engines().get(engine);
    long now = run.time().nowNanos();
    if (row == null) {
      return;
    }
    if (node.isUp()) {
      success(engine, row);
    } else if (node.isMachineUp()) {
      failure(engine, row);
    } else {
      run.time().at(now + CONNECT_TIMEOUT.toNanos(), () -> failure(engine, row));
    }
    if (rows.containsKey(engine)) {
      run.time().at(now + INTERVAL.toNanos(), () -> check(engine));
    }
  }

  private void failure(int engine, Row row) {
    row.successes = 0;
    row.failures++;
    if (row.failures == FALL) {
      set(engine, false);
    }
  }

  private void success(int engine, Row row) {
    row.successes++;
    boolean isUsedAgain = row.successes >= RISE || isUsable(engine);
    if (isUsedAgain) {
      rows.remove(engine);
      set(engine, true);
    }
  }

  private void set(int engine, boolean isUsable) {
    if (isUsable != isUsable(engine)) {
      unusable.set(engine, !isUsable);
      changed.accept(engine);
    }
  }
}
