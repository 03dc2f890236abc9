package io.sluice.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations such as {@code 500ms}, {@code 30s}, {@code 5m} or {@code 24h}. */
public final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern SHAPE = Pattern.compile("([1-9][0-9]{0,8})(ms|s|m|h)");

  @Override
  public Duration convert(String text) {
    Matcher matcher = SHAPE.matcher(text.strip());
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a duration: write it like 500ms, 30s, 5m or 24h");
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      default -> Duration.ofHours(amount);
    };
  }
}
