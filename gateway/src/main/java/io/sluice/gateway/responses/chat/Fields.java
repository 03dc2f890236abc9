package io.sluice.gateway.responses.chat;

import com.fasterxml.jackson.databind.JsonNode;

/** Reads the fields of a request. */
final class Fields {
  private Fields() {}

  /**
   * Returns a text.
   *
   * @param path of the object, for the error message; empty for the body itself
   * @throws InvalidFieldException if the field is absent or not a text
   */
  static String text(JsonNode object, String name, String path) {
    JsonNode value = object.path(name);
    if (!value.isTextual()) {
      throw new InvalidFieldException(path.isEmpty() ? name : path + "." + name, "must be a text");
    }
    return value.textValue();
  }

  /** Returns whether a field has a value other than {@code null}. */
  static boolean isSet(JsonNode object, String name) {
    return object.hasNonNull(name);
  }
}
