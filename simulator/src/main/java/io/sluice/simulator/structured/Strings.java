package io.sluice.simulator.structured;

import com.fasterxml.jackson.databind.JsonNode;

/** Generates strings for a schema's {@code format} and lengths. */
final class Strings {

  private static final int MOST_CHARS = 10_000;

  private Strings() {}

  static String of(JsonNode schema, String name) {
    int least = schema.path("minLength").asInt(0);
    int most = schema.path("maxLength").asInt(MOST_CHARS);
    if (least > most) {
      throw new IllegalArgumentException(
          "The JSON schema's minLength %d is above %d.".formatted(least, most));
    }
    if (schema.has("pattern")) {
      return matching(schema.get("pattern").asText(), least, most);
    }
    String text =
        switch (schema.path("format").asText("")) {
          case "date-time" -> "2026-01-01T00:00:00Z";
          case "date" -> "2026-01-01";
          case "time" -> "12:00:00Z";
          case "duration" -> "PT1M";
          case "email" -> "someone@example.com";
          case "hostname" -> "example.com";
          case "ipv4" -> "192.0.2.1";
          case "ipv6" -> "2001:db8::1";
          case "uri" -> "https://example.com/";
          case "uuid" -> "123e4567-e89b-12d3-a456-426614174000";
          default -> "a plain " + name;
        };
    String enough = text.length() < least ? text + "x".repeat(least - text.length()) : text;
    return enough.length() > most ? enough.substring(0, most) : enough;
  }

  /**
   * Returns a text that matches a pattern completely, although the schema requires only a partial
   * match.
   */
  private static String matching(String pattern, int least, int most) {
    return MatchingText.of(pattern, least, most)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "No text of %d to %d characters was found for the JSON schema's pattern %s."
                        .formatted(least, most, pattern)));
  }
}
