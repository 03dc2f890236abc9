package io.sluice.bench.replay;

import io.sluice.cli.DurationConverter;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses a moment: {@code 2026-11-27T10:00Z}, or a duration back from now, such as {@code 30m} or
 * {@code -30m}.
 */
final class TimeConverter implements ITypeConverter<Instant> {
  @Override
  public Instant convert(String text) {
    String stripped = text.strip();
    if (stripped.contains("T")) {
      try {
        return OffsetDateTime.parse(stripped).toInstant();
      } catch (DateTimeException e) {
        throw wrong(text);
      }
    }
    String back = stripped.startsWith("-") ? stripped.substring(1) : stripped;
    try {
      return Instant.now().minus(new DurationConverter().convert(back));
    } catch (TypeConversionException e) {
      throw wrong(text);
    }
  }

  private static TypeConversionException wrong(String text) {
    return new TypeConversionException(
        "'"
            + text
            + "' is not a time: write it like 2026-11-27T10:00Z, or as a duration back from now,"
            + " like 30m or 2h");
  }
}
