package io.sluice.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One setting as it is declared.
 *
 * @param key in a file and, after two dashes, as a flag
 * @param environment the name of its environment variable
 * @param type of the record component
 * @param declaration the rest of what is declared
 */
public record SettingSpec(String key, String environment, Type type, Setting declaration) {

  /** Returns the flag, with its dashes. */
  public String flag() {
    return "--" + key;
  }

  /** Returns whether a flag without a value switches it on. */
  boolean isSwitch() {
    return type == boolean.class;
  }

  /** Returns whether its value is a quantity, which is shown with its unit. */
  boolean isMeasured() {
    Type type = valueType();
    boolean isNumber =
        type == Duration.class || (type instanceof Class<?> raw && raw.isPrimitive());
    return isNumber && !declaration.unit().isEmpty() && !declaration.unit().equals("port");
  }

  /** Returns whether the flag may be repeated. */
  boolean isList() {
    return raw(type) == List.class;
  }

  /** Returns whether it may be absent. */
  boolean isOptional() {
    return raw(type) == Optional.class || type == OptionalInt.class || type == OptionalLong.class;
  }

  /** Returns the type of the value in an {@code Optional} or {@code List}, or else its own type. */
  Type valueType() {
    if (type == OptionalInt.class) {
      return int.class;
    }
    if (type == OptionalLong.class) {
      return long.class;
    }
    return type instanceof ParameterizedType generic ? generic.getActualTypeArguments()[0] : type;
  }

  /** Returns what the documentation shows as the default. */
  public String shownDefault() {
    String defaultValue = declaration.defaultValue();
    if (!declaration.otherwise().isEmpty()) {
      return declaration.otherwise();
    }
    if (!defaultValue.isEmpty()) {
      return defaultValue;
    }
    if (isSwitch()) {
      return "off";
    }
    return isOptional() || isList() ? "none" : "required";
  }

  static Type raw(Type type) {
    return type instanceof ParameterizedType generic ? generic.getRawType() : type;
  }
}
