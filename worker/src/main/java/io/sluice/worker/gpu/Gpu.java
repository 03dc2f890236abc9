package io.sluice.worker.gpu;

import java.util.HashSet;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.DoubleStream;

/**
 * A reading of a GPU.
 *
 * @param index its number on the machine
 * @param uuid such as {@code GPU-c2f76b33-7953-256e-8f33-1343419b1a1c}
 * @param pods the Kubernetes pods that have it; empty if that is not reported
 * @param celsius its temperature; empty if it is not reported
 * @param clockReasons why its clocks are lowered, a mask of NVML's reasons; empty if it is not
 *     reported
 */
public record Gpu(
    String index,
    String uuid,
    Set<String> pods,
    OptionalDouble celsius,
    OptionalLong clockReasons) {
  private static final double NONE = Double.NEGATIVE_INFINITY;

  public Gpu {
    pods = Set.copyOf(pods);
  }

  /** Returns whether a name is its index, its UUID or one of its pods. */
  boolean isCalled(String name) {
    return name.equals(index) || name.equalsIgnoreCase(uuid) || pods.contains(name);
  }

  /** Returns whether the reading tells anything. */
  boolean tells() {
    return celsius.isPresent() || clockReasons.isPresent();
  }

  /** Why it is slowed down; empty if it is not, or if that is not reported. */
  public Set<Slowdown> slowdowns() {
    return Slowdown.of(clockReasons.orElse(0));
  }

  /** Returns what two series report about it: the higher temperature, and all reasons. */
  Gpu and(Gpu other) {
    Set<String> allPods = new HashSet<>(pods);
    allPods.addAll(other.pods);
    return new Gpu(
        index,
        uuid,
        allPods,
        DoubleStream.of(celsius.orElse(NONE), other.celsius.orElse(NONE))
            .filter(Double::isFinite)
            .max(),
        clockReasons.isPresent() || other.clockReasons.isPresent()
            ? OptionalLong.of(clockReasons.orElse(0) | other.clockReasons.orElse(0))
            : OptionalLong.empty());
  }

  /** Such as {@code 0: 91 C hardware-thermal}. */
  @Override
  public String toString() {
    var text = new StringBuilder(index).append(':');
    celsius.ifPresent(degrees -> text.append(' ').append(Math.round(degrees)).append(" C"));
    slowdowns().forEach(reason -> text.append(' ').append(reason));
    return text.toString();
  }
}
