package io.sluice.bench.batch;

import io.sluice.bench.process.EngineProcess;
import java.io.IOException;
import java.util.List;

/** What of an engine is killed. */
enum KillWay {
  ALL("all its processes") {
    @Override
    void kill(EngineProcess engine) throws IOException, InterruptedException {
      engine.kill();
    }
  },
  /** The others are left to find out. */
  CORE("its core") {
    @Override
    void kill(EngineProcess engine) throws IOException, InterruptedException {
      engine.killCore();
    }
  },
  /** The same. */
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

  /** In turn; a simulated engine has but one process. */
  static KillWay of(int kill, boolean isSimulated) {
    List<KillWay> ways = isSimulated ? List.of(ALL) : List.of(values());
    return ways.get(kill % ways.size());
  }

  String label() {
    return label;
  }

  abstract void kill(EngineProcess engine) throws IOException, InterruptedException;
}
