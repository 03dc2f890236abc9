package io.sluice.common.reply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A text as the bytes of its UTF-8, so that the value of a reply record reaches its readers without
 * being decoded and encoded again. Immutable.
 */
public final class Utf8Text {
  private final byte[] bytes;

  private Utf8Text(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the text of these bytes, which must not be changed afterwards. */
  public static Utf8Text of(byte[] utf8) {
    return new Utf8Text(utf8);
  }

  /** Encodes a text. */
  public static Utf8Text of(String text) {
    return new Utf8Text(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Encodes a value that is known to be encodable as JSON. */
  public static Utf8Text ofJson(Object value) {
    return new Utf8Text(Json.bytes(value));
  }

  /** Returns the length in bytes. */
  public int length() {
    return bytes.length;
  }

  /** Returns the bytes, which must not be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * Returns the text as JSON.
   *
   * @throws UncheckedIOException if it is not JSON
   */
  public JsonNode knownJson() {
    try {
      return Json.tree(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the text as JSON; a missing node if it is not JSON. */
  public JsonNode json() {
    try {
      return Json.tree(bytes);
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Utf8Text text && Arrays.equals(bytes, text.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Decodes the text. */
  @Override
  public String toString() {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
