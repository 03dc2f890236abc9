package io.sluice.bench.throughput;

import static java.util.Objects.requireNonNull;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Folders;
import io.sluice.bench.process.ProcessorTime;
import io.sluice.bench.traffic.Calls;
import io.sluice.bench.traffic.ServicePool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Lets callers read streams as fast as the pool gives them. */
final class ThroughputRun {
  /** The process of the benchmark, without the broker's threads. */
  static final String CALLERS = "callers";

  static final String KAFKA = "kafka";

  private static final double NANOS = 1e9;

  private final ServicePool pool;
  private final int streams;
  private final Way.Ask ask;

  /**
   * Prepares a run.
   *
   * @param streams of a turn, all at once
   * @param ask what each of them is asked for
   */
  ThroughputRun(ServicePool pool, int streams, Way.Ask ask) {
    this.pool = pool;
    this.streams = streams;
    this.ask = ask;
  }

  /** Asks for all streams at once; returns when the last one has ended. */
  Turn turn(Way way) throws IOException, InterruptedException {
    Map<String, ProcessorTime> before = processor();
    long bytes = Folders.bytes(pool.data(), ".log");
    long start = System.nanoTime();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Void>> calls = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        calls.add(
            callers.submit(
                () -> {
                  way.stream(ask);
                  return null;
                }));
      }
      Calls.results(calls);
    }
    double seconds = (System.nanoTime() - start) / NANOS;
    Map<String, ProcessorTime> used = new LinkedHashMap<>();
    processor()
        .forEach((name, time) -> used.put(name, time.since(requireNonNull(before.get(name)))));
    return new Turn(
        (long) streams * ask.tokens(), seconds, Folders.bytes(pool.data(), ".log") - bytes, used);
  }

  private Map<String, ProcessorTime> processor() throws IOException {
    Map<String, ProcessorTime> all = new LinkedHashMap<>();
    for (ChildProcess process : pool.processes()) {
      all.put(process.name(), of(process.name(), process.pid()));
    }
    ProcessorTime own = of(CALLERS, ProcessHandle.current().pid());
    all.put(KAFKA, new ProcessorTime(own.broker(), 0, 0, own.broker()));
    all.put(
        CALLERS, new ProcessorTime(own.all() - own.broker(), own.compiler(), own.collector(), 0));
    return all;
  }

  private static ProcessorTime of(String name, long pid) throws IOException {
    return ProcessorTime.of(pid).orElseThrow(() -> new IOException(name + " has ended"));
  }
}
