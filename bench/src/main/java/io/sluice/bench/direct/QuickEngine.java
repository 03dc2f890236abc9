package io.sluice.bench.direct;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.io.IOException;
import java.util.List;

/** A simulated engine in this process that gives the usual answers in a shorter time. */
public final class QuickEngine {
  private static final int SPEED = 2_000;

  private QuickEngine() {}

  /** Starts an engine. */
  public static SimulatedEngine start(String model, int maxModelLen) throws IOException {
    return SimulatedEngine.start(
        SimulatorConfig.of(GpuProfile.H100)
            .withModels(List.of(model))
            .withMaxModelLen(maxModelLen)
            .withPort(0)
            .withSpeed(SPEED));
  }
}
