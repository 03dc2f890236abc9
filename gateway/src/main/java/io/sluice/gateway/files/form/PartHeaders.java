package io.sluice.gateway.files.form;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The headers of one field of a form. Not thread-safe. */
final class PartHeaders {
  private static final String EXTENDED = "utf-8''";

  private final Map<String, String> disposition = new HashMap<>();

  /** Takes a line. */
  void add(String line) throws FormException {
    int colon = line.indexOf(':');
    if (colon <= 0) {
      throw new FormException("the headers of a field of the form are not valid");
    }
    String value = line.substring(colon + 1).strip();
    switch (line.substring(0, colon).strip().toLowerCase(Locale.ROOT)) {
      case "content-disposition" -> parameters(value);
      case "content-transfer-encoding" -> {
        String encoding = value.toLowerCase(Locale.ROOT);
        if (encoding.equals("base64") || encoding.equals("quoted-printable")) {
          throw new FormException("the transfer encoding " + encoding + " is not supported");
        }
      }
      default -> {}
    }
  }

  /** Returns the name of the field. */
  String name() throws FormException {
    String name = disposition.get("name");
    if (name == null) {
      throw new FormException("a field of the form has no name");
    }
    return name;
  }

  /** Returns the name of the file; empty if the field is not a file. */
  Optional<String> filename() {
    String extended = disposition.get("filename*");
    if (extended != null && extended.regionMatches(true, 0, EXTENDED, 0, EXTENDED.length())) {
      return Optional.of(percentDecoded(extended.substring(EXTENDED.length())));
    }
    // Browsers and clients escape these three characters only.
    return Optional.ofNullable(disposition.get("filename"))
        .map(name -> name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"));
  }

  private static @Nullable String percentDecodedOrNull(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static String percentDecoded(String text) {
    String decoded = percentDecodedOrNull(text);
    return decoded == null ? text : decoded;
  }

  /** Reads {@code form-data; name="value"; other=value}. */
  private void parameters(String value) {
    int at = value.indexOf(';');
    while (at >= 0) {
      int equals = value.indexOf('=', at);
      if (equals < 0) {
        return;
      }
      String name = value.substring(at + 1, equals).strip().toLowerCase(Locale.ROOT);
      int start = equals + 1;
      while (start < value.length() && value.charAt(start) == ' ') {
        start++;
      }
      if (start < value.length() && value.charAt(start) == '"') {
        StringBuilder quoted = new StringBuilder();
        int end = quoted(value, start + 1, quoted);
        disposition.putIfAbsent(name, quoted.toString());
        at = value.indexOf(';', end);
      } else {
        int end = value.indexOf(';', start);
        disposition.putIfAbsent(
            name, value.substring(start, end < 0 ? value.length() : end).strip());
        at = end;
      }
    }
  }

  /**
   * Reads a quoted text.
   *
   * @return where it ends
   */
  private static int quoted(String value, int start, StringBuilder text) {
    int at = start;
    while (at < value.length() && value.charAt(at) != '"') {
      char next = at + 1 < value.length() ? value.charAt(at + 1) : 0;
      if (value.charAt(at) == '\\' && (next == '"' || next == '\\')) {
        at++;
      }
      text.append(value.charAt(at));
      at++;
    }
    return at;
  }
}
