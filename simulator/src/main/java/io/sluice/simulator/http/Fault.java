package io.sluice.simulator.http;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A failure that a client asks for with the request header {@code x-sim-fault}. */
sealed interface Fault {

  /** The header's name. */
  String HEADER = "x-sim-fault";

  /** Answer with this status instead of generating. */
  record Status(int status) implements Fault {}

  /** Close the connection after so many tokens. */
  record CutAfter(int tokens) implements Fault {}

  /** Send nothing more after so many tokens, and keep the connection open. */
  record StallAfter(int tokens) implements Fault {}

  /** Report an engine failure after so many tokens. */
  record ErrorAfter(int tokens) implements Fault {}

  /** Reads a header value such as {@code cut-after=5}. */
  static Optional<Fault> of(Optional<String> header) {
    return header.map(Fault::parse);
  }

  private static Fault parse(String header) {
    Matcher matcher =
        Pattern.compile("(status|cut-after|stall-after|error-after)=(\\d{1,6})").matcher(header);
    if (!matcher.matches()) {
      throw ApiError.badRequest(
          "x-sim-fault must be status=N, cut-after=N, stall-after=N or error-after=N, got '"
              + header
              + "'.");
    }
    int number = Integer.parseInt(matcher.group(2));
    return switch (matcher.group(1)) {
      case "status" -> new Status(number);
      case "cut-after" -> new CutAfter(number);
      case "stall-after" -> new StallAfter(number);
      default -> new ErrorAfter(number);
    };
  }
}
