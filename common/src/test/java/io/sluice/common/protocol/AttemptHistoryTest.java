package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.AttemptEnd.Reason;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptHistoryTest {

  @Test
  void aHistoryIsReadAsItWasWritten() {
    // Given
    var failed =
        AttemptEnd.of(
            new Outcome.Failed(
                FailureCode.ENGINE_ERROR, 500, "it \"broke\"", OptionalLong.empty(), 3));
    var lost = AttemptEnd.of(Reason.LOST, "worker_gone");
    var history =
        new AttemptHistory(
            12,
            3,
            List.of(
                new PastAttempt(11, "w1", "l1", 1_000, 2_000, 3, failed),
                new PastAttempt(12, "w2", "l2", 2_000, 3_000, 3, lost)));

    // Then
    assertThat(AttemptHistory.parse(history.toJson())).contains(history);
  }

  @Test
  void theJsonIsThatOfTheProtocol() {
    // Given
    var past =
        new PastAttempt(1, "w1", "l1", 1_000, 2_000, 3, AttemptEnd.of(Reason.RETURNED, "no_slot"));

    // Then
    assertThat(new AttemptHistory(1, 3, List.of(past)).toJson())
        .isEqualTo(
            """
            {"attempts":1,"tokens":3,"last":[{"attempt":1,"worker":"w1","lease":"l1",\
            "start_epoch_millis":1000,"end_epoch_millis":2000,"tokens":3,\
            "end":{"reason":"returned","code":"no_slot","status":0,"message":""}}]}""");
  }

  @Test
  void aLongMessageIsCut() {
    assertThat(new AttemptEnd(Reason.FAILED, "garbled", 0, "x".repeat(5_000)).message())
        .hasSize(203)
        .endsWith("...");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "null", "[]", "{\"last\":[{}]}", "{\"last\":3}", "nonsense"})
  void anInvalidHistoryIsNone(String json) {
    assertThat(AttemptHistory.parse(json)).isEmpty();
  }
}
