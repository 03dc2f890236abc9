package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ModelCardTest {
  private static final Optional<String> NONE = Optional.empty();

  @Test
  void theRootOfAModelIsWhatWasLoadedElseItsParentElseItself() {
    assertThat(card(Optional.of("/models/m"), Optional.of("base")).rootOf("m"))
        .isEqualTo("/models/m");
    assertThat(card(NONE, Optional.of("base")).rootOf("m")).isEqualTo("base");
    assertThat(ModelCard.EMPTY.rootOf("m")).isEqualTo("m");
  }

  @Test
  void theEarlierTimeIsKept() {
    // Given
    ModelCard card = ModelCard.EMPTY.createdBy(OptionalLong.of(20));

    // When, then
    assertThat(card.createdBy(OptionalLong.of(10)).created()).hasValue(10);
    assertThat(card.createdBy(OptionalLong.of(30)).created()).hasValue(20);
    assertThat(card.createdBy(OptionalLong.empty()).created()).hasValue(20);
  }

  @Test
  void aContextIsToldOnlyIfItIsShorterThanThatOfTheWorker() {
    // Given
    ModelCard card = new ModelCard(NONE, NONE, NONE, OptionalInt.of(4_096), OptionalLong.empty());

    // When, then
    assertThat(card.within(4_097)).isEqualTo(card);
    assertThat(card.within(4_096)).isEqualTo(ModelCard.EMPTY);
    assertThat(ModelCard.EMPTY.within(4_096)).isEqualTo(ModelCard.EMPTY);
  }

  @Test
  void anAliasHasTheRootAndTheParentOfItsModel() {
    assertThat(ModelCard.EMPTY.ofAlias("alias", "m").rootOf("alias")).isEqualTo("m");
    assertThat(card(Optional.of("/models/m"), NONE).ofAlias("alias", "m").rootOf("alias"))
        .isEqualTo("/models/m");
    assertThat(card(NONE, Optional.of("base")).ofAlias("alias", "m"))
        .isEqualTo(card(NONE, Optional.of("base")));
    assertThat(card(Optional.of("alias"), NONE).ofAlias("alias", "m")).isEqualTo(ModelCard.EMPTY);
    assertThat(card(NONE, Optional.of("alias")).ofAlias("alias", "m")).isEqualTo(ModelCard.EMPTY);
  }

  private static ModelCard card(Optional<String> root, Optional<String> parent) {
    return new ModelCard(root, parent, NONE, OptionalInt.empty(), OptionalLong.empty());
  }
}
