package io.sluice.simulator.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class DetokenizerTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();

  @Property(tries = 200)
  void piecesAreWholeCharactersAndConcatenateToTheText(@ForAll String raw) {
    String text = new String(raw.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8) + " 🚀é";
    Detokenizer detokenizer = new Detokenizer(TOKENIZER, TokenIds.of(), List.of(), false);
    List<String> pieces = new ArrayList<>();

    for (int id : TOKENIZER.encode(text).toArray()) {
      detokenizer.add(id, true);
      pieces.add(detokenizer.take(false));
    }

    assertThat(String.join("", pieces)).isEqualTo(text);
    assertThat(pieces).allSatisfy(piece -> assertThat(piece).isEqualTo(wellFormed(piece)));
  }

  @Test
  void aStopStringAcrossTokensIsNeverEmitted() {
    Detokenizer detokenizer =
        new Detokenizer(TOKENIZER, TokenIds.of(), List.of("STOP HERE"), false);
    StringBuilder shown = new StringBuilder();
    Optional<String> stop = Optional.empty();

    for (int id : TOKENIZER.encode("go on, STOP HERE and more").toArray()) {
      stop = detokenizer.add(id, true);
      shown.append(detokenizer.take(stop.isPresent()));
      if (stop.isPresent()) {
        break;
      }
    }

    assertThat(stop).contains("STOP HERE");
    assertThat(shown).hasToString("go on, ");
  }

  @Test
  void aStopStringCanBeIncludedInTheText() {
    assertThat(shownUpTo("two", "one two three")).isEqualTo("one two");
  }

  @Test
  void anIncludedStopStringIsFoundAcrossTokensThatWereEmitted() {
    assertThat(shownUpTo("one two", "one two three")).isEqualTo("one two");
  }

  @Test
  void heldBackTextIsEmittedAtTheEnd() {
    Detokenizer detokenizer =
        new Detokenizer(TOKENIZER, TokenIds.of(), List.of("a long stop string"), false);

    TOKENIZER.encode("short");
    detokenizer.add(TOKENIZER.encode("short").get(0), true);

    assertThat(detokenizer.take(false)).isEmpty();
    assertThat(detokenizer.take(true)).isEqualTo("short");
  }

  @Test
  void aTokenThatEndsInsideACharacterIsHeldBackCompletely() {
    TokenIds ids = TOKENIZER.encode("Go 🦜");
    Detokenizer detokenizer = new Detokenizer(TOKENIZER, TokenIds.of(), List.of(), false);
    List<String> pieces = new ArrayList<>();

    for (int id : ids.toArray()) {
      detokenizer.add(id, true);
      pieces.add(detokenizer.take(false));
    }

    // " 🦜" is at least two tokens, and the first one begins with the space.
    assertThat(TOKENIZER.bytes(TokenIds.of(ids.get(1)))[0]).isEqualTo((byte) ' ');
    assertThat(pieces).startsWith("Go", "").endsWith(" 🦜");
  }

  private static String shownUpTo(String stop, String text) {
    Detokenizer detokenizer = new Detokenizer(TOKENIZER, TokenIds.of(), List.of(stop), true);
    StringBuilder shown = new StringBuilder();
    for (int id : TOKENIZER.encode(text).toArray()) {
      boolean stopped = detokenizer.add(id, true).isPresent();
      shown.append(detokenizer.take(stopped));
      if (stopped) {
        break;
      }
    }
    return shown.toString();
  }

  private static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
