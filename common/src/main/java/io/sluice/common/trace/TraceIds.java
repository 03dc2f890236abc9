package io.sluice.common.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ids of traces and spans: random ones, and ones that follow from a name. Services that know the
 * same name give the same id without telling each other, and a repeat of work gives the same span
 * again. Thread-safe.
 */
public final class TraceIds {
  private static final int TRACE_BYTES = 16;
  private static final int SPAN_BYTES = 8;

  private TraceIds() {}

  /** Returns a new trace id. */
  public static String trace() {
    return span() + span();
  }

  /** Returns a new span id. */
  public static String span() {
    long id;
    do {
      id = ThreadLocalRandom.current().nextLong();
    } while (id == 0);
    return HexFormat.of().toHexDigits(id);
  }

  /** Returns the trace id that follows from a name. */
  public static String traceOf(String name) {
    return digest(name, TRACE_BYTES);
  }

  /** Returns the span id that follows from a name. */
  public static String spanOf(String name) {
    return digest(name, SPAN_BYTES);
  }

  private static String digest(String name, int bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8));
      return HexFormat.of().formatHex(hash, 0, bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
