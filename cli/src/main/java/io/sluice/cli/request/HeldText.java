package io.sluice.cli.request;

import io.sluice.common.protocol.HeldRequest;
import java.time.Instant;

/** That a request waits for a worker of its model, in words. */
final class HeldText {
  private HeldText() {}

  /** Returns lines, each with its line end. */
  static String of(HeldRequest held) {
    String text =
        "waits for a worker of the model %s to start, since %s%n"
                .formatted(held.held(), Instant.ofEpochMilli(held.sinceEpochMillis()))
            + "  held until its deadline at %s, unless it has been cancelled; by router %s%n"
                .formatted(Instant.ofEpochMilli(held.untilEpochMillis()), held.router());
    return held.known()
        ? text
        : text
            + "  the model is not in the router's --models: it ends with model_not_found if other"
            + " workers start and none of them serves it%n".formatted();
  }
}
