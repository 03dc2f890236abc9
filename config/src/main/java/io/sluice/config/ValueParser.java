package io.sluice.config;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Reads a single value; a text that it cannot read is told what is expected. */
final class ValueParser {
  private static final Map<String, Duration> UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "min", Duration.ofMinutes(1),
          "h", Duration.ofHours(1));

  private final SettingSpec setting;

  ValueParser(SettingSpec setting) {
    this.setting = setting;
  }

  /**
   * Returns the value of a text.
   *
   * @throws IllegalArgumentException with the end of a sentence that begins with the setting and
   *     its value
   */
  Object parse(String text) {
    Type type = setting.valueType();
    if (type == String.class) {
      return text;
    }
    if (type == boolean.class || type == Boolean.class) {
      return flag(text);
    }
    if (type == double.class || type == Double.class) {
      return number(text);
    }
    if (type == int.class || type == Integer.class) {
      return (int) whole(text, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
    if (type == short.class || type == Short.class) {
      return (short) whole(text, Short.MIN_VALUE, Short.MAX_VALUE);
    }
    if (type == long.class || type == Long.class) {
      return whole(text, Long.MIN_VALUE, Long.MAX_VALUE);
    }
    if (type == Duration.class) {
      return duration(text);
    }
    if (type == URI.class) {
      return uri(text);
    }
    if (type == Path.class) {
      return path(text);
    }
    return custom((Class<?>) type, text);
  }

  private static boolean flag(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw new IllegalArgumentException("must be true or false");
    };
  }

  private long whole(String text, long least, long most) {
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most && inBounds((double) value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(expected(true), e);
    }
    throw new IllegalArgumentException(expected(true));
  }

  private double number(String text) {
    try {
      double value = Double.parseDouble(text);
      if (Double.isFinite(value) && inBounds(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(expected(false), e);
    }
    throw new IllegalArgumentException(expected(false));
  }

  private Duration duration(String text) {
    Duration unit =
        Objects.requireNonNull(
            UNITS.get(setting.declaration().unit()),
            () -> setting.key() + " has a unit that is not one of time");
    return Duration.ofNanos(Math.round(number(text) * unit.toNanos()));
  }

  private boolean inBounds(double value) {
    return value >= setting.declaration().min() && value <= setting.declaration().max();
  }

  private String expected(boolean whole) {
    double min = setting.declaration().min();
    double max = setting.declaration().max();
    String unit = setting.declaration().unit();
    String range =
        Double.isInfinite(max)
            ? Double.isInfinite(min) ? "" : " of at least " + shown(min)
            : " from " + shown(min) + " to " + shown(max);
    return "must be a "
        + (whole ? "whole " : "")
        + "number"
        + range
        + (unit.isEmpty() ? "" : " (" + unit + ")");
  }

  private static String shown(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }

  private static URI uri(String text) {
    try {
      URI uri = new URI(text);
      if (uri.getScheme() != null && uri.getHost() != null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("must be a URL such as http://127.0.0.1:8000", e);
    }
    throw new IllegalArgumentException("must be a URL such as http://127.0.0.1:8000");
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("must be a path", e);
    }
  }

  private static Object custom(Class<?> type, String text) {
    if (type.isEnum()) {
      return constant(type, text);
    }
    try {
      Method parse = type.getMethod("parse", String.class);
      return Objects.requireNonNull(parse.invoke(null, text));
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException cause) {
        throw new IllegalArgumentException("is not valid: " + cause.getMessage(), cause);
      }
      throw new IllegalStateException(type + " cannot parse a setting", e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          type + " needs a method 'public static parse(String)' to be a setting", e);
    }
  }

  private static Object constant(Class<?> type, String text) {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> constant.toString().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "must be one of "
                        + String.join(
                            ", ",
                            Arrays.stream(type.getEnumConstants())
                                .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                                .toList())));
  }
}
