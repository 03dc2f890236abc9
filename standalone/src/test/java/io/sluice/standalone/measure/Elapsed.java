package io.sluice.standalone.measure;

/** Elapsed time by the monotonic clock. */
final class Elapsed {
  private Elapsed() {}

  static double seconds(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }
}
