package io.sluice.bench.trace.generated;

/** Popularity by Zipf's law: the n-th of all is chosen in proportion to n to the power of -a. */
final class Zipf {
  private final double[] cumulated;

  Zipf(int count, double exponent) {
    cumulated = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += StrictMath.pow(i + 1, -exponent);
      cumulated[i] = sum;
    }
  }

  /** Chooses one, counted from 0. */
  int choose(Draws draws) {
    double chosen = draws.fraction() * cumulated[cumulated.length - 1];
    int at = 0;
    while (cumulated[at] < chosen) {
      at++;
    }
    return at;
  }
}
