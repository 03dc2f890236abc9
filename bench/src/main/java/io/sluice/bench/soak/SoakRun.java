package io.sluice.bench.soak;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Folders;
import io.sluice.bench.process.ProcessStatus;
import io.sluice.bench.process.ProcessorTime;
import io.sluice.bench.traffic.Calls;
import io.sluice.bench.traffic.ChatLoad;
import io.sluice.bench.traffic.ServicePool;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Loads a pool evenly, and samples at its processes every few seconds. */
final class SoakRun {
  private static final Duration SAMPLE_EVERY = Duration.ofSeconds(10);
  private static final int SAMPLES_PER_LINE = 30;
  private static final double BYTES_PER_MIB = 1024.0 * 1024;
  private static final double MILLIS_PER_MINUTE = 60_000;

  private final ServicePool pool;
  private final Optional<Duration> retention;
  private final Consumer<String> progress;
  private final List<ProcessTrend> services = new ArrayList<>();
  private final ProcessTrend kafka;
  private final Trend disk = new Trend();

  /**
   * Prepares a run.
   *
   * @param retention how long the pool's topics keep records, if records leave during the run
   */
  SoakRun(ServicePool pool, Optional<Duration> retention, Consumer<String> progress) {
    this.pool = pool;
    this.retention = retention;
    this.progress = progress;
    pool.processes().forEach(process -> services.add(new ProcessTrend(process.name())));
    kafka = new ProcessTrend("Kafka, Redis, callers");
  }

  /**
   * Runs.
   *
   * @param time how long the load lasts
   * @param settling how long the processes may grow at first
   */
  SoakReport run(double perSecond, Duration time, Duration settling)
      throws IOException, InterruptedException {
    if (retention.isPresent()) {
      new ShortRetention(retention.get()).set(pool.kafka());
    }
    var calls = new FutureTask<>(() -> new ChatLoad(perSecond, time).run(pool.gateway()));
    watch(Thread.startVirtualThread(calls), settling);
    return new SoakReport(
        services,
        kafka,
        disk,
        retention.isPresent(),
        Calls.results(List.of(calls)).getFirst(),
        time);
  }

  /** Samples until the load has ended. */
  private void watch(Thread load, Duration settling) throws IOException, InterruptedException {
    long start = System.nanoTime();
    int samples = 0;
    while (!load.join(SAMPLE_EVERY)) {
      Duration since = Duration.ofNanos(System.nanoTime() - start);
      if (since.compareTo(settling) >= 0) {
        sample(since.toMillis() / MILLIS_PER_MINUTE);
        if (samples++ % SAMPLES_PER_LINE == 0) {
          progress.accept(since.toMinutes() + " min: " + memory());
        }
      }
    }
  }

  private void sample(double minutes) throws IOException {
    List<ChildProcess> processes = pool.processes();
    for (int i = 0; i < processes.size(); i++) {
      sample(minutes, processes.get(i).pid(), services.get(i));
    }
    sample(minutes, ProcessHandle.current().pid(), kafka);
    disk.add(minutes, Folders.bytes(pool.data(), "") / BYTES_PER_MIB);
  }

  private static void sample(double minutes, long pid, ProcessTrend trend) throws IOException {
    Supplier<IOException> ended = () -> new IOException(trend.name() + " has ended");
    trend.add(
        minutes,
        ProcessStatus.of(pid).orElseThrow(ended),
        ProcessorTime.of(pid).orElseThrow(ended));
  }

  private String memory() {
    List<String> all = new ArrayList<>();
    for (ProcessTrend trend : services) {
      all.add("%s %.0f MiB".formatted(trend.name(), trend.memory().last()));
    }
    all.add("%s %.0f MiB".formatted(kafka.name(), kafka.memory().last()));
    return String.join(", ", all);
  }
}
