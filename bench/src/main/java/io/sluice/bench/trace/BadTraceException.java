package io.sluice.bench.trace;

import java.io.IOException;

/** Thrown for a file that is not a valid trace; the message says which line is wrong and why. */
public final class BadTraceException extends IOException {
  private static final long serialVersionUID = 1L;

  BadTraceException(String message) {
    super(message);
  }

  static BadTraceException at(String name, int line, String what) {
    return new BadTraceException("line %d of the trace %s %s".formatted(line, name, what));
  }
}
