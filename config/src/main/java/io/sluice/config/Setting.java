package io.sluice.config;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a record component as a setting. Its type decides how the text is read:
 *
 * <ul>
 *   <li>{@code String}, {@code int}, {@code short}, {@code long}, {@code double}, {@code boolean}
 *   <li>{@code Duration}: a number in the {@link #unit}
 *   <li>{@code URI}, {@code Path}
 *   <li>{@code List} of these: separated by commas; a flag may also be repeated
 *   <li>{@code Optional} of these, {@code OptionalInt}, {@code OptionalLong}: a setting that may be
 *       absent
 *   <li>any other class: by its method {@code public static parse(String)}, which throws {@code
 *       IllegalArgumentException} for a text that it cannot read
 * </ul>
 *
 * <p>A component without this annotation is a record that groups further settings.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  /**
   * Returns the key in a file and, after two dashes, the flag. Default: the component in
   * kebab-case.
   */
  String key() default "";

  /** Further names of the flag, without dashes. */
  String[] aliases() default {};

  /** Returns the environment variable. Default: the prefix of the {@link Settings} and the key. */
  String environment() default "";

  /** Returns the default as text. Empty: there is none. */
  String defaultValue() default "";

  /**
   * Returns what takes effect when neither a value nor a default is there, in words for the reader.
   */
  String otherwise() default "";

  /** Returns the unit of the value: {@code ms}, {@code s}, {@code h}, {@code tokens}, ... */
  String unit() default "";

  /** Returns what the setting does: short sentences for {@code --help} and the documentation. */
  String meaning();

  /** Returns the least number or duration, in the unit. */
  double min() default Double.NEGATIVE_INFINITY;

  /** Returns the greatest number or duration, in the unit. */
  double max() default Double.POSITIVE_INFINITY;

  /** Returns whether the value is a secret, which is never printed. */
  boolean secret() default false;
}
