package io.sluice.producer.batch;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads a file line by line. It holds one line at a time, and no line longer than a limit. Not
 * thread-safe.
 */
final class Lines implements AutoCloseable {
  private final InputStream input;
  private final int maxLineBytes;
  private long number;

  /**
   * A line.
   *
   * @param number counted from 1
   * @param isTooLong whether the line exceeds the limit, in which case its text is empty
   * @param isTorn whether the file ends without a line end
   */
  @SuppressWarnings("ArrayRecordComponent") // passed on once, never compared
  record Line(long number, byte[] text, boolean isTooLong, boolean isTorn) {
    boolean isBlank() {
      for (byte b : text) {
        if (!Character.isWhitespace(b)) {
          return false;
        }
      }
      return !isTooLong;
    }
  }

  Lines(Path file, int maxLineBytes) throws IOException {
    this.input = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    this.maxLineBytes = maxLineBytes;
  }

  /** Returns the next line; empty at the end of the file. */
  Optional<Line> next() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream(512);
    boolean isTooLong = false;
    int read = input.read();
    if (read < 0) {
      return Optional.empty();
    }
    number++;
    while (read >= 0 && read != '\n') {
      if (text.size() < maxLineBytes) {
        text.write(read);
      } else {
        isTooLong = true;
      }
      read = input.read();
    }
    byte[] bytes = isTooLong ? new byte[0] : text.toByteArray();
    return Optional.of(
        new Line(number, number == 1 ? withoutMark(bytes) : bytes, isTooLong, read < 0));
  }

  /** Removes the byte order mark that some editors put before UTF-8 text. */
  private static byte[] withoutMark(byte[] bytes) {
    boolean hasMark =
        bytes.length >= 3
            && bytes[0] == (byte) 0xEF
            && bytes[1] == (byte) 0xBB
            && bytes[2] == (byte) 0xBF;
    return hasMark ? java.util.Arrays.copyOfRange(bytes, 3, bytes.length) : bytes;
  }

  @Override
  public void close() throws IOException {
    input.close();
  }
}
