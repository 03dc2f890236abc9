package io.sluice.common.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.reply.ReplyFold.Step;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyLog.Act;
import io.sluice.common.reply.ReplyLog.Entry;
import io.sluice.common.reply.ReplyLog.ScriptStep;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class ReplyFoldPropertyTest {

  @Property(tries = 2000)
  void everyLogFoldsToTheTokensOfTheReferenceModel(@ForAll("scripts") List<ScriptStep> script) {
    // Given
    List<Entry> log = ReplyLog.of(script);

    // When
    Reading reading = Reading.of(ReplyFold.fromStart(), log);

    // Then
    ReferenceFold reference = ReferenceFold.of(log);
    assertThat(reading.tokens).isEqualTo(reference.tokens());
    assertThat(reading.ends > 0).isEqualTo(reference.ended());
  }

  @Property(tries = 2000)
  void noIndexAppearsTwiceBetweenRestarts(@ForAll("scripts") List<ScriptStep> script) {
    // When
    Reading reading = Reading.of(ReplyFold.fromStart(), ReplyLog.of(script));

    // Then
    List<Integer> indexes =
        reading.tokens.stream().map(token -> Integer.valueOf(token.split("/")[1])).toList();
    assertThat(indexes).isEqualTo(IntStream.range(0, reading.tokens.size()).boxed().toList());
    assertThat(reading.fold.tokens()).isEqualTo(reading.tokens.size());
  }

  @Property(tries = 2000)
  void thereIsAtMostOneEndAndNothingCountsAfterIt(@ForAll("scripts") List<ScriptStep> script) {
    // When
    Reading reading = Reading.of(ReplyFold.fromStart(), ReplyLog.of(script));

    // Then
    assertThat(reading.ends).isLessThanOrEqualTo(1);
    assertThat(reading.countedAfterTheEnd).isFalse();
    assertThat(reading.truncated).isFalse();
  }

  @Property(tries = 2000)
  void whateverAStragglerWritesAfterItsSuccessorsClaimLeavesTheTextAsItIs(
      @ForAll("scripts") List<ScriptStep> script) {
    // Given
    List<Entry> log = ReplyLog.of(script);
    List<Entry> withoutStragglers =
        IntStream.range(0, log.size())
            .filter(at -> ReferenceFold.counts(log, at))
            .mapToObj(log::get)
            .toList();

    // When
    Reading all = Reading.of(ReplyFold.fromStart(), log);
    Reading counted = Reading.of(ReplyFold.fromStart(), withoutStragglers);

    // Then
    assertThat(all.tokens).isEqualTo(counted.tokens);
    assertThat(all.fold).isEqualTo(counted.fold);
  }

  @Property(tries = 1000)
  void aFoldFromTheMiddleIsTruncatedOrHoldsTheWholeText(
      @ForAll("scripts") List<ScriptStep> script) {
    List<Entry> log = ReplyLog.of(script);
    Reading whole = Reading.of(ReplyFold.fromStart(), log);
    for (int from = 0; from <= log.size(); from++) {
      if (strayRecordsComeAfter(log, from) || endsBefore(log, from)) {
        continue;
      }

      // When
      Reading reading = Reading.of(ReplyFold.fromAnywhere(), log.subList(from, log.size()));

      // Then
      boolean nothingRead = reading.tokens.isEmpty() && !reading.finished;
      if (!reading.truncated && !nothingRead) {
        assertThat(reading.tokens).as("from %d of %s", from, log).isEqualTo(whole.tokens);
      }
    }
  }

  @Property(tries = 1000)
  void aFoldFromAnywhereNeverJoinsTokensOfTwoLeasesWithoutAClaim(
      @ForAll("scripts") List<ScriptStep> script) {
    List<Entry> log = ReplyLog.of(script);
    for (int from = 0; from <= log.size(); from++) {
      // When
      Reading reading = Reading.of(ReplyFold.fromAnywhere(), log.subList(from, log.size()));

      // Then
      assertThat(reading.joinedWithoutClaim).as("from %d of %s", from, log).isFalse();
      assertThat(reading.countedAfterTheEnd).isFalse();
    }
  }

  @Provide
  Arbitrary<List<ScriptStep>> scripts() {
    Arbitrary<Act> acts =
        Arbitraries.frequency(
            Tuple.of(12, Act.TOKENS),
            Tuple.of(3, Act.CLAIM_RESUME),
            Tuple.of(2, Act.CLAIM_RESTART),
            Tuple.of(2, Act.RIVAL_CLAIM),
            Tuple.of(2, Act.LOST_TOKENS),
            Tuple.of(1, Act.FINAL),
            Tuple.of(1, Act.ERROR),
            Tuple.of(1, Act.REPEATED_CLAIM),
            Tuple.of(1, Act.REPEATED_RECORD),
            Tuple.of(1, Act.POINTER),
            Tuple.of(1, Act.ROUTER_ERROR));
    Arbitrary<ScriptStep> steps =
        Combinators.combine(acts, Arbitraries.integers().between(0, 9), counts())
            .as(ScriptStep::new);
    return steps.list().ofMaxSize(40);
  }

  private static Arbitrary<Integer> counts() {
    return Arbitraries.integers().between(0, 3);
  }

  /** The records of a straggler, and repeated records, look like the true beginning of a stream. */
  private static boolean strayRecordsComeAfter(List<Entry> log, int from) {
    return IntStream.range(from, log.size())
        .anyMatch(
            at ->
                !log.get(at).isPointer()
                    && (log.get(at).repeated() || !ReferenceFold.counts(log, at)));
  }

  private static boolean endsBefore(List<Entry> log, int from) {
    return ReferenceFold.of(log.subList(0, from)).ended();
  }

  /** What a reader makes of a log from the verdicts alone. */
  private static final class Reading {
    final List<String> tokens = new ArrayList<>();
    ReplyFold fold;
    int ends;
    boolean finished;
    boolean truncated;
    boolean countedAfterTheEnd;
    boolean joinedWithoutClaim;

    private Reading(ReplyFold start) {
      this.fold = start;
    }

    static Reading of(ReplyFold start, List<Entry> log) {
      Reading reading = new Reading(start);
      log.forEach(reading::read);
      return reading;
    }

    private void read(Entry entry) {
      boolean wasOver = fold.isOver();
      int heldAttempt = fold.attempt();
      Step step = fold.next(entry.headers());
      fold = step.fold();
      countedAfterTheEnd |= wasOver && !(step.verdict() instanceof Verdict.Ignored);
      switch (step.verdict()) {
        case Verdict.Appended appended -> {
          assertThat(appended.index()).isEqualTo(tokens.size());
          joinedWithoutClaim |= !tokens.isEmpty() && heldAttempt != entry.headers().attempt();
          tokens.addAll(entry.tokens());
        }
        case Verdict.Resumed resumed -> assertThat(resumed.tokensKept()).isEqualTo(tokens.size());
        case Verdict.Restarted restarted -> {
          assertThat(restarted.tokensDiscarded()).isEqualTo(tokens.size());
          tokens.clear();
        }
        case Verdict.Ended ended -> {
          ends++;
          finished = ended.kind() == ReplyKind.FINAL;
          joinedWithoutClaim |=
              finished && !tokens.isEmpty() && heldAttempt != entry.headers().attempt();
        }
        case Verdict.Truncated ignored -> truncated = true;
        case Verdict.Ignored ignored -> {}
        case Verdict.Pointer ignored -> {
          assertThat(entry.isPointer()).isTrue();
          assertThat(heldAttempt).isZero();
        }
      }
    }
  }
}
