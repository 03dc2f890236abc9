package io.sluice.bench.trace.generated;

import io.sluice.bench.trace.Trace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Traces of half an hour, with four requests per second on average, of one kind of traffic each.
 * They follow from a fixed seed. Sessions start at random, at a constant rate. An answer is assumed
 * to take {@value Timeline#FIRST_TOKEN_MILLIS} ms and {@value Timeline#TOKEN_MILLIS} ms per token
 * before its caller can continue.
 */
public final class GeneratedTraces {
  /** How a command's argument begins that names a generated trace. */
  public static final String PREFIX = "generated:";

  private static final long SEED = 20_261_127;
  private static final Map<String, Supplier<Traffic>> ALL = new LinkedHashMap<>();

  static {
    ALL.put("chat", ChatTraffic::new);
    ALL.put("documents", DocumentTraffic::new);
    ALL.put("agents", AgentTraffic::new);
    ALL.put("mixed", MixedTraffic::new);
  }

  private GeneratedTraces() {}

  /** Returns the names of all. */
  public static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /**
   * Generates the trace of a name, without {@link #PREFIX}.
   *
   * @throws IllegalArgumentException if there is none; the message lists the names
   */
  public static Trace named(String name) {
    Supplier<Traffic> traffic = ALL.get(name);
    if (traffic == null) {
      throw new IllegalArgumentException(
          "there is no generated trace '%s'; there are %s"
              .formatted(name, String.join(", ", names())));
    }
    return new Trace(PREFIX + name, new Timeline(new Draws(SEED)).of(traffic.get()), true);
  }
}
