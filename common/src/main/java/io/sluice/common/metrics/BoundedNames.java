package io.sluice.common.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bounds the values of a metric's label that callers choose, such as tenants, because every value
 * is a time series. The first names keep their own; those that come after the bound is reached
 * share {@link #OTHER}. A name keeps its value until the service ends. Thread-safe.
 */
public final class BoundedNames {
  /** The value of all names beyond the bound. */
  public static final String OTHER = "other";

  private final int most;
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  /**
   * Bounds by a number of names.
   *
   * @param most the names that keep their own value
   */
  public BoundedNames(int most) {
    this.most = most;
  }

  /** Returns the label's value for a name. */
  public String of(String name) {
    return names.contains(name) || admit(name) ? name : OTHER;
  }

  private synchronized boolean admit(String name) {
    return names.contains(name) || (names.size() < most && names.add(name));
  }
}
