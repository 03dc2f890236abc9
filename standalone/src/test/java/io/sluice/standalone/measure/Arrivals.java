package io.sluice.standalone.measure;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * An open load: requests arrive at random times (exponential gaps) at a mean rate, whether or not
 * earlier ones have been answered.
 *
 * @param seed the seed of the gaps, so that compared runs get the same load
 */
record Arrivals(int count, double perSecond, long seed) {

  /** Calls the consumer for every request, on the calling thread. */
  void run(IntConsumer request) {
    SplittableRandom random = new SplittableRandom(seed);
    long due = System.nanoTime();
    for (int i = 0; i < count; i++) {
      due += (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      request.accept(i);
    }
  }
}
