package io.sluice.router.request;

import io.sluice.common.protocol.Control;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Controls of a request that has not arrived or belongs to another partition.
 *
 * @param asked the last control of each kind, the latest one last; at least one
 */
public record EarlyControl(String requestId, List<Asked> asked) implements StoredRequest {
  /** The first byte of a stored value that is only a cancel. JSON never starts with it. */
  static final byte CANCEL_FORM = 2;

  /** The first byte of all other stored values. */
  static final byte FORM = 3;

  /**
   * One control.
   *
   * @param untilMillis the time until which it counts, epoch milliseconds
   */
  public record Asked(Control control, long untilMillis) {}

  public EarlyControl {
    asked = List.copyOf(asked);
  }

  public static EarlyControl of(Control control, long untilMillis) {
    return new EarlyControl(control.requestId(), List.of(new Asked(control, untilMillis)));
  }

  /** Adds a control, which replaces an earlier one of its kind. */
  public EarlyControl and(Control control, long untilMillis) {
    List<Asked> all = new ArrayList<>(asked);
    all.removeIf(before -> before.control().getClass() == control.getClass());
    all.add(new Asked(control, untilMillis));
    return new EarlyControl(requestId, all);
  }

  /** Returns the time until which any of the controls counts, epoch milliseconds. */
  public long untilMillis() {
    return asked.stream().mapToLong(Asked::untilMillis).max().orElse(0);
  }

  public boolean isCancel() {
    return asked.stream().anyMatch(each -> each.control() instanceof Control.Cancel);
  }

  /** Returns the controls that still count. */
  public List<Control> at(TimePoint now) {
    return asked.stream()
        .filter(each -> now.epochMillis() <= each.untilMillis())
        .map(Asked::control)
        .toList();
  }

  /** Returns the value as it is stored. */
  public byte[] toBytes() {
    if (isCancel() && asked.size() == 1) {
      return ByteBuffer.allocate(1 + Long.BYTES).put(CANCEL_FORM).putLong(untilMillis()).array();
    }
    var bytes = new ByteArrayOutputStream();
    bytes.write(FORM);
    for (Asked each : asked) {
      byte[] control = each.control().toJson();
      int length = Long.BYTES + Integer.BYTES + control.length;
      bytes.writeBytes(
          ByteBuffer.allocate(length)
              .putLong(each.untilMillis())
              .putInt(control.length)
              .put(control)
              .array());
    }
    return bytes.toByteArray();
  }

  /**
   * Reads a stored value.
   *
   * @throws IOException if it is damaged
   */
  static EarlyControl fromBytes(String requestId, byte[] stored) throws IOException {
    try (var in = new DataInputStream(new ByteArrayInputStream(stored))) {
      if (in.readByte() == CANCEL_FORM) {
        return of(new Control.Cancel(requestId), lastLong(in));
      }
      List<Asked> asked = new ArrayList<>();
      do {
        asked.add(asked(in));
      } while (in.available() > 0);
      return new EarlyControl(requestId, asked);
    }
  }

  private static long lastLong(DataInputStream in) throws IOException {
    long value = in.readLong();
    if (in.available() > 0) {
      throw new IOException("unexpected data after the time");
    }
    return value;
  }

  private static Asked asked(DataInputStream in) throws IOException {
    long untilMillis = in.readLong();
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new EOFException("incomplete control record");
    }
    byte[] control = in.readNBytes(length);
    return new Asked(
        Control.parse(control).orElseThrow(() -> new IOException("not a control record")),
        untilMillis);
  }
}
