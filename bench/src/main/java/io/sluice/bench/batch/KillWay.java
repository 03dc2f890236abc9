package io.sluice.bench.batch;

import io.sluice.bench.process.EngineProcess;
import java.io.IOException;
import java.util.List;

/** Which processes of an engine are killed. */
enum KillWay {
  ALL("all its processes") {
    @Override
    void kill(EngineProcess engine) throws IOException, InterruptedException {
      engine.kill();
    }
  },
  /** Only the API server; the other processes have to detect it. */
  CORE("its core") {
    @Override
    void kill(EngineProcess engine) throws IOException, InterruptedException {
      engine.killCore();
    }
  },
  /** Only the engine core; the other processes have to detect it. */
  SERVER("its API server") {
    @Override
    void kill(EngineProcess engine) throws IOException, InterruptedException {
      engine.killServer();
    }
  };

  private final String label;

  KillWay(String label) {
    this.label = label;
  }

  /** Returns the ways to use in turn; a simulated engine has only one process. */
  static KillWay of(int kill, boolean isSimulated) {
    List<KillWay> ways = isSimulated ? List.of(ALL) : List.of(values());
    return ways.get(kill % ways.size());
  }

  String label() {
    return label;
  }

  abstract void kill(EngineProcess engine) throws IOException, InterruptedException;
}
