package io.sluice.simulator.fault;

import java.time.Duration;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An injected fault and the probability with which it hits a request.
 *
 * <p>The text form is {@code name} or {@code name=value}, optionally followed by {@code
 * @probability}: {@code cut-in-frame-after=5@0.1}. It is the same in {@code --fault}, in the admin
 * API and in the header {@value #HEADER}.
 *
 * @param effect the effect
 * @param probability the probability per request, above 0 and up to 1; always 1 for effects on the
 * engine
 */
public record Fault(Effect effect, double probability) {

  /** The request header that injects a fault into its own request. */
  public static final String HEADER = "x-sim-fault";

  /** The known faults, for messages and help. */
  public static final String NAMES =
      "status=N[;retry-after=S], reset, hang-before-head, hang-before-first-token, stall-after=N,"
          + " cut-after=N, cut-in-frame-after=N, no-done, error-after=N, garble-after=N, slow=F,"
          + " refuse-connections, engine-slow=F, leak=BLOCKS_PER_MINUTE, metrics-stale,"
          + " metrics-absent, metrics-slow=MILLIS, gpu-temperature=C";

  private static final Pattern FORM =
      Pattern.compile(
          "(?<name>[a-z-]+)(=(?<value>\\d{1,7}(\\.\\d{1,6})?))?(;retry-after=(?<retry>\\d{1,6}))?"
              + "(@(?<chance>[01](\\.\\d{1,9})?))?");

  /** Validates the probability. */
  public Fault {
    if (!(probability > 0 && probability <= 1)) {
      throw new IllegalArgumentException(
          "A fault's probability must be above 0 and up to 1, got " + probability + ".");
    }
    if (probability < 1 && effect instanceof Effect.OnEngine) {
      throw new IllegalArgumentException(
          "Only faults on requests can have a probability, but this one affects the engine. Leave out @P.");
    }
  }

  /**
   * Parses the text form.
   *
   * @throws IllegalArgumentException if the text is not a fault; the message lists the known ones
   */
  public static Fault parse(String text) {
    Matcher form = FORM.matcher(text.trim());
    if (!form.matches()) {
      throw unknown(text);
    }
    String chance = form.group("chance");
    return new Fault(effect(text, form), chance == null ? 1 : Double.parseDouble(chance));
  }

  private static Effect effect(String text, Matcher form) {
    boolean hasRetry = form.group("retry") != null;
    String name = form.group("name");
    if (hasRetry && !name.equals("status")) {
      throw unknown(text);
    }
    if (form.group("value") == null) {
      return switch (name) {
        case "reset" -> new Effect.Reset();
        case "hang-before-head" -> new Effect.HangBeforeHead();
        case "hang-before-first-token" -> new Effect.HangBeforeFirstToken();
        case "no-done" -> new Effect.NoDone();
        case "refuse-connections" -> new Effect.RefuseConnections();
        case "metrics-stale" -> new Effect.MetricsStale();
        case "metrics-absent" -> new Effect.MetricsAbsent();
        default -> throw unknown(text);
      };
    }
    double value = Double.parseDouble(form.group("value"));
    return switch (name) {
      case "status" -> status(text, value, form);
      case "stall-after" -> new Effect.StallAfter(whole(text, value));
      case "cut-after" -> new Effect.CutAfter(whole(text, value));
      case "cut-in-frame-after" -> new Effect.CutInFrameAfter(whole(text, value));
      case "error-after" -> new Effect.ErrorAfter(whole(text, value));
      case "garble-after" -> new Effect.GarbleAfter(whole(text, value));
      case "slow" -> new Effect.Slow(atLeastOne(text, value));
      case "engine-slow" -> new Effect.EngineSlow(atLeastOne(text, value));
      case "leak" -> new Effect.Leak(value);
      case "metrics-slow" -> new Effect.MetricsSlow(Duration.ofMillis(whole(text, value)));
      case "gpu-temperature" -> new Effect.GpuTemperature(value);
      default -> throw unknown(text);
    };
  }

  private static Effect status(String text, double value, Matcher form) {
    int status = whole(text, value);
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException(
          "The fault '" + text + "' needs a status from 400 to 599.");
    }
    String retry = form.group("retry");
    return new Effect.Status(
        status, retry == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(retry)));
  }

  private static int whole(String text, double value) {
    if (value != Math.rint(value)) {
      throw new IllegalArgumentException("The fault '" + text + "' needs a whole number.");
    }
    return (int) value;
  }

  private static double atLeastOne(String text, double value) {
    if (value < 1) {
      throw new IllegalArgumentException("The fault '" + text + "' needs a factor of 1 or more.");
    }
    return value;
  }

  private static IllegalArgumentException unknown(String text) {
    return new IllegalArgumentException(
        "Unknown fault '" + text + "'. Use one of: " + NAMES + ". Add @P for a probability.");
  }

  /** Returns the text form. */
  @Override
  public String toString() {
    String text =
        switch (effect) {
          case Effect.Status it ->
              "status="
                  + it.status()
                  + (it.retryAfterSeconds().isPresent()
                      ? ";retry-after=" + it.retryAfterSeconds().getAsInt()
                      : "");
          case Effect.Reset _ -> "reset";
          case Effect.HangBeforeHead _ -> "hang-before-head";
          case Effect.HangBeforeFirstToken _ -> "hang-before-first-token";
          case Effect.StallAfter it -> "stall-after=" + it.tokens();
          case Effect.CutAfter it -> "cut-after=" + it.tokens();
          case Effect.CutInFrameAfter it -> "cut-in-frame-after=" + it.tokens();
          case Effect.NoDone _ -> "no-done";
          case Effect.ErrorAfter it -> "error-after=" + it.tokens();
          case Effect.GarbleAfter it -> "garble-after=" + it.tokens();
          case Effect.Slow it -> "slow=" + number(it.factor());
          case Effect.RefuseConnections _ -> "refuse-connections";
          case Effect.EngineSlow it -> "engine-slow=" + number(it.factor());
          case Effect.Leak it -> "leak=" + number(it.blocksPerMinute());
          case Effect.MetricsStale _ -> "metrics-stale";
          case Effect.MetricsAbsent _ -> "metrics-absent";
          case Effect.MetricsSlow it -> "metrics-slow=" + it.delay().toMillis();
          case Effect.GpuTemperature it -> "gpu-temperature=" + number(it.celsius());
        };
    return probability == 1 ? text : text + "@" + number(probability);
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : new java.math.BigDecimal(String.format(Locale.ROOT, "%.9f", value))
            .stripTrailingZeros()
            .toPlainString();
  }
}
