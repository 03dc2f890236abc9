package io.sluice.fleet;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** An operator's order to a worker, valid until the next one. */
public enum WorkerOrder {
  /** Accept no new requests, and hand over the running ones. */
  DRAIN,
  /** Accept requests again. */
  RESUME;

  /** Returns the order as it is stored. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<WorkerOrder> parse(String text) {
    return Arrays.stream(values()).filter(order -> order.text().equals(text)).findFirst();
  }
}
