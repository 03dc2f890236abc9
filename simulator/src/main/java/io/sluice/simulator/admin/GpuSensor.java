package io.sluice.simulator.admin;

import io.sluice.simulator.fault.Effect;
import io.sluice.simulator.fault.FaultBoard;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The temperature of the simulated GPU. It moves between 38 °C when idle and 76 °C when busy with a
 * time constant of 30 s. A fault can fix it. Thread-safe.
 */
public final class GpuSensor {

  private static final double IDLE_CELSIUS = 38;
  private static final double BUSY_CELSIUS = 76;
  private static final double CONSTANT_NANOS = 30e9;

  private final LongSupplier nanos;
  private final BooleanSupplier busy;
  private final FaultBoard faults;
  private double celsius = IDLE_CELSIUS;
  private long lastNanos;

  /**
   * Creates the sensor of a cold GPU.
   *
   * @param nanos a monotonic clock
   * @param busy whether the GPU is computing
   */
  public GpuSensor(LongSupplier nanos, BooleanSupplier busy, FaultBoard faults) {
    this.nanos = nanos;
    this.busy = busy;
    this.faults = faults;
    this.lastNanos = nanos.getAsLong();
  }

  /** Returns the current temperature. */
  public synchronized double celsius() {
    long now = nanos.getAsLong();
    double target = busy.getAsBoolean() ? BUSY_CELSIUS : IDLE_CELSIUS;
    celsius = target + (celsius - target) * Math.exp((lastNanos - now) / CONSTANT_NANOS);
    lastNanos = now;
    return faults
        .engine(Effect.GpuTemperature.class)
        .map(Effect.GpuTemperature::celsius)
        .orElse(celsius);
  }

  /** Returns the share of time in which the GPU computes, in percent. */
  public int utilizationPercent() {
    return busy.getAsBoolean() ? 100 : 0;
  }
}
