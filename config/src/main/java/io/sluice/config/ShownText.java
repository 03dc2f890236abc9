package io.sluice.config;

import java.util.regex.Pattern;

/** How a value may be printed. */
final class ShownText {
  private static final String MASK = "********";
  private static final Pattern PASSWORD_IN_URL = Pattern.compile("(://[^/:@\\s]*):[^/\\s]*@");

  private ShownText() {}

  /** Returns the text, without what is secret: all of a secret setting, or a URL's password. */
  static String of(SettingSpec setting, String text) {
    if (text.isEmpty()) {
      return text;
    }
    return setting.declaration().secret()
        ? MASK
        : PASSWORD_IN_URL.matcher(text).replaceAll("$1:" + MASK + "@");
  }
}
