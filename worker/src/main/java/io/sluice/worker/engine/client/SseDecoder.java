package io.sluice.worker.engine.client;

import io.sluice.common.protocol.FailureCode;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Decodes server-sent events: takes bytes as they arrive and hands on the data of complete events,
 * as UTF-8. Accepts LF, CRLF and CR as line ends, ignores comments and all fields but {@code data},
 * and joins several data lines with a line feed. An event without a blank line after it is dropped,
 * as the standard says. Not thread-safe.
 */
final class SseDecoder {
  private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final int maxEventBytes;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(512);
  private final ByteArrayOutputStream data = new ByteArrayOutputStream(512);
  private boolean hasData;
  private boolean afterCarriageReturn;
  private boolean atFirstLine = true;

  /**
   * A decoder at the start of a stream.
   *
   * @param maxEventBytes the most bytes that one event may have
   */
  SseDecoder(int maxEventBytes) {
    this.maxEventBytes = maxEventBytes;
  }

  /**
   * Takes the next bytes and hands on the data of every event that they complete.
   *
   * @throws EngineException if an event is larger than the limit
   */
  void feed(byte[] bytes, Consumer<byte[]> events) throws EngineException {
    int start = 0;
    for (int i = 0; i < bytes.length; i++) {
      byte b = bytes[i];
      if (b != '\n' && b != '\r') {
        afterCarriageReturn = false;
        continue;
      }
      boolean isSecondHalf = b == '\n' && afterCarriageReturn;
      afterCarriageReturn = b == '\r';
      if (!isSecondHalf) {
        line.write(bytes, start, i - start);
        endLine(events);
      }
      start = i + 1;
    }
    line.write(bytes, start, bytes.length - start);
    if (line.size() + data.size() > maxEventBytes) {
      throw new EngineException(
          new EngineFailure.Broken(
              FailureCode.GARBLED,
              "the engine sent an event of more than " + maxEventBytes + " bytes"));
    }
  }

  private void endLine(Consumer<byte[]> events) {
    byte[] bytes = line.toByteArray();
    line.reset();
    int from = atFirstLine && startsWith(bytes, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    atFirstLine = false;
    if (bytes.length == from) {
      dispatch(events);
    } else {
      take(bytes, from);
    }
  }

  private void take(byte[] bytes, int from) {
    int colon = from;
    while (colon < bytes.length && bytes[colon] != ':') {
      colon++;
    }
    if (colon - from != DATA.length || !matches(bytes, from, DATA)) {
      return;
    }
    int value = Math.min(colon + 1, bytes.length);
    if (value < bytes.length && bytes[value] == ' ') {
      value++;
    }
    if (hasData) {
      data.write('\n');
    }
    data.write(bytes, value, bytes.length - value);
    hasData = true;
  }

  private void dispatch(Consumer<byte[]> events) {
    if (hasData) {
      byte[] event = data.toByteArray();
      data.reset();
      hasData = false;
      events.accept(event);
    }
  }

  private static boolean startsWith(byte[] bytes, byte[] prefix) {
    return bytes.length >= prefix.length && matches(bytes, 0, prefix);
  }

  private static boolean matches(byte[] bytes, int from, byte[] expected) {
    for (int i = 0; i < expected.length; i++) {
      if (bytes[from + i] != expected[i]) {
        return false;
      }
    }
    return true;
  }
}
