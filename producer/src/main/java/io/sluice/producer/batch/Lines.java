package io.sluice.producer.batch;

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
public final class Lines implements AutoCloseable {
  /** The largest request that the pool accepts, and some room for the rest of the line. */
  public static final int MAX_REQUEST_LINE_BYTES = 9 * 1024 * 1024;

  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream input;
  private final int maxLineBytes;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int at;
  private int filled;
  private Position position;

  /**
   * A place between two lines.
   *
   * @param bytes how many bytes of the file are before it
   * @param lines how many lines
   */
  public record Position(long bytes, long lines) {
    /** The beginning of a file. */
    public static final Position START = new Position(0, 0);
  }

  /**
   * A line.
   *
   * @param number counted from 1
   * @param isTooLong whether the line exceeds the limit, in which case its text is empty
   * @param isTorn whether the file ends without a line end
   */
  @SuppressWarnings("ArrayRecordComponent") // passed on once, never compared
  public record Line(long number, byte[] text, boolean isTooLong, boolean isTorn) {
    /** Returns whether the line has only white space. */
    public boolean isBlank() {
      for (byte b : text) {
        if (!Character.isWhitespace(b)) {
          return false;
        }
      }
      return !isTooLong;
    }
  }

  Lines(Path file, int maxLineBytes) throws IOException {
    this(Files.newInputStream(file), Position.START, maxLineBytes);
  }

  /**
   * Reads a file from a place between two lines.
   *
   * @param input begins at that place, and is closed with this
   */
  public Lines(InputStream input, Position from, int maxLineBytes) {
    this.input = input;
    this.position = from;
    this.maxLineBytes = maxLineBytes;
  }

  /** Returns the place after the lines that were read. */
  public Position position() {
    return position;
  }

  /** Returns the next line; empty at the end of the file. */
  public Optional<Line> next() throws IOException {
    if (!hasBytes()) {
      return Optional.empty();
    }
    ByteArrayOutputStream text = new ByteArrayOutputStream(512);
    long length = 0;
    boolean isTorn = true;
    while (isTorn && hasBytes()) {
      int end = at;
      while (end < filled && buffer[end] != '\n') {
        end++;
      }
      text.write(buffer, at, Math.min(end - at, maxLineBytes - text.size()));
      length += end - at;
      isTorn = end == filled;
      at = isTorn ? end : end + 1;
    }
    boolean isTooLong = length > maxLineBytes;
    long number = position.lines() + 1;
    position = new Position(position.bytes() + length + (isTorn ? 0 : 1), number);
    byte[] bytes = isTooLong ? new byte[0] : text.toByteArray();
    return Optional.of(
        new Line(number, number == 1 ? withoutMark(bytes) : bytes, isTooLong, isTorn));
  }

  private boolean hasBytes() throws IOException {
    if (at == filled) {
      at = 0;
      filled = Math.max(0, input.read(buffer));
    }
    return at < filled;
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
