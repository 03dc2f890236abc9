package io.sluice.bench.overload;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.traffic.Calls;
import io.sluice.bench.traffic.ChatCaller;
import io.sluice.bench.traffic.ChatOutcome;
import io.sluice.bench.traffic.OpenLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Finds the capacity of a pool, sends several times that, and then few requests again. */
final class OverloadRun {
  private static final Duration WARM_UP = Duration.ofSeconds(8);
  private static final Duration CAPACITY = Duration.ofSeconds(15);
  private static final Duration AFTERWARDS = Duration.ofSeconds(20);

  /** As a share of the capacity, so that what waits is soon answered. */
  private static final double LOAD_AFTERWARDS = 0.2;

  private final ChatCaller caller;
  private final int places;
  private final Consumer<String> progress;

  /**
   * Prepares a run.
   *
   * @param places how many requests the engines compute at once
   */
  OverloadRun(Gateways gateways, int places, Consumer<String> progress) {
    this.caller = new ChatCaller(gateways);
    this.places = places;
    this.progress = progress;
  }

  OverloadReport run(double factor, Duration load) throws IOException, InterruptedException {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      progress.accept("capacity");
      loop(callers, WARM_UP);
      double capacity = loop(callers, CAPACITY) / seconds(CAPACITY);
      progress.accept("%.1f answers per second; %.0f times that".formatted(capacity, factor));
      long start = System.nanoTime();
      List<Future<ChatOutcome>> under = open(callers, capacity * factor, load);
      long end = System.nanoTime();
      progress.accept("afterwards");
      List<Future<ChatOutcome>> after = open(callers, capacity * LOAD_AFTERWARDS, AFTERWARDS);
      return new OverloadReport(
          capacity,
          factor,
          new OverloadReport.Phase(start, end, Calls.results(under)),
          new OverloadReport.Phase(end, end + AFTERWARDS.toNanos(), Calls.results(after)));
    }
  }

  /** Keeps as many calls open as the engines compute at once; returns how many ended. */
  private int loop(ExecutorService callers, Duration time)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    List<Future<Integer>> loops = new ArrayList<>();
    for (int i = 0; i < places; i++) {
      loops.add(
          callers.submit(
              () -> {
                int answered = 0;
                while (System.nanoTime() < end) {
                  ChatOutcome outcome = caller.call();
                  answered += outcome.isWhole() && outcome.endedNanos() < end ? 1 : 0;
                }
                return answered;
              }));
    }
    return Calls.results(loops).stream().mapToInt(Integer::intValue).sum();
  }

  /** Sends requests at a rate, regardless of earlier requests (open loop). */
  private List<Future<ChatOutcome>> open(ExecutorService callers, double perSecond, Duration time) {
    List<Future<ChatOutcome>> calls = new ArrayList<>();
    int count = (int) (perSecond * seconds(time));
    OpenLoop.run(perSecond, count, () -> calls.add(callers.submit(caller::call)));
    return calls;
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }
}
