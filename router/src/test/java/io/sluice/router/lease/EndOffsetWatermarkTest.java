package io.sluice.router.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EndOffsetWatermarkTest {
  private final EndOffsetWatermark heard = new EndOffsetWatermark(-1_000);

  @Test
  void nothingCountsAsHeardBeforeItIsKnownFromWhereTheLogIsRead() {
    // When
    heard.ended(10, 500);

    // Then
    assertThat(heard.throughNanos(600)).isEqualTo(-1_000);
  }

  @Test
  void aLogInWhichNothingStandsIsHeardThroughWhenItsEndWasAskedFor() {
    // Given
    heard.read(10);

    // When
    heard.ended(10, 500);

    // Then
    assertThat(heard.throughNanos(900)).isEqualTo(500);
  }

  @Test
  void whatIsReadIsHeardUpToTheLastEndThatWasReached() {
    // Given
    heard.read(0);
    heard.ended(10, 100);
    heard.ended(20, 200);
    heard.ended(30, 300);

    // When
    heard.read(20);

    // Then
    assertThat(heard.throughNanos(400)).isEqualTo(200);
  }

  @Test
  void anEndThatStaysIsHeardThroughAsLateAsItWasSeenLast() {
    // Given
    heard.read(0);
    heard.ended(10, 100);
    heard.ended(10, 200);

    // When
    heard.read(10);

    // Then
    assertThat(heard.throughNanos(400)).isEqualTo(200);
  }

  @Test
  void anAnswerThatComesAgainChangesNothing() {
    // Given
    heard.read(10);
    heard.ended(10, 300);

    // When
    heard.ended(5, 200);
    heard.ended(10, 300);

    // Then
    assertThat(heard.throughNanos(400)).isEqualTo(300);
  }

  @Test
  void aLogThatLostItsEndIsHeardThroughAtWhatIsLeft() {
    // Given
    heard.read(5);
    heard.ended(20, 100);

    // When
    heard.ended(8, 200);
    heard.read(8);

    // Then
    assertThat(heard.throughNanos(400)).isEqualTo(200);
  }

  @Test
  void whatIsRememberedIsBoundedAndStillOnlyWhatWasReadCounts() {
    // Given
    heard.read(0);
    for (int i = 1; i <= 10_000; i++) {
      heard.ended(i, i);
    }

    // When
    heard.read(200);
    long early = heard.throughNanos(20_000);
    heard.read(9_000);
    heard.ended(9_500, 15_000);
    heard.read(9_500);

    // Then
    assertThat(early).isEqualTo(200);
    assertThat(heard.throughNanos(20_000)).isEqualTo(15_000);
  }
}
