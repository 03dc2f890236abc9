package io.sluice.router.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TierObjectivesTest {
  @Test
  void aRequestHasTheObjectiveOfItsBestTier() {
    // Given
    TierObjectives objectives = TierObjectives.parse(" FAST = 800,");

    // Then
    assertThat(objectives.byTier()).isEqualTo(Map.of("fast", Duration.ofMillis(800)));
    assertThat(objectives.of(in("fast", "precise"))).contains(Duration.ofMillis(800));
    assertThat(objectives.of(in("precise", "fast"))).isEmpty();
    assertThat(objectives.of(Classification.NONE)).isEmpty();
    assertThat(TierObjectives.parse("")).isEqualTo(TierObjectives.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "fast, must be written as tier=milliseconds",
    "fast=soon, must be written as tier=milliseconds",
    "fast=0, must be written as tier=milliseconds",
    "fast=1=2, must be written as tier=milliseconds"
  })
  void anEntryThatIsWrongIsSaid(String text, String what) {
    assertThatThrownBy(() -> TierObjectives.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(what);
  }

  @Test
  void anObjectiveIsForATierOfThePool() {
    TierObjectives objectives = TierObjectives.parse("fast=100,slow=200");

    objectives.check(List.of("fast", "balanced", "slow"));
    assertThatThrownBy(() -> objectives.check(List.of("fast", "precise")))
        .hasMessage("tier objective 'slow' must name a tier of the pool: fast, precise");
    assertThatThrownBy(() -> TierObjectives.parse("fast=100").check(List.of()))
        .hasMessageContaining("it has none (--tiers)");
  }

  private static Classification in(String... tiers) {
    return new Classification(List.of(tiers), List.of(), Optional.empty());
  }
}
