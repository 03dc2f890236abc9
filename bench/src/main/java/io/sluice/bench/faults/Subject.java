package io.sluice.bench.faults;

import io.sluice.bench.process.EngineKind;
import io.sluice.bench.process.EngineProcess;
import io.sluice.simulator.fit.MetricsPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** An engine in separate processes, into which faults are injected. */
final class Subject implements AutoCloseable {
  private final EngineKind kind;
  private final EngineProcess process;

  /**
   * An engine that is not started yet.
   *
   * @param options more options of the simulator, if the engine is simulated
   */
  Subject(EngineKind kind, String name, List<String> options, Path folder) throws IOException {
    this.kind = kind;
    this.process = kind.process(name, options, folder);
  }

  void start() throws IOException, InterruptedException {
    process.start();
    process.awaitReady(kind.startWithin());
  }

  int port() {
    return process.port();
  }

  /** Returns what its metrics say now. */
  MetricsPage metrics() throws IOException, InterruptedException {
    return process.metrics();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Injects a fault. */
  void deal(Fault fault) throws IOException, InterruptedException {
    switch (fault) {
      case SIGTERM -> process.terminate();
      case KILLED -> process.kill();
      case SERVER_KILLED -> process.killServer();
      case CORE_KILLED -> process.killCore();
      case WORKER_KILLED -> process.killWorker();
      case FROZEN -> process.signal("STOP");
      case OUT_OF_BLOCKS, CROWD, SLOW_READER -> {}
    }
  }

  /** Ends a fault that does not end by itself. */
  void undo(Fault fault) throws IOException, InterruptedException {
    if (fault == Fault.FROZEN) {
      process.signal("CONT");
    }
  }

  /** Kills all of its processes that still run. */
  void end() throws IOException, InterruptedException {
    process.kill();
  }

  @Override
  public void close() {
    process.close();
  }
}
