package io.sluice.bench.torture.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SequencesTest {
  private static final List<String> SENT = List.of("a", "b", "c");

  @Test
  void equalSequencesHaveNoDifference() {
    assertThat(Sequences.difference(SENT, List.of("a", "b", "c"))).isEmpty();
  }

  @Test
  void whatIsLostDoubledOutOfOrderOrOtherIsFound() {
    assertThat(Sequences.difference(SENT, List.of("a", "c"))).hasValueSatisfying(at(1));
    assertThat(Sequences.difference(SENT, List.of("a", "a", "b", "c"))).hasValueSatisfying(at(1));
    assertThat(Sequences.difference(SENT, List.of("b", "a", "c"))).hasValueSatisfying(at(0));
    assertThat(Sequences.difference(SENT, List.of("a", "b", "C"))).hasValueSatisfying(at(2));
    assertThat(Sequences.difference(SENT, List.of("a", "b"))).hasValueSatisfying(at(2));
    assertThat(Sequences.difference(SENT, List.of("a", "b", "c", "d"))).hasValueSatisfying(at(3));
  }

  private static Consumer<String> at(int position) {
    return what -> assertThat(what).startsWith("at " + position + " ");
  }
}
