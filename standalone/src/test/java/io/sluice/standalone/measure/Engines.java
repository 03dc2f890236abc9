package io.sluice.standalone.measure;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Simulated engines of the same kind in this process. */
record Engines(List<SimulatedEngine> engines) implements AutoCloseable {

  static Engines start(SimulatorConfig config, int count) throws IOException {
    Tokenizer tokenizer = new Tokenizer();
    List<SimulatedEngine> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(SimulatedEngine.start(config, tokenizer));
    }
    return new Engines(List.copyOf(started));
  }

  List<URI> uris() {
    return engines.stream().map(SimulatedEngine::uri).toList();
  }

  @Override
  public void close() {
    engines.forEach(SimulatedEngine::close);
  }
}
