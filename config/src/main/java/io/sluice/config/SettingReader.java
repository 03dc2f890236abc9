package io.sluice.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Finds the value of one setting in its sources and reads it. */
final class SettingReader {
  private final SettingSpec setting;
  private final ValueParser parser;

  SettingReader(SettingSpec setting) {
    this.setting = setting;
    this.parser = new ValueParser(setting);
  }

  /** Returns what the component of the record gets; empty if a problem was reported. */
  Optional<Object> read(SettingSources sources, Consumer<String> problems) {
    SettingSources.Given given =
        sources
            .find(setting)
            .orElseGet(
                () ->
                    new SettingSources.Given(
                        setting.declaration().defaultValue(), setting.flag() + " by default"));
    try {
      return value(given.text());
    } catch (IllegalArgumentException e) {
      problems.accept(
          "%s is %s, but %s".formatted(given.origin(), shown(given.text()), e.getMessage()));
    } catch (MissingException e) {
      problems.accept(
          "%s is missing: give it, or set %s".formatted(setting.flag(), setting.environment()));
    }
    return Optional.empty();
  }

  private Optional<Object> value(String text) throws MissingException {
    if (setting.isList()) {
      return Optional.of(list(text));
    }
    if (setting.isOptional()) {
      return Optional.of(optional(text));
    }
    if (setting.isSwitch() && text.isEmpty()) {
      return Optional.of(false);
    }
    if (text.isEmpty() && isRequired()) {
      throw new MissingException();
    }
    return Optional.of(parser.parse(text));
  }

  private Object optional(String text) {
    if (setting.type() == OptionalInt.class) {
      return text.isEmpty() ? OptionalInt.empty() : OptionalInt.of((int) parser.parse(text));
    }
    if (setting.type() == OptionalLong.class) {
      return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of((long) parser.parse(text));
    }
    return text.isEmpty() ? Optional.empty() : Optional.of(parser.parse(text));
  }

  /** Only own types may give an empty text a meaning. */
  private boolean isRequired() {
    return setting.valueType() instanceof Class<?> type
        && (type.isPrimitive() || type.getPackageName().startsWith("java."));
  }

  /**
   * Returns the values of a list.
   *
   * @throws IllegalArgumentException with what is wrong with each element that cannot be read
   */
  private List<Object> list(String text) {
    List<Object> values = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      if (!part.isBlank()) {
        try {
          values.add(parser.parse(part.strip()));
        } catch (IllegalArgumentException e) {
          problems.add("%s %s".formatted(shown(part.strip()), e.getMessage()));
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    return List.copyOf(values);
  }

  private String shown(String text) {
    return "'" + ShownText.of(setting, text) + "'";
  }

  private static final class MissingException extends Exception {
    private static final long serialVersionUID = 1;
  }
}
