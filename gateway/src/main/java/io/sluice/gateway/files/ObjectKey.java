package io.sluice.gateway.files;

import java.util.regex.Pattern;

/** The rule for the keys of an {@link ObjectStore}. */
final class ObjectKey {
  private static final String NAME = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}";
  private static final Pattern KEY = Pattern.compile(NAME + "(/" + NAME + "){0,15}");
  private static final Pattern PREFIX = Pattern.compile("((" + NAME + "/){0,15}(" + NAME + ")?)");

  private ObjectKey() {}

  /**
   * Returns a key that follows the rule.
   *
   * @throws IllegalArgumentException if it does not
   */
  static String checked(String key) {
    return checked(key, KEY);
  }

  /**
   * Returns the beginning of a key.
   *
   * @throws IllegalArgumentException if no key begins so
   */
  static String checkedPrefix(String prefix) {
    return checked(prefix, PREFIX);
  }

  private static String checked(String text, Pattern rule) {
    if (!rule.matcher(text).matches()) {
      throw new IllegalArgumentException("not a key of the storage: '" + text + "'");
    }
    return text;
  }
}
