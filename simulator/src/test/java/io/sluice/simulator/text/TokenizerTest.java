package io.sluice.simulator.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TokenizerTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();

  @Property(tries = 300)
  void decoding_gives_the_text_back(@ForAll String text) {
    String wellFormed =
        new String(
            text.getBytes(java.nio.charset.StandardCharsets.UTF_8),
            java.nio.charset.StandardCharsets.UTF_8);

    assertThat(TOKENIZER.decode(TOKENIZER.encode(text))).isEqualTo(wellFormed);
  }

  @Property(tries = 300)
  void any_bytes_have_tokens_with_those_bytes(@ForAll byte[] bytes) {
    assertThat(TOKENIZER.bytes(TOKENIZER.encodeBytes(bytes))).isEqualTo(bytes);
  }

  @Test
  void every_single_byte_has_its_own_token() {
    for (int value = 0; value < 256; value++) {
      byte[] bytes = {(byte) value, (byte) 0xFF};

      assertThat(TOKENIZER.bytes(TOKENIZER.encodeBytes(bytes))).isEqualTo(bytes);
    }
  }

  @Test
  void tokens_are_those_of_cl100k_base() {
    assertThat(TOKENIZER.encode("hello world")).isEqualTo(TokenIds.of(15339, 1917));
  }

  @Test
  void chat_markers_are_one_token_each() {
    assertThat(TOKENIZER.encode("<|im_start|>user\nhi<|im_end|><|endoftext|>").toArray())
        .contains(100_264, 100_265, 100_257)
        .hasSizeLessThan(8);
  }

  @Test
  void encoding_with_a_limit_stops_there_and_says_so() {
    Tokenizer.Encoded encoded = TOKENIZER.encode("one two three four five six", 3);

    assertThat(encoded.ids().size()).isLessThanOrEqualTo(3);
    assertThat(encoded.truncated()).isTrue();
    assertThat(TOKENIZER.encode("one two three", 3).truncated()).isFalse();
  }

  @Test
  void ids_without_text_decode_to_nothing() {
    assertThat(TOKENIZER.bytes(100_256)).isEmpty();
    assertThat(TOKENIZER.contains(100_277)).isFalse();
    assertThat(TOKENIZER.contains(-1)).isFalse();
    assertThat(Arrays.equals(TOKENIZER.bytes(15339), "hello".getBytes())).isTrue();
  }
}
