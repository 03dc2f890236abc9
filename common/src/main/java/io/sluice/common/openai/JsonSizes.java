package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** How large JSON is as a tree and as a text. */
public final class JsonSizes {
  /** A text needs a node, a string and an array; members of objects need more, numbers less. */
  private static final int BYTES_PER_VALUE = 64;

  /** Texts with characters beyond Latin-1 have two bytes for each. */
  private static final int BYTES_PER_BYTE = 2;

  /** Of a value or a name: quotes or brackets, and what follows. */
  private static final int PUNCTUATION = 3;

  private static final int WHOLE_NUMBER = 3;
  private static final int OTHER_NUMBER = 16;

  private JsonSizes() {}

  /**
   * Returns the bytes of heap that the tree of a text needs at most, which may be thirty times
   * those of the text.
   *
   * @param json may be broken
   */
  public static long ofTree(byte[] json) {
    return (long) json.length * BYTES_PER_BYTE + (long) marks(json) * BYTES_PER_VALUE;
  }

  /** Returns the characters of all texts in a tree, without names. */
  public static int characters(JsonNode tree) {
    int characters = tree.isTextual() ? tree.textValue().length() : 0;
    for (JsonNode child : tree) {
      characters += characters(child);
    }
    return characters;
  }

  /** Returns about how many bytes a tree takes as text. */
  public static long ofText(JsonNode tree) {
    long bytes = PUNCTUATION;
    if (tree.isTextual()) {
      bytes += tree.textValue().length();
    } else if (tree.isNumber()) {
      bytes += tree.isIntegralNumber() ? WHOLE_NUMBER : OTHER_NUMBER;
    }
    for (Map.Entry<String, JsonNode> field : tree.properties()) {
      bytes += field.getKey().length() + PUNCTUATION + ofText(field.getValue());
    }
    if (tree.isArray()) {
      for (JsonNode element : tree) {
        bytes += ofText(element);
      }
    }
    return bytes;
  }

  /** Counts what stands before the values and names of a JSON text. */
  static int marks(byte[] json) {
    int count = 0;
    boolean isText = false;
    for (int i = 0; i < json.length; i++) {
      switch (json[i]) {
        case '"' -> isText = !isText;
        case '\\' -> i += isText ? 1 : 0;
        case '{', '[', ',', ':' -> count += isText ? 0 : 1;
        // In UTF-16 or UTF-32, where each byte may begin a value.
        case 0 -> {
          return json.length;
        }
        default -> {}
      }
    }
    return count;
  }
}
