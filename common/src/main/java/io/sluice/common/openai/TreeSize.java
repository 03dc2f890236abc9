package io.sluice.common.openai;

/**
 * The memory that the tree of a JSON text needs at most, which may be thirty times that of the
 * text.
 */
public final class TreeSize {
  /** A text needs a node, a string and an array; members of objects need more, numbers less. */
  private static final int BYTES_PER_VALUE = 64;

  /** Texts with characters beyond Latin-1 have two bytes for each. */
  private static final int BYTES_PER_BYTE = 2;

  private TreeSize() {}

  /**
   * Returns the bytes of heap.
   *
   * @param json may be broken
   */
  public static long of(byte[] json) {
    return (long) json.length * BYTES_PER_BYTE + (long) marks(json) * BYTES_PER_VALUE;
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
