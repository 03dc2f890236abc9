package io.sluice.common.protocol;

import java.nio.charset.StandardCharsets;

/** The texts that a header can carry: well-formed, not blank, without surrounding white space. */
final class WireText {
  private WireText() {}

  static boolean survives(String text) {
    return !text.isBlank()
        && text.equals(text.strip())
        && StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }
}
