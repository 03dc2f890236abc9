package io.sluice.gateway.files;

import io.sluice.gateway.files.StoredFile.Part;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** The bytes of a file. Holds one part at a time. Not thread-safe. */
final class PartStream extends InputStream {
  private final StoredFile file;
  private final Function<Part, Optional<byte[]>> parts;
  private byte[] part = new byte[0];
  private int next;
  private int at;

  /**
   * @param from how many bytes to leave out, at most the size of the file
   * @param parts reads a part; empty if it was deleted
   */
  PartStream(StoredFile file, long from, Function<Part, Optional<byte[]>> parts) {
    Objects.checkFromToIndex(from, file.bytes(), file.bytes());
    this.file = file;
    this.parts = parts;
    long skip = from;
    while (next < file.parts().size() && skip >= file.parts().get(next).bytes()) {
      skip -= file.parts().get(next).bytes();
      next++;
    }
    // Of the part that is read first.
    at = (int) skip;
  }

  @Override
  public int read() throws IOException {
    return fill() ? part[at++] & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, part.length - at);
    System.arraycopy(part, at, target, offset, count);
    at += count;
    return count;
  }

  /** Makes sure that the part has bytes left; false at the end of the file. */
  private boolean fill() throws IOException {
    boolean isFirst = part.length == 0;
    while (at >= part.length) {
      if (next == file.parts().size()) {
        return false;
      }
      int skip = isFirst ? at : 0;
      part = load(file.parts().get(next));
      next++;
      at = skip;
      isFirst = false;
    }
    return true;
  }

  private byte[] load(Part wanted) throws IOException {
    byte[] bytes;
    try {
      bytes =
          parts
              .apply(wanted)
              .orElseThrow(() -> new IOException("%s was deleted".formatted(file.id())));
    } catch (StorageException e) {
      throw new IOException("cannot read %s: %s".formatted(file.id(), e.getMessage()), e);
    }
    if (bytes.length != wanted.bytes()) {
      throw new IOException(
          "part %s of %s has %d bytes instead of %d"
              .formatted(wanted.name(), file.id(), bytes.length, wanted.bytes()));
    }
    return bytes;
  }
}
