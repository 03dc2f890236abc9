package io.sluice.bench.batch;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.EngineKind;
import io.sluice.bench.process.EngineProcess;
import io.sluice.bench.process.FreePorts;
import io.sluice.bench.process.Launch;
import io.sluice.bench.process.PoolMain;
import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The processes of a run: engines, a pool that uses them, and the batch command, each with its own
 * log.
 */
final class BatchProcesses implements AutoCloseable {
  private static final Duration POOL_WITHIN = Duration.ofMinutes(3);

  private final BatchRun.Options options;
  private final Path folder;
  private final int kafkaPort;
  private final List<EngineProcess> engines = new ArrayList<>();
  private final ChildProcess pool;

  /** Prepares the processes without starting them. */
  BatchProcesses(BatchRun.Options options, Path folder) throws IOException {
    this.options = options;
    this.folder = folder;
    kafkaPort = FreePorts.next();
    EngineKind kind = options.engines();
    for (int number = 1; number <= options.count(); number++) {
      List<String> simulatorOptions =
          List.of("--profile=l4", "--max-model-len=" + kind.maxModelLen(), "--seed=" + number);
      engines.add(kind.process("engine-" + number, simulatorOptions, folder));
    }
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(kafkaPort), "0"));
    engines.forEach(engine -> arguments.add(engine.uri("").toString()));
    pool = java("pool", "768m", PoolMain.class.getName(), arguments, "pool ready");
  }

  private ChildProcess java(
      String name, String maxHeap, String main, List<String> arguments, String readyText)
      throws IOException {
    Path temporary = Files.createDirectories(folder.resolve("tmp-" + name));
    Launch launch =
        Launch.single(Launch.java(maxHeap, temporary, main, arguments), Map.of(), readyText);
    return new ChildProcess(name, launch, folder.resolve(name + ".log"));
  }

  /** Starts the engines, then the pool; returns when the pool is ready for requests. */
  void start() throws IOException, InterruptedException {
    for (EngineProcess engine : engines) {
      engine.start();
    }
    for (EngineProcess engine : engines) {
      engine.awaitReady(options.engines().startWithin());
    }
    pool.start();
    pool.awaitReady(POOL_WITHIN);
  }

  List<EngineProcess> engines() {
    return List.copyOf(engines);
  }

  /** Returns the batch command as users type it, not started yet. */
  ChildProcess batch() throws IOException {
    List<String> arguments =
        List.of(
            "batch",
            input().toString(),
            "-o",
            output().toString(),
            "--errors",
            errors().toString(),
            "--kafka",
            LocalPort.HOST + ":" + kafkaPort,
            "--max-in-flight",
            Integer.toString(options.maxInFlight()));
    return java("batch", "512m", "io.sluice.standalone.Main", arguments, "");
  }

  Path input() {
    return folder.resolve("input.jsonl");
  }

  Path output() {
    return folder.resolve("output.jsonl");
  }

  Path errors() {
    return folder.resolve("errors.jsonl");
  }

  /** Kills all processes. The folder is kept. */
  @Override
  public void close() {
    pool.close();
    engines.forEach(EngineProcess::close);
  }
}
