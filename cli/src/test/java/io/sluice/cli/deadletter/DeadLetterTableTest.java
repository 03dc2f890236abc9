package io.sluice.cli.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.PastAttempt;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.deadletter.DeadLetter;
import io.sluice.producer.deadletter.DeadLetterBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class DeadLetterTableTest {
  private static final DeadLetter LETTER =
      DeadLetterBuilder.builder()
          .requestId("0190a6b8-0000-7000-8000-000000000000")
          .epochMillis(1_790_000_010_000L)
          .code("engine_error")
          .message("2 attempts failed;\n\u001b[31mthe engine broke")
          .model("sluice-8b")
          .tenant("acme")
          .priority(Priority.BULK)
          .replyPartition(OptionalInt.empty())
          .headers(Map.of("tenant", "acme"))
          .bodyBytes(120)
          .sentEpochMillis(1_790_000_000_000L)
          .source("sluice.requests.2k-3-17")
          .history(
              new AttemptHistory(
                  2,
                  7,
                  List.of(
                      new PastAttempt(
                          1,
                          "w1",
                          "lease-1",
                          1_790_000_001_000L,
                          1_790_000_002_500L,
                          7,
                          new AttemptEnd(Reason.FAILED, "stall", 500, "it hung")),
                      new PastAttempt(
                          2, "w2", "lease-2", 0, 5, 7, AttemptEnd.of(Reason.LOST, "worker_gone")))))
          .redriveCount(1)
          .redriveOf(Optional.of("first"))
          .redrivenAs(Optional.of("next"))
          .build();

  @Test
  void aListHasALinePerDeadLetter() {
    assertThat(DeadLetterTable.of(List.of(LETTER)).lines().toList())
        .hasSize(2)
        .last()
        .asString()
        .matches(
            "2026-09-21T\\S+ +0190a6b8-0000-7000-8000-000000000000 +engine_error +sluice-8b +acme"
                + " +2 +7 +next");
  }

  @Test
  void aDeadLetterIsShownWithItsLineageItsHeadersAndEveryAttempt() {
    assertThat(DeadLetterTable.of(LETTER))
        .contains("redrive 1 of first")
        .contains("redriven  as next")
        .contains("for       model sluice-8b, tenant acme, bulk, 120 bytes")
        .contains("  tenant: acme")
        .contains("2 attempts, 7 tokens in the log")
        .containsPattern("1 +w1 +\\S+Z +1500 +7 +lease-1 +failed stall 500: it hung")
        .containsPattern("2 +w2 +- +- +7 +lease-2 +lost worker_gone");
  }

  @Test
  void whatACallerSaysCannotBreakTheTerminal() {
    DeadLetter hostile =
        DeadLetterBuilder.builder(LETTER)
            .model("\u001b]0;mine\u0007\nmodel")
            .tenant("\u009b2Jtenant")
            .headers(Map.of("na\rme\u001b[A", "va\nlue"))
            .build();

    assertThat(DeadLetterTable.of(List.of(hostile)))
        .contains(" ]0;mine model", " 2Jtenant")
        .doesNotContain("\u001b", "\u0007", "\u009b")
        .hasLineCount(2);
    assertThat(DeadLetterTable.of(hostile))
        .contains("model  ]0;mine model, tenant  2Jtenant", "  na me [A: va lue")
        .doesNotContain("\u001b", "\u0007", "\u009b", "\r");
  }

  @Test
  void whatAnEngineSaysCannotBreakTheTerminal() {
    assertThat(DeadLetterTable.of(LETTER))
        .contains("engine_error: 2 attempts failed; [31mthe engine broke")
        .doesNotContain("\u001b");
  }
}
