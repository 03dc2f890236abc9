package io.sluice.producer.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinesTest {
  private static final int LIMIT = 1_000;

  @Test
  void aLineOfHundredsOfMegabytesIsOnlyCounted() throws IOException {
    // Given
    long length = 200_000_000;
    InputStream input =
        new SequenceInputStream(
            new SequenceInputStream(new Endless(length), bytes("\n")), bytes("next\n"));

    // When
    try (Lines lines = new Lines(input, Lines.Position.START, LIMIT)) {
      Lines.Line huge = lines.next().orElseThrow();
      Lines.Line next = lines.next().orElseThrow();

      // Then
      assertThat(huge.isTooLong()).isTrue();
      assertThat(huge.isBlank()).isFalse();
      assertThat(huge.text()).isEmpty();
      assertThat(BatchLine.parse(huge, List.of("/v1/chat/completions")))
          .isInstanceOfSatisfying(
              BatchLine.Broken.class,
              broken -> assertThat(broken.code()).isEqualTo(LineErrorCode.LINE_TOO_LONG));
      assertThat(next.text()).isEqualTo("next".getBytes(UTF_8));
      assertThat(lines.position()).isEqualTo(new Lines.Position(length + 1 + 5, 2));
      assertThat(lines.next()).isEmpty();
    }
  }

  @Test
  void aLineOfTheLimitIsRead() throws IOException {
    try (Lines lines =
        new Lines(bytes("x".repeat(LIMIT) + "\n" + "y"), Lines.Position.START, LIMIT)) {
      Lines.Line whole = lines.next().orElseThrow();
      assertThat(whole.isTooLong()).isFalse();
      assertThat(whole.text()).hasSize(LIMIT);
      assertThat(lines.next().orElseThrow().isTorn()).isTrue();
    }
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  /** A number of equal bytes that are nowhere. */
  private static final class Endless extends InputStream {
    private long left;

    Endless(long length) {
      this.left = length;
    }

    @Override
    public int read() {
      return left-- > 0 ? 'x' : -1;
    }

    @Override
    public int read(byte[] target, int offset, int most) {
      if (left <= 0) {
        return -1;
      }
      int count = (int) Math.min(most, left);
      Arrays.fill(target, offset, offset + count, (byte) 'x');
      left -= count;
      return count;
    }
  }
}
