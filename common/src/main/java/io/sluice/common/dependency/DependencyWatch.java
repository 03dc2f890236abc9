package io.sluice.common.dependency;

import io.sluice.common.time.RepeatingThread;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks the dependencies of a service twice a second, on a thread of its own, and keeps the results
 * for the health and the metrics. Within 5 s of a loss or a return, the log has one line about it.
 * Thread-safe; no method blocks.
 */
public final class DependencyWatch implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(500);

  private final List<WatchedDependency> dependencies;
  private final RepeatingThread ticks = new RepeatingThread("dependency-watch");

  /**
   * A watch that has not started.
   *
   * @param service which service needs them, such as {@code router-1}; for the log
   */
  public DependencyWatch(String service, List<Dependency> dependencies) {
    this.dependencies =
        dependencies.stream()
            .map(needed -> new WatchedDependency(service, needed, System::nanoTime))
            .toList();
  }

  /** Starts to ask. */
  public void start() {
    var _ = ticks.repeat(Duration.ZERO, TICK, this::tick);
  }

  /** Returns the names, in the order of the dependencies. */
  public List<String> names() {
    return dependencies.stream().map(WatchedDependency::name).toList();
  }

  /** Returns what is known of each, for people: by name, in the order of the dependencies. */
  public Map<String, String> details() {
    Map<String, String> details = new LinkedHashMap<>();
    dependencies.forEach(needed -> details.put(needed.name(), needed.state().detail()));
    return details;
  }

  /**
   * Returns the present state of one.
   *
   * @throws IllegalArgumentException if it is not watched
   */
  public DependencyState state(String name) {
    return dependencies.stream()
        .filter(needed -> needed.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("nothing watches " + name))
        .state();
  }

  /** Ends the watch. The log gets no further line about a dependency. */
  @Override
  public void close() {
    ticks.close();
    dependencies.forEach(WatchedDependency::stop);
  }

  private void tick() {
    dependencies.forEach(WatchedDependency::tick);
  }
}
