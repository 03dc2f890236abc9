package io.sluice.bench.trace;

import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads {@code TIMESTAMP,ContextTokens,GeneratedTokens}, after a header line. */
final class AzureLines {
  private static final String HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens";

  private static final LocalDateTime EPOCH = LocalDateTime.of(1970, 1, 1, 0, 0);

  private AzureLines() {}

  static List<TraceRequest> read(String name, List<String> lines) throws BadTraceException {
    if (lines.isEmpty() || !lines.getFirst().strip().equals(HEADER)) {
      throw BadTraceException.at(name, 1, "must be the header " + HEADER);
    }
    List<TraceRequest> requests = new ArrayList<>(lines.size());
    for (int i = 1; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        requests.add(request(name, i + 1, lines.get(i).split(",", -1)));
      }
    }
    requests.sort(Comparator.comparingLong(TraceRequest::arrivalNanos));
    return requests;
  }

  private static TraceRequest request(String name, int line, String[] fields)
      throws BadTraceException {
    if (fields.length != 3) {
      throw BadTraceException.at(name, line, "has %d fields, not 3".formatted(fields.length));
    }
    return new TraceRequest(
        nanos(name, line, fields[0].strip()),
        tokens(name, line, fields[1].strip()),
        tokens(name, line, fields[2].strip()),
        new long[0]);
  }

  private static long nanos(String name, int line, String text) throws BadTraceException {
    try {
      LocalDateTime time = LocalDateTime.parse(text.replace(' ', 'T'));
      return EPOCH.until(time, ChronoUnit.NANOS);
    } catch (DateTimeParseException | ArithmeticException e) {
      throw BadTraceException.at(
          name, line, "has '%s' for a time such as 2023-11-16 18:15:46.68".formatted(text));
    }
  }

  private static int tokens(String name, int line, String text) throws BadTraceException {
    try {
      int tokens = Integer.parseInt(text);
      if (tokens >= 1) {
        return tokens;
      }
    } catch (NumberFormatException e) {
      // Reported below, like a number that is too small.
    }
    throw BadTraceException.at(
        name, line, "has '%s' for a number of tokens, at least 1".formatted(text));
  }
}
