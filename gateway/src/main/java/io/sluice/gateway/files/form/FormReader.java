package io.sluice.gateway.files.form;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a {@code multipart/form-data} body (RFC 7578) one after the other. Holds 64
 * KiB. Not thread-safe.
 */
public final class FormReader {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int MOST_HEADER_BYTES = 8 * 1024;
  private static final int MOST_PARTS = 64;

  private final InputStream in;

  /** A line break, two dashes and the boundary. */
  private final byte[] delimiter;

  private final byte[] buffer = new byte[BUFFER_BYTES];

  /** The bytes of the buffer that were not read yet. */
  private int from;

  private int to;

  /** Up to here, the unread bytes belong to the field's value. */
  private int safe;

  private boolean isAtDelimiter;
  private boolean isOver;
  private int parts;
  private @Nullable Value value;

  /**
   * @param boundary from {@link Boundary}
   */
  public FormReader(InputStream in, String boundary) {
    this.in = in;
    this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
    // The first boundary may have no line break before it.
    buffer[0] = '\r';
    buffer[1] = '\n';
    to = 2;
  }

  /**
   * Moves on to the next field; what is left of the last one is skipped.
   *
   * @return empty after the last field
   * @throws FormException if the body is not a form, or ends before its last boundary
   */
  public Optional<FormPart> next() throws IOException {
    if (isOver) {
      return Optional.empty();
    }
    if (value == null) {
      skipPreamble();
    } else {
      value.close();
    }
    if (isLast()) {
      isOver = true;
      return Optional.empty();
    }
    if (++parts > MOST_PARTS) {
      throw new FormException("the form has more than " + MOST_PARTS + " fields");
    }
    PartHeaders headers = new PartHeaders();
    int left = MOST_HEADER_BYTES;
    for (String line = line(left); !line.isEmpty(); line = line(left)) {
      left -= line.length();
      headers.add(line);
    }
    value = new Value();
    return Optional.of(new FormPart(headers.name(), headers.filename(), value));
  }

  private void skipPreamble() throws IOException {
    int skipped = 0;
    for (int count = unread(); count >= 0; count = unread()) {
      skipped += count;
      if (skipped > MOST_HEADER_BYTES) {
        throw new FormException("the body does not begin with the boundary of its content type");
      }
      from += count;
    }
  }

  /** Reads what follows a boundary: two dashes after the last field, otherwise a line break. */
  private boolean isLast() throws IOException {
    isAtDelimiter = false;
    from += delimiter.length;
    int first = octet();
    if (first == '-' && octet() == '-') {
      return true;
    }
    while (first == ' ' || first == '\t') {
      first = octet();
    }
    if (first != '\r' || octet() != '\n') {
      throw new FormException("a boundary of the form is not followed by a line break");
    }
    safe = from;
    return false;
  }

  private String line(int most) throws IOException {
    StringBuilder latin = new StringBuilder();
    for (int octet = octet(); octet != '\r'; octet = octet()) {
      if (latin.length() >= most || octet == '\n' || octet == 0) {
        throw new FormException("the headers of a field of the form are not valid");
      }
      latin.append((char) octet);
    }
    if (octet() != '\n') {
      throw new FormException("the headers of a field of the form are not valid");
    }
    return new String(
        latin.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  private int octet() throws IOException {
    if (from == to) {
      fill();
    }
    safe = Math.max(safe, from + 1);
    return buffer[from++] & 0xff;
  }

  /** Returns how many bytes of the value are in the buffer, at least one; -1 at its end. */
  private int unread() throws IOException {
    while (!isAtDelimiter) {
      if (safe > from) {
        return safe - from;
      }
      int start = search();
      isAtDelimiter = start == from && matches(start);
      safe = start;
      if (!isAtDelimiter && start == from) {
        fill();
      }
    }
    return -1;
  }

  /** Returns where a boundary begins, or could begin if more bytes came. */
  private int search() {
    int at = from;
    while (at < to && !matchesSoFar(at)) {
      at++;
    }
    return at;
  }

  private boolean matchesSoFar(int at) {
    int length = Math.min(delimiter.length, to - at);
    for (int i = 0; i < length; i++) {
      if (buffer[at + i] != delimiter[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean matches(int at) {
    return to - at >= delimiter.length && matchesSoFar(at);
  }

  /** Reads more bytes behind those that were not read yet, which are few. */
  private void fill() throws IOException {
    System.arraycopy(buffer, from, buffer, 0, to - from);
    to -= from;
    from = 0;
    safe = 0;
    int count = in.read(buffer, to, buffer.length - to);
    if (count < 0) {
      throw new FormException("the body ends before the last boundary of the form");
    }
    to += count;
  }

  private final class Value extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, target.length);
      if (value != this) {
        throw new IOException("the next field was read");
      }
      if (length == 0) {
        return 0;
      }
      int count = Math.min(length, unread());
      if (count > 0) {
        System.arraycopy(buffer, from, target, offset, count);
        from += count;
      }
      return count;
    }

    /** Skips the rest. */
    @Override
    public void close() throws IOException {
      for (int count = unread(); count >= 0; count = unread()) {
        from += count;
      }
    }
  }
}
