package io.sluice.common.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.reply.ReplyFold.Phase;
import io.sluice.common.reply.ReplyFold.Step;
import io.sluice.common.reply.ReplyFold.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReplyFoldTest {
  private static final Verdict IGNORED = new Verdict.Ignored();

  @ParameterizedTest(name = "{0}")
  @MethodSource("clausesOfTheReadingRule")
  void everyClauseOfTheReadingRuleGivesTheVerdictsOfItsTable(
      String clause, ReplyFold start, List<ReplyHeaders> records, List<Verdict> expected) {
    // When
    List<Verdict> verdicts = fold(start, records).stream().map(Step::verdict).toList();

    // Then
    assertThat(verdicts).isEqualTo(expected);
  }

  static Stream<Arguments> clausesOfTheReadingRule() {
    ReplyFold start = ReplyFold.fromStart();
    ReplyFold anywhere = ReplyFold.fromAnywhere();
    return Stream.of(
        row(
            "tokens in order are appended",
            start,
            List.of(tokens(1, "a", 0, 2), tokens(1, "a", 2, 1), finished(1, "a", 3)),
            List.of(appended(0, 2), appended(2, 1), ended(ReplyKind.FINAL))),
        row(
            "a higher attempt takes over by its claim",
            start,
            List.of(tokens(1, "a", 0, 2), resume(2, "b"), tokens(2, "b", 2, 1)),
            List.of(appended(0, 2), resumed(2, 2), appended(2, 1))),
        row(
            "a higher attempt takes over by an error, without a claim",
            start,
            List.of(tokens(1, "a", 0, 2), error(2, "router"), tokens(1, "a", 2, 1)),
            List.of(appended(0, 2), ended(ReplyKind.ERROR), IGNORED)),
        row(
            "attempts may be skipped",
            start,
            List.of(tokens(1, "a", 0, 2), resume(4, "d"), resume(3, "c"), tokens(4, "d", 2, 1)),
            List.of(appended(0, 2), resumed(4, 2), IGNORED, appended(2, 1))),
        row(
            "a lower attempt is ignored whatever it says",
            start,
            List.of(
                resume(2, "b"),
                tokens(1, "a", 0, 1),
                restart(1, "a"),
                error(1, "a"),
                finished(1, "a", 0),
                tokens(2, "b", 0, 1)),
            List.of(resumed(2, 0), IGNORED, IGNORED, IGNORED, IGNORED, appended(0, 1))),
        row(
            "the same attempt under another lease is ignored whatever it says",
            start,
            List.of(
                resume(2, "b"),
                restart(2, "c"),
                tokens(2, "c", 0, 1),
                error(2, "c"),
                tokens(2, "b", 0, 1)),
            List.of(resumed(2, 0), IGNORED, IGNORED, IGNORED, appended(0, 1))),
        row(
            "a restart discards the tokens so far",
            start,
            List.of(tokens(1, "a", 0, 5), restart(2, "b"), tokens(2, "b", 0, 2)),
            List.of(appended(0, 5), restarted(2, 5), appended(0, 2))),
        row(
            "a repeated claim of the current lease does nothing",
            start,
            List.of(
                tokens(1, "a", 0, 5),
                restart(2, "b"),
                tokens(2, "b", 0, 2),
                restart(2, "b"),
                tokens(2, "b", 2, 1)),
            List.of(appended(0, 5), restarted(2, 5), appended(0, 2), IGNORED, appended(2, 1))),
        row(
            "repeated tokens are a gap: they and what follows under that lease are ignored",
            start,
            List.of(
                tokens(1, "a", 0, 2),
                tokens(1, "a", 0, 2),
                tokens(1, "a", 2, 1),
                finished(1, "a", 3),
                error(1, "a")),
            List.of(appended(0, 2), IGNORED, IGNORED, IGNORED, IGNORED)),
        row(
            "after a gap the next attempt goes on from the tokens held",
            start,
            List.of(
                tokens(1, "a", 0, 2), tokens(1, "a", 3, 2), resume(2, "b"), tokens(2, "b", 2, 1)),
            List.of(appended(0, 2), IGNORED, resumed(2, 2), appended(2, 1))),
        row(
            "a final that leaves a gap does not end the request",
            start,
            List.of(tokens(1, "a", 0, 2), finished(1, "a", 5), resume(2, "b")),
            List.of(appended(0, 2), IGNORED, resumed(2, 2))),
        row(
            "nothing counts after a final, not even a higher attempt or a pointer",
            start,
            List.of(
                finished(1, "a", 0),
                tokens(1, "a", 0, 1),
                restart(2, "b"),
                error(3, "c"),
                pointer()),
            List.of(ended(ReplyKind.FINAL), IGNORED, IGNORED, IGNORED, IGNORED)),
        row(
            "nothing counts after an error",
            start,
            List.of(error(1, "a"), resume(2, "b"), finished(2, "b", 0)),
            List.of(ended(ReplyKind.ERROR), IGNORED, IGNORED)),
        row(
            "a fold from the middle of the tokens is truncated",
            anywhere,
            List.of(tokens(1, "a", 3, 1), tokens(1, "a", 4, 1), resume(2, "b")),
            List.of(new Verdict.Truncated(), IGNORED, IGNORED)),
        row(
            "a fold that begins with a final of tokens it has not seen is truncated",
            anywhere,
            List.of(finished(1, "a", 3)),
            List.of(new Verdict.Truncated())),
        row(
            "a resume claim with nothing before it is not a gap by itself",
            anywhere,
            List.of(resume(2, "b"), tokens(2, "b", 0, 1), finished(2, "b", 1)),
            List.of(resumed(2, 0), appended(0, 1), ended(ReplyKind.FINAL))),
        row(
            "tokens that a resume claim kept, unseen, are truncated",
            anywhere,
            List.of(resume(2, "b"), tokens(2, "b", 3, 1)),
            List.of(resumed(2, 0), new Verdict.Truncated())),
        row(
            "a fold that begins with a restart claim holds the whole stream",
            anywhere,
            List.of(restart(3, "c"), tokens(3, "c", 0, 2), tokens(3, "c", 5, 1), resume(4, "d")),
            List.of(restarted(3, 0), appended(0, 2), IGNORED, resumed(4, 2))),
        row(
            "a gap right after a restart claim waits for the next attempt",
            anywhere,
            List.of(restart(3, "c"), tokens(3, "c", 5, 1), resume(4, "d"), tokens(4, "d", 0, 1)),
            List.of(restarted(3, 0), IGNORED, resumed(4, 0), appended(0, 1))),
        row(
            "a straggler's tokens are never continued by an attempt whose claim was not read",
            anywhere,
            List.of(tokens(1, "straggler", 0, 3), tokens(2, "b", 3, 2), finished(2, "b", 5)),
            List.of(appended(0, 3), new Verdict.Truncated(), IGNORED)),
        row(
            "a straggler's claim does not hide that the beginning is missing",
            anywhere,
            List.of(restart(2, "straggler"), tokens(3, "c", 5, 1)),
            List.of(restarted(2, 0), new Verdict.Truncated())),
        row(
            "a final of an attempt whose claim was not read does not end a straggler's text",
            anywhere,
            List.of(tokens(1, "straggler", 0, 3), finished(2, "b", 3)),
            List.of(appended(0, 3), new Verdict.Truncated())),
        row(
            "a first token needs no claim when nothing is held",
            anywhere,
            List.of(resume(1, "a"), tokens(2, "b", 0, 1)),
            List.of(resumed(1, 0), appended(0, 1))),
        row(
            "an error ends a fold from anywhere",
            anywhere,
            List.of(error(5, "router")),
            List.of(ended(ReplyKind.ERROR))),
        row(
            "a pointer is reported while nothing else was read, and only then",
            start,
            List.of(pointer(), tokens(1, "a", 0, 1), pointer()),
            List.of(new Verdict.Pointer(), appended(0, 1), IGNORED)),
        row(
            "an attempt 0 is nobody's",
            start,
            List.of(tokens(0, "a", 0, 1), error(0, "a"), tokens(1, "a", 0, 1)),
            List.of(IGNORED, IGNORED, appended(0, 1))),
        row(
            "a record of no tokens changes nothing",
            start,
            List.of(tokens(1, "a", 0, 0), tokens(1, "a", 0, 1)),
            List.of(appended(0, 0), appended(0, 1))));
  }

  @Test
  void theFoldKnowsWhoseTokensItHolds() {
    // When
    ReplyFold fold =
        last(fold(ReplyFold.fromStart(), List.of(tokens(1, "a", 0, 4), resume(2, "b"))));

    // Then
    assertThat(fold).isEqualTo(new ReplyFold(2, "b", 4, true, Phase.READING));
    assertThat(fold.isOver()).isFalse();
  }

  @Test
  void aGapIsNotTheEnd() {
    // When
    ReplyFold fold =
        last(fold(ReplyFold.fromStart(), List.of(tokens(1, "a", 0, 4), tokens(1, "a", 9, 1))));

    // Then
    assertThat(fold).isEqualTo(new ReplyFold(1, "a", 4, true, Phase.GAP));
    assertThat(fold.isOver()).isFalse();
  }

  @Test
  void aTruncatedFoldIsOver() {
    // When
    ReplyFold fold = last(fold(ReplyFold.fromAnywhere(), List.of(tokens(1, "a", 9, 1))));

    // Then
    assertThat(fold.isOver()).isTrue();
  }

  private static List<Step> fold(ReplyFold start, List<ReplyHeaders> records) {
    List<Step> steps = new ArrayList<>();
    ReplyFold fold = start;
    for (ReplyHeaders record : records) {
      Step step = fold.next(record);
      steps.add(step);
      fold = step.fold();
    }
    return steps;
  }

  private static ReplyFold last(List<Step> steps) {
    return steps.getLast().fold();
  }

  private static Arguments row(
      String clause, ReplyFold start, List<ReplyHeaders> records, List<Verdict> verdicts) {
    return Arguments.of(clause, start, records, verdicts);
  }

  private static Verdict appended(int index, int count) {
    return new Verdict.Appended(index, count);
  }

  private static Verdict resumed(int attempt, int kept) {
    return new Verdict.Resumed(attempt, kept);
  }

  @Test
  void theRefusalOfAnotherRequestOfTheSameIdMeansNothingToWhoHoldsNothingYet() {
    ReplyFold.Step step = ReplyFold.fromStart().next(error(0, "refusal"));
    assertThat(step.verdict()).isEqualTo(new Verdict.Ignored());
    assertThat(step.fold()).isEqualTo(ReplyFold.fromStart());
  }

  private static Verdict restarted(int attempt, int discarded) {
    return new Verdict.Restarted(attempt, discarded);
  }

  private static Verdict ended(ReplyKind kind) {
    return new Verdict.Ended(kind);
  }

  private static ReplyHeaders tokens(int attempt, String lease, int index, int count) {
    return record(ReplyKind.TOKENS, attempt, lease, ClaimMode.RESUME, index, count);
  }

  private static ReplyHeaders resume(int attempt, String lease) {
    return record(ReplyKind.CLAIM, attempt, lease, ClaimMode.RESUME, 0, 0);
  }

  private static ReplyHeaders restart(int attempt, String lease) {
    return record(ReplyKind.CLAIM, attempt, lease, ClaimMode.RESTART, 0, 0);
  }

  private static ReplyHeaders finished(int attempt, String lease, int index) {
    return ReplyHeaders.of("r", ReplyKind.FINAL, attempt, lease, index);
  }

  private static ReplyHeaders error(int attempt, String lease) {
    return ReplyHeaders.of("r", ReplyKind.ERROR, attempt, lease, 0);
  }

  private static ReplyHeaders pointer() {
    return ReplyHeaders.of("r", ReplyKind.POINTER, 0, "", 0);
  }

  private static ReplyHeaders record(
      ReplyKind kind, int attempt, String lease, ClaimMode mode, int index, int count) {
    return ReplyHeadersBuilder.builder()
        .requestId("r")
        .kind(kind)
        .attempt(attempt)
        .lease(lease)
        .mode(mode)
        .index(index)
        .count(count)
        .fallback(false)
        .latencyMillis(OptionalLong.empty())
        .notes(TokenNotes.NONE)
        .build();
  }
}
