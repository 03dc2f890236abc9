package io.sluice.standalone.measure;

import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.util.concurrent.CountDownLatch;

/**
 * Runs simulated engines of an L40S without noise in this process, until it is stopped. Arguments:
 * their number and speed. Prints the address of each, then {@link #READY}.
 */
public final class EngineServer {
  static final String READY = "all ready";

  private EngineServer() {}

  static SimulatorConfig config(double speed) {
    return SimulatorConfig.of(GpuProfile.L40S)
        .withTiming(Timing.of(GpuProfile.L40S).withSpeed(speed));
  }

  public static void main(String[] args) throws Exception {
    QuietLog.set();
    Engines engines = Engines.start(config(Double.parseDouble(args[1])), Integer.parseInt(args[0]));
    engines.uris().forEach(System.out::println);
    System.out.println(READY);
    new CountDownLatch(1).await();
  }
}
