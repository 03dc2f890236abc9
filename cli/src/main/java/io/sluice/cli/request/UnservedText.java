package io.sluice.cli.request;

import io.sluice.common.protocol.UnservedRequest;
import io.sluice.config.PlainText;
import java.time.Instant;

/** That a request waits for a worker of its model, in words. */
final class UnservedText {
  private UnservedText() {}

  /** Returns lines, each with its line end. */
  static String of(UnservedRequest unserved) {
    String text =
        "waits for a worker of the model %s to start, since %s%n"
                .formatted(
                    PlainText.line(unserved.model()),
                    Instant.ofEpochMilli(unserved.sinceEpochMillis()))
            + "  waits until its deadline at %s, unless it has been cancelled; by router %s%n"
                .formatted(
                    Instant.ofEpochMilli(unserved.untilEpochMillis()),
                    PlainText.line(unserved.router()));
    return unserved.known()
        ? text
        : text
            + "  the model is not in the router's --models: it ends with model_not_found if other"
            + " workers start and none of them serves it%n".formatted();
  }
}
