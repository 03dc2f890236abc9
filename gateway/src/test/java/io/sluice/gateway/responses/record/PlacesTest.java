package io.sluice.gateway.responses.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.producer.reply.AnswerPlace;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacesTest {
  private static final Place RECORD = Place.ofRecord(7);
  private static final Place ANSWER =
      Place.ofAnswer(new AnswerPlace(OptionalLong.of(10), OptionalLong.of(12)));

  private final Shared shared = new Shared();
  private final Places places = new Places(shared);

  @Test
  void whatIsFoundOutIsAddedUpForAllGateways() {
    // When
    places.note("id", RECORD);
    places.note("id", ANSWER);

    // Then
    assertThat(shared.texts).containsEntry("id", "7 10 12");
    assertThat(new Places(shared).find("id")).isEqualTo(RECORD.with(ANSWER));
  }

  @Test
  void whatIsWhollyKnownIsNotAskedForOrNotedAgain() {
    // Given
    places.note("id", RECORD.with(ANSWER));
    shared.texts.clear();

    // When
    places.note("id", ANSWER);

    // Then
    assertThat(places.find("id")).isEqualTo(RECORD.with(ANSWER));
    assertThat(shared.texts).isEmpty();
  }

  @Test
  void aGatewayThatCannotReachTheOthersUsesWhatItKnows() {
    // Given
    Places alone =
        new Places(
            new Places.Store() {
              @Override
              public CompletionStage<Optional<String>> find(String requestId) {
                return CompletableFuture.failedFuture(new IllegalStateException("away"));
              }

              @Override
              public CompletionStage<Void> put(String requestId, String text) {
                return CompletableFuture.failedFuture(new IllegalStateException("away"));
              }
            });

    // When
    alone.note("id", RECORD);

    // Then
    assertThat(alone.find("id")).isEqualTo(RECORD);
    assertThat(alone.find("another")).isEqualTo(Place.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "1 2", "1 2 x", "1 2 3 4", "- -"})
  void anInvalidPlaceIsIgnored(String text) {
    shared.texts.put("id", text);

    assertThat(places.find("id")).isEqualTo(Place.UNKNOWN);
  }

  private static final class Shared implements Places.Store {
    private final Map<String, String> texts = new HashMap<>();

    @Override
    public CompletionStage<Optional<String>> find(String requestId) {
      return CompletableFuture.completedFuture(Optional.ofNullable(texts.get(requestId)));
    }

    @Override
    public CompletionStage<Void> put(String requestId, String text) {
      texts.put(requestId, text);
      return CompletableFuture.completedFuture(null);
    }
  }
}
