package io.sluice.bench.fleet.compare;

import io.sluice.bench.fleet.balancer.EngineCapacity;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.simulator.engine.EngineConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongToDoubleFunction;
import java.util.stream.LongStream;

/** Runs every contestant at every load on every fleet size, one run per core at a time. */
final class Matrix {
  private static final int CALIBRATIONS = 3;

  private final Experiment experiment;
  private final List<Contestant> contestants;
  private final int seeds;
  private final Progress progress;

  /** Receives the progress. */
  interface Progress {
    void done(int runs, int ofRuns);
  }

  Matrix(Experiment experiment, List<Contestant> contestants, int seeds, Progress progress) {
    this.experiment = experiment;
    this.contestants = List.copyOf(contestants);
    this.seeds = seeds;
    this.progress = progress;
  }

  /** Returns what an engine of each kind can do: the means of a few calibrations. */
  Capacity capacity() throws InterruptedException {
    try (ExecutorService cores = cores()) {
      List<List<Future<Double>>> started =
          experiment.kinds().stream().map(kind -> calibrations(kind, cores)).toList();
      List<Double> means = new ArrayList<>();
      for (List<Future<Double>> runs : started) {
        double sum = 0;
        for (Future<Double> run : runs) {
          sum += result(run);
        }
        means.add(sum / CALIBRATIONS);
      }
      return new Capacity(means);
    }
  }

  private List<Future<Double>> calibrations(EngineConfig kind, ExecutorService cores) {
    LongToDoubleFunction calibration = seed -> EngineCapacity.of(experiment.trace(), kind, seed);
    return LongStream.range(0, CALIBRATIONS)
        .mapToObj(seed -> cores.submit(() -> calibration.applyAsDouble(Mix.of(-1 - seed, 0))))
        .toList();
  }

  /** Returns all runs, by size and load in the order given. */
  List<Cell> run(List<Integer> sizes, List<Double> loads, Capacity capacity)
      throws InterruptedException {
    try (ExecutorService cores = cores()) {
      int all = sizes.size() * loads.size() * contestants.size() * seeds;
      AtomicInteger done = new AtomicInteger();
      List<Started> started = new ArrayList<>();
      for (int engines : sizes) {
        for (double load : loads) {
          double rate = load * capacity.ofFleet(engines);
          Map<Contestant, List<Future<RunResult>>> runs = new LinkedHashMap<>();
          for (Contestant contestant : contestants) {
            List<Future<RunResult>> ofSeeds = new ArrayList<>();
            for (long seed = 0; seed < seeds; seed++) {
              long arrivals = seed;
              ofSeeds.add(
                  cores.submit(
                      () -> {
                        RunResult run = experiment.run(contestant, engines, rate, arrivals);
                        progress.done(done.incrementAndGet(), all);
                        return run;
                      }));
            }
            runs.put(contestant, ofSeeds);
          }
          started.add(new Started(engines, load, rate, runs));
        }
      }
      List<Cell> cells = new ArrayList<>();
      for (Started cell : started) {
        cells.add(cell.await());
      }
      return cells;
    }
  }

  private record Started(
      int engines, double load, double rate, Map<Contestant, List<Future<RunResult>>> runs) {
    Cell await() throws InterruptedException {
      Map<Contestant, List<RunResult>> results = new LinkedHashMap<>();
      for (Map.Entry<Contestant, List<Future<RunResult>>> entry : runs.entrySet()) {
        List<RunResult> ofSeeds = new ArrayList<>();
        for (Future<RunResult> run : entry.getValue()) {
          ofSeeds.add(result(run));
        }
        results.put(entry.getKey(), ofSeeds);
      }
      return new Cell(engines, load, rate, results);
    }
  }

  private static ExecutorService cores() {
    return Executors.newFixedThreadPool(
        Runtime.getRuntime().availableProcessors(),
        Thread.ofPlatform().daemon().name("run-", 0).factory());
  }

  private static <T> T result(Future<T> run) throws InterruptedException {
    try {
      return run.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a run failed: " + e.getCause(), e);
    }
  }
}
