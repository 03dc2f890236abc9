package io.sluice.verify;

import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.release.Release;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Simulators with the configurations of the real engines that they are compared with. */
public final class Simulators {

  private Simulators() {}

  public static SimulatedEngine start(String model, int maxModelLen) throws IOException {
    return start(model, maxModelLen, Release.NEWEST);
  }

  public static SimulatedEngine start(String model, int maxModelLen, String version)
      throws IOException {
    return SimulatedEngine.start(
        SimulatorConfig.of(GpuProfile.H100)
            .withSpeed(4)
            .withModels(List.of(model))
            .withMaxModelLen(maxModelLen)
            .withVersion(version)
            .withServer(
                ServerOptions.with(
                    options -> {
                      options.autoToolChoice = true;
                      options.promptTokensDetails = true;
                      options.loras = Map.of("adapter", "/adapters/one");
                    })));
  }
}
