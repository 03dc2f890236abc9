package io.sluice.worker.gpu;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Why a GPU's clocks are lowered, as far as fewer requests help: heat, and the emergencies of its
 * power supply. The numbers are those of NVML's {@code nvmlClocksEventReasons}.
 *
 * <p>The software power cap (0x4) is not one of them. It is how many GPUs run under load, and what
 * it costs shows in the time between tokens.
 */
public enum Slowdown {
  /** The hardware has at least halved the clocks: heat, power brake, or too high a draw. */
  HARDWARE(0x8),
  /** The driver lowers the clocks, because the GPU or its memory is too hot. */
  SOFTWARE_THERMAL(0x20),
  /** The hardware has at least halved the clocks because of heat. */
  HARDWARE_THERMAL(0x40),
  /** The machine's power supply has demanded that the clocks are at least halved. */
  POWER_BRAKE(0x80);

  private final long bit;

  Slowdown(long bit) {
    this.bit = bit;
  }

  /** Returns those in a mask of NVML's reasons. */
  static Set<Slowdown> of(long mask) {
    Set<Slowdown> found = EnumSet.noneOf(Slowdown.class);
    Arrays.stream(values()).filter(reason -> (mask & reason.bit) != 0).forEach(found::add);
    return Collections.unmodifiableSet(found);
  }

  /** Returns the name in logs, such as {@code power-brake}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
