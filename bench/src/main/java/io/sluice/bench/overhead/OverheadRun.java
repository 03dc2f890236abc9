package io.sluice.bench.overhead;

import io.sluice.bench.arrival.ArrivalProcess;
import io.sluice.bench.traffic.OpenLoop;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.function.ToDoubleFunction;

/** Sends the same streams over each way in turn. */
final class OverheadRun {
  /** How requests arrive. */
  record Load(int streams, double perSecond, ArrivalProcess arrivals, int tokens) {}

  /**
   * What one contestant's streams took in one turn.
   *
   * @param processorMicros processor time of its process for each token; empty if not measured
   * @param peakMib the most memory that its process has had resident; empty if not measured
   * @param problem why a stream failed; empty if none did
   */
  record Turn(
      StreamSamples samples,
      Optional<Double> processorMicros,
      OptionalLong peakMib,
      Optional<String> problem) {}

  private static final Duration END_WITHIN = Duration.ofMinutes(2);

  private final Load load;

  OverheadRun(Load load) {
    this.load = load;
  }

  /**
   * Sends all streams of a turn; returns when they have ended.
   *
   * @param seed of the arrivals: the same for all ways in a round
   */
  Turn turn(Contestant contestant, long seed) throws InterruptedException {
    var samples = new StreamSamples();
    var problem = new AtomicReference<String>();
    var open = new CountDownLatch(load.streams());
    Optional<Duration> before = contestant.processorTime();
    LongConsumer stream =
        due -> {
          StreamSamples.Reading reading = samples.new Reading(due);
          try {
            contestant.way().stream(reading);
          } catch (Exception e) {
            problem.compareAndSet(null, String.valueOf(e.getMessage()));
          } finally {
            reading.ended(load.tokens());
            open.countDown();
          }
        };
    OpenLoop.at(
        load.arrivals().nanos(load.perSecond(), load.streams(), seed),
        due -> Thread.startVirtualThread(() -> stream.accept(due)));
    if (!open.await(END_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
      problem.compareAndSet(null, "streams did not end within " + END_WITHIN);
    }
    Optional<Double> micros =
        before.flatMap(
            earlier ->
                contestant
                    .processorTime()
                    .map(
                        now -> now.minus(earlier).toNanos() / 1e3 / Math.max(1, samples.tokens())));
    return new Turn(samples, micros, contestant.peakMib(), Optional.ofNullable(problem.get()));
  }

  /** Returns the median of a figure over turns. */
  static double median(List<Turn> turns, ToDoubleFunction<Turn> figure) {
    double[] values = turns.stream().mapToDouble(figure).sorted().toArray();
    return values.length == 0 ? 0 : values[(values.length - 1) / 2];
  }
}
