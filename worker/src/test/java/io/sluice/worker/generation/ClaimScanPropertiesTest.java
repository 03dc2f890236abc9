package io.sluice.worker.generation;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.fail;
import static io.sluice.worker.testing.ScriptedEngine.stop;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenNotes;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.testing.ScriptedEngine;
import io.sluice.worker.testing.ScriptedEngine.Step;
import io.sluice.worker.testing.Surroundings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Attempts that begin to read the log anywhere, before the request's first record or after it:
 * brokers with clocks that differ by hours, a reply topic that was recreated. Some lose their first
 * records, although later ones are in the log.
 */
class ClaimScanPropertiesTest {
  private static final String CHAT =
      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true,\"max_tokens\":900}";

  private static final List<Step> CUT =
      List.of(fail(new EngineFailure.Broken(FailureCode.CUT, "the stream was cut")));

  /**
   * An attempt of a worker's.
   *
   * @param scanFrom where its scan begins, of a thousand parts of the log
   * @param tokens how many it makes before its engine fails
   * @param isWhole whether its engine ends the answer instead of failing
   * @param lost how many of its first tokens do not get into the log
   * @param lateTokens how many it still writes when it has been given up, before the next claim
   */
  record Attempt(int scanFrom, int tokens, boolean isWhole, int lost, int lateTokens) {}

  @Provide
  Arbitrary<List<Attempt>> attempts() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 1_000),
            Arbitraries.integers().between(0, 4),
            Arbitraries.of(true, false),
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(0, 2))
        .as(Attempt::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(6);
  }

  @Property(tries = 1_000)
  void everyReaderSeesTheEndOfACompletedRequestWhereverClaimsBeganToRead(
      @ForAll("attempts") List<Attempt> attempts,
      @ForAll("attempts") List<Attempt> last,
      @ForAll boolean isCut) {
    // Given
    Surroundings around = new Surroundings();
    if (isCut) {
      around.log.isCut();
    }
    int number = 0;
    for (Attempt attempt : attempts) {
      number++;
      run(around, attempt, number, attempt.isWhole() ? end(attempt) : CUT);
      // If the beginning of a log may have been deleted, missing tokens may have been there.
      lose(around, number, isCut ? 0 : attempt.lost());
    }

    // When
    run(around, last.getFirst(), number + 1, end(last.getFirst()));

    // Then
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
    ReplyFold fold = ReplyFold.fromStart();
    for (ReplyRecord record : around.log.records()) {
      fold = fold.next(record.headers()).fold();
    }
    assertThat(fold.phase()).isEqualTo(ReplyFold.Phase.ENDED);
  }

  private static List<Step> end(Attempt attempt) {
    return List.of(stop("stop", attempt.tokens()), done(1, 4));
  }

  private static void lose(Surroundings around, int number, int count) {
    around.log.of("lease-" + number).stream()
        .filter(record -> record.headers().kind() == ReplyKind.TOKENS)
        .limit(count)
        .forEach(first -> around.log.lost(record -> record == first));
  }

  private static void run(Surroundings around, Attempt attempt, int number, List<Step> end) {
    List<Step> steps = new ArrayList<>();
    for (int token = 1; token <= attempt.tokens(); token++) {
      steps.add(text("t", token));
    }
    steps.addAll(end);
    // An attempt that finds more tokens when it claims asks its engine once more.
    Step[] script = steps.toArray(Step[]::new);
    around.serving = new ScriptedEngine(around.time).plays(script).plays(script);
    around.log.scansFrom(around.log.records().size() * attempt.scanFrom() / 1_000);
    String lease = "lease-" + number;
    around.generation(number, lease, CHAT).run();
    int next =
        around.log.of(lease).stream()
            .filter(record -> record.headers().kind() == ReplyKind.TOKENS)
            .mapToInt(record -> record.headers().index() + record.headers().count())
            .max()
            .orElse(0);
    if (attempt.lateTokens() > 0 && next > 0) {
      around.log.beforeClaim(() -> writeLate(around, number, lease, next, attempt.lateTokens()));
    }
  }

  /** What was on its way when the attempt was given up. */
  private static void writeLate(
      Surroundings around, int attempt, String lease, int index, int count) {
    around.log.wrote(
        ReplyHeadersBuilder.builder()
            .requestId(Surroundings.REQUEST)
            .kind(ReplyKind.TOKENS)
            .attempt(attempt)
            .lease(lease)
            .mode(ClaimMode.RESUME)
            .index(index)
            .count(count)
            .fallback(false)
            .latencyMillis(OptionalLong.empty())
            .notes(TokenNotes.NONE)
            .worker(Optional.of("w"))
            .build(),
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"l\"}}]}");
    around.log.beforeClaim(() -> {});
  }
}
