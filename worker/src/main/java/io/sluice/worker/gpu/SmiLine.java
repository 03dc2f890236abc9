package io.sluice.worker.gpu;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A line of {@code nvidia-smi}, such as {@code 0, GPU-c2f7..., 71, 0x0000000000000004}. What a GPU
 * does not report is {@code [N/A]}, {@code [Not Supported]} or {@code [Unknown Error]}.
 */
final class SmiLine {
  private static final int FIELDS = 4;
  private static final int HEX = 16;

  private SmiLine() {}

  /** Returns the GPU of a line; empty for a line of another form. */
  static Optional<Gpu> parse(String line) {
    String[] fields = line.split(",", -1);
    if (fields.length != FIELDS || fields[0].strip().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Gpu(
            fields[0].strip(),
            fields[1].strip(),
            Set.of(),
            celsius(fields[2].strip()),
            reasons(fields[3].strip())));
  }

  private static OptionalDouble celsius(String text) {
    try {
      return OptionalDouble.of(Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }

  private static OptionalLong reasons(String text) {
    try {
      return text.startsWith("0x")
          ? OptionalLong.of(Long.parseUnsignedLong(text.substring(2), HEX))
          : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
