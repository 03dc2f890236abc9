package io.sluice.bench.footprint;

import io.sluice.bench.footprint.Footprint.Begun;
import io.sluice.bench.footprint.Footprint.Phase;
import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.traffic.ChatLoad;
import io.sluice.bench.traffic.LocalPool;
import io.sluice.bench.traffic.ServicePool;
import io.sluice.bench.traffic.ServicePool.Engines;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Starts pools, and looks at their processes before, under and after a load. Not thread-safe. */
final class FootprintRun {
  private static final String PROFILE = "rtx4090";
  private static final int PLACES = 64;

  /** Until compilers and collectors have done what a start or a load left them. */
  private static final Duration SETTLE = Duration.ofSeconds(10);

  private final Path folder;
  private final Duration idle;
  private final ChatLoad load;
  private final Consumer<String> progress;
  private final Map<String, Footprint> footprints = new LinkedHashMap<>();
  private int starts;

  /**
   * Creates a run.
   *
   * @param folder for the output of {@code up}
   * @param idle how long the phases without a load take
   */
  FootprintRun(Path folder, Duration idle, ChatLoad load, Consumer<String> progress) {
    this.folder = folder;
    this.idle = idle;
    this.load = load;
    this.progress = progress;
  }

  /**
   * Starts each kind of pool once; returns what the processes took in all calls so far, by name.
   *
   * @throws IOException if a process ends, or a request is not answered
   */
  Map<String, Footprint> run() throws IOException, InterruptedException {
    progress.accept("./sluice up");
    try (ChildProcess up = LocalPool.start(folder.resolve("up-" + starts++ + ".log"))) {
      measure(LocalPool.GATEWAY, Map.of(up.name(), up.pid()));
      up.terminate();
    }
    progress.accept("separate processes");
    try (var pool = new ServicePool("footprint", Engines.two(PROFILE, PLACES), Map.of())) {
      pool.start();
      Map<String, Long> pids = new LinkedHashMap<>();
      pool.processes().forEach(process -> pids.put(process.name(), process.pid()));
      pids.put("Kafka, Redis, benchmark", ProcessHandle.current().pid());
      measure(pool.gateway(), pids);
    }
    return footprints;
  }

  private void measure(URI gateway, Map<String, Long> pids)
      throws IOException, InterruptedException {
    Thread.sleep(SETTLE);
    List<Begun> started = begin(Phase.STARTED, pids);
    Thread.sleep(idle);
    end(started);
    List<Begun> loaded = begin(Phase.LOADED, pids);
    useUp(gateway);
    end(loaded);
    Thread.sleep(SETTLE);
    List<Begun> after = begin(Phase.IDLE, pids);
    Thread.sleep(idle);
    end(after);
  }

  private List<Begun> begin(Phase phase, Map<String, Long> pids) throws IOException {
    List<Begun> begun = new ArrayList<>();
    for (Map.Entry<String, Long> process : pids.entrySet()) {
      begun.add(
          footprints
              .computeIfAbsent(process.getKey(), any -> new Footprint())
              .begin(phase, process.getValue()));
    }
    return begun;
  }

  private static void end(List<Begun> begun) throws IOException {
    for (Begun each : begun) {
      each.end();
    }
  }

  private void useUp(URI gateway) throws IOException, InterruptedException {
    long lost = load.run(gateway).stream().filter(outcome -> !outcome.isWhole()).count();
    if (lost > 0) {
      throw new IOException(lost + " of " + load.count() + " requests were not answered");
    }
  }
}
