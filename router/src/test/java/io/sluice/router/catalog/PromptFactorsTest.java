package io.sluice.router.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PromptFactorsTest {
  private final PromptFactors factors = new PromptFactors();

  @Test
  void fiveAnswersTellWhatAModelMakesOfAnEstimate() {
    // Given
    answered(4, "tiny", 289, 630);
    double before = factors.of("tiny");

    // When
    answered(1, "tiny", 289, 630);

    // Then
    assertThat(before).isEqualTo(1);
    assertThat(factors.of("tiny") * 289).isCloseTo(630, within(0.5));
    assertThat(factors.of("another")).isEqualTo(1);
  }

  @Test
  void aFewOddPromptsChangeNothing() {
    // Given
    answered(20, "tiny", 100, 200);

    // When
    answered(9, "tiny", 100, 10_000);

    // Then
    assertThat(factors.of("tiny")).isEqualTo(2);
  }

  @Test
  void anotherTokenizerUnderTheSameNameIsLearned() {
    // Given
    answered(80, "tiny", 100, 200);

    // When
    answered(16, "tiny", 100, 120);

    // Then
    assertThat(factors.of("tiny")).isEqualTo(1.2);
  }

  @Test
  void theFactorIsBounded() {
    // When
    answered(5, "long", 100, 100_000);
    answered(5, "short", 100, 1);

    // Then
    assertThat(factors.of("long")).isEqualTo(PromptFactors.MOST);
    assertThat(factors.of("short")).isEqualTo(PromptFactors.LEAST);
  }

  @Test
  void whatCannotBeComparedTeachesNothing() {
    // When
    answered(10, "ids", 0, 500);
    answered(10, "untold", 100, 0);
    answered(10, "tiny prompts", 5, 40);

    // Then
    assertThat(factors.of("ids")).isEqualTo(1);
    assertThat(factors.of("untold")).isEqualTo(1);
    assertThat(factors.of("tiny prompts")).isEqualTo(1);
  }

  @Test
  void namesTakeUpBoundedMemory() {
    // When
    for (int number = 0; number < 2_000; number++) {
      answered(5, "model-" + number, 100, 200);
    }

    // Then
    assertThat(factors.of("model-0")).isEqualTo(2);
    assertThat(factors.of("model-1999")).isEqualTo(1);
  }

  @Test
  void whatAnotherRouterHasLearnedCountsUntilThisOneHas() {
    // Given
    factors.hear(List.of(Map.of("tiny", 2.0), Map.of()));
    double heard = factors.of("tiny");

    // When
    answered(5, "tiny", 100, 300);

    // Then
    assertThat(heard).isEqualTo(2);
    assertThat(factors.of("tiny")).isEqualTo(3);
    assertThat(factors.learned()).containsExactly(Map.entry("tiny", 3.0));
  }

  @Test
  void whatIsHeardIsBoundedRememberedAndNotToldOn() {
    // When
    factors.hear(List.of(Map.of("long", 1_000.0)));
    factors.hear(List.of());

    // Then
    assertThat(factors.of("long")).isEqualTo(PromptFactors.MOST);
    assertThat(factors.learned()).isEmpty();
  }

  private void answered(int times, String model, long estimated, long real) {
    for (int i = 0; i < times; i++) {
      factors.answered(model, estimated, real);
    }
  }
}
