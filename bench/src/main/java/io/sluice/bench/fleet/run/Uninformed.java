package io.sluice.bench.fleet.run;

/**
 * How often an engine is chosen without knowledge of a cached prefix: some engine has cached a part
 * of the prompt, and the routers know of no such part. Shares of the choices for prompts of which
 * some engine has cached a part, before and after all routers were killed; not numbers if they were
 * not.
 */
public record Uninformed(double before, double after) {

  /** Counts the choices of one run. Not thread-safe. */
  static final class Counter {
    private long before;
    private long uninformedBefore;
    private long after;
    private long uninformedAfter;

    void chosen(boolean isInformed, boolean wereKilled) {
      if (wereKilled) {
        after++;
        uninformedAfter += isInformed ? 0 : 1;
      } else {
        before++;
        uninformedBefore += isInformed ? 0 : 1;
      }
    }

    Uninformed shares() {
      return new Uninformed((double) uninformedBefore / before, (double) uninformedAfter / after);
    }
  }
}
