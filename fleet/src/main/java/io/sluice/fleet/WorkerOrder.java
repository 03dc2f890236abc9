package io.sluice.fleet;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What an operator tells a worker to do until told otherwise. */
public enum WorkerOrder {
  /** Take nothing new, and give away what runs. */
  DRAIN,
  /** Take requests again. */
  RESUME;

  /** As it is stored. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<WorkerOrder> parse(String text) {
    return Arrays.stream(values()).filter(order -> order.text().equals(text)).findFirst();
  }
}
