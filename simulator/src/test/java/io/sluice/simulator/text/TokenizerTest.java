package io.sluice.simulator.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TokenizerTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();

  @Property(tries = 300)
  void decodingReturnsTheText(@ForAll String text) {
    String wellFormed =
        new String(
            text.getBytes(java.nio.charset.StandardCharsets.UTF_8),
            java.nio.charset.StandardCharsets.UTF_8);

    assertThat(TOKENIZER.decode(TOKENIZER.encode(text))).isEqualTo(wellFormed);
  }

  @Property(tries = 300)
  void anyBytesHaveTokensWithThoseBytes(@ForAll byte[] bytes) {
    assertThat(TOKENIZER.bytes(TOKENIZER.encodeBytes(bytes))).isEqualTo(bytes);
  }

  @Test
  void everySingleByteHasItsOwnToken() {
    for (int value = 0; value < 256; value++) {
      byte[] bytes = {(byte) value, (byte) 0xFF};

      assertThat(TOKENIZER.bytes(TOKENIZER.encodeBytes(bytes))).isEqualTo(bytes);
    }
  }

  @Test
  void tokensAreThoseOfCl100kBase() {
    assertThat(TOKENIZER.encode("hello world")).isEqualTo(TokenIds.of(15339, 1917));
  }

  @Test
  void chatMarkersAreOneTokenEach() {
    assertThat(TOKENIZER.encode("<|im_start|>user\nhi<|im_end|><|endoftext|>").toArray())
        .contains(100_264, 100_265, 100_257)
        .hasSizeLessThan(8);
  }

  @Test
  void encodingWithALimitStopsThereAndReportsIt() {
    Tokenizer.Encoded encoded = TOKENIZER.encode("one two three four five six", 3);

    assertThat(encoded.ids().size()).isLessThanOrEqualTo(3);
    assertThat(encoded.truncated()).isTrue();
    assertThat(TOKENIZER.encode("one two three", 3).truncated()).isFalse();
  }

  @Test
  void idsWithoutTextDecodeToNothing() {
    assertThat(TOKENIZER.bytes(100_256)).isEmpty();
    assertThat(TOKENIZER.contains(100_277)).isFalse();
    assertThat(TOKENIZER.contains(-1)).isFalse();
    assertThat(Arrays.equals(TOKENIZER.bytes(15339), "hello".getBytes())).isTrue();
  }
}
