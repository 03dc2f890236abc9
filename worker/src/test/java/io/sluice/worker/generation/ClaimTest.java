package io.sluice.worker.generation;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.fail;
import static io.sluice.worker.testing.ScriptedEngine.run;
import static io.sluice.worker.testing.ScriptedEngine.stop;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenNotes;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.reply.PartialReply;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.testing.ScriptedEngine;
import io.sluice.worker.testing.Surroundings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An attempt after another one: what is in the log decides. */
@Timeout(20)
class ClaimTest {
  private static final String CHAT =
      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true,\"max_tokens\":10}";

  private static final EngineFailure REJECTION =
      new EngineFailure.Rejected(400, ErrorKind.CONTEXT_LENGTH_EXCEEDED, "too long", false);

  private final Surroundings around = new Surroundings();

  @Test
  void aSecondAttemptContinuesFromExactlyTheTokensInTheLog() throws IOException {
    // Given
    wroteTokens(1, "a", 0, 2, "Once");
    wroteTokens(1, "a", 2, 3, " upon");
    around.engine.plays(text(" a", 1), text(" time", 2), stop("stop", 2), done(20, 2));

    // When
    around.generation(2, "b", CHAT).run();

    // Then
    List<ReplyRecord> own = around.log.of("b");
    assertThat(own.getFirst().headers().kind()).isEqualTo(ReplyKind.CLAIM);
    assertThat(own.getFirst().headers().mode()).isEqualTo(ClaimMode.RESUME);
    assertThat(own.getFirst().headers().tenant()).contains(Surroundings.TENANT);
    assertThat(own.get(1).headers().index()).isEqualTo(5);
    JsonNode body = around.engine.body();
    assertThat(body.path("max_tokens").asInt()).isEqualTo(5);
    assertThat(body.path("continue_final_message").asBoolean()).isTrue();
    assertThat(body.path("add_generation_prompt").asBoolean()).isFalse();
    assertThat(body.at("/messages/1/role").asText()).isEqualTo("assistant");
    assertThat(body.at("/messages/1/content").asText()).isEqualTo("Once upon");
    assertThat(readers().text()).isEqualTo("Once upon a time");
    assertThat(readers().terminal()).isPresent();
    JsonNode last = Json.tree(own.getLast().value());
    assertThat(last.at("/usage/completion_tokens").asInt()).isEqualTo(7);
    assertThat(last.at("/usage/prompt_tokens").asInt()).isEqualTo(15);
  }

  @Test
  void tokensOfASuspectThatAreInTheLogAreReportedBeforeTheEngineGetsIt() {
    wroteTokens(1, "a", 0, 2, "Once");
    around.engine.plays(text(" upon", 1), stop("stop", 1), done(20, 1));

    around.generation(around.suspect(2, "b"), CHAT).run();

    assertThat(around.log.events())
        .startsWith(new Outcome.Accepted(), new Outcome.Progress(2))
        .element(2)
        .isInstanceOf(Outcome.Started.class);
  }

  @Test
  void aSuspectWritesNoTokenBeforeTheReportOfItIsInTheLog() {
    wroteTokens(1, "a", 0, 2, "Once");
    around.log.acknowledgesOutcomes(
        outcome ->
            outcome.event() instanceof Outcome.Started
                ? CompletableFuture.failedFuture(new IllegalStateException("away"))
                : CompletableFuture.completedFuture(0L));
    around.engine.plays(text(" upon", 1), stop("stop", 1), done(20, 1));

    around.generation(around.suspect(2, "b"), CHAT).run();

    assertThat(around.log.of("b"))
        .extracting(written -> written.headers().kind())
        .doesNotContain(ReplyKind.TOKENS, ReplyKind.FINAL);
  }

  @Test
  void anAnswerThatIsNotStreamedIsWholeAfterAResume() throws IOException {
    wroteTokens(1, "a", 0, 2, "Once");
    around.engine.plays(text(" upon", 1), stop("stop", 1), done(20, 1));

    around.generation(2, "b", CHAT.replace("true", "false")).run();

    JsonNode last = Json.tree(around.log.of("b").getLast().value());
    assertThat(last.at("/choices/0/message/content").asText()).isEqualTo("Once upon");
  }

  @Test
  void recordsThatArriveBeforeTheClaimAreContinued() {
    wroteTokens(1, "a", 0, 1, "Once");
    around.log.beforeClaim(() -> wroteTokens(1, "a", 1, 1, " upon"));
    around.engine.plays(text(" UPON", 1)).plays(text(" a", 1), stop("stop", 1), done(20, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.body().at("/messages/1/content").asText()).isEqualTo("Once upon");
    assertThat(around.log.of("b"))
        .extracting(written -> written.headers().kind())
        .containsExactly(ReplyKind.CLAIM, ReplyKind.TOKENS, ReplyKind.FINAL);
    assertThat(readers().text()).isEqualTo("Once upon a");
  }

  @Test
  void anEndThatArrivesBeforeTheClaimCounts() {
    wroteTokens(1, "a", 0, 1, "Once");
    around.log.beforeClaim(
        () -> around.log.wrote(headers(ReplyKind.FINAL, 1, "a", 1, 0), "{\"choices\":[]}"));
    around.engine.plays(text(" upon", 1));

    around.generation(2, "b", CHAT).run();

    assertThat(readers().text()).isEqualTo("Once");
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void recordsOfAZombieAfterTheClaimAreIgnored() {
    wroteTokens(1, "a", 0, 1, "Once");
    around.engine.plays(
        new ScriptedEngine.Step.Event(new EngineEvent.Head()),
        run(() -> wroteTokens(1, "a", 1, 1, " ZOMBIE")),
        text(" upon", 1),
        stop("stop", 1),
        done(20, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(readers().text()).isEqualTo("Once upon");
  }

  @Test
  void aRequestThatHasEndedIsReportedAndNotGenerated() {
    wroteTokens(1, "a", 0, 1, "Once");
    around.log.wrote(
        headers(ReplyKind.FINAL, 1, "a", 1, 0),
        "{\"choices\":[{\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":1}}");

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("length", 4, 1, 0));
    assertThat(around.log.of("b")).isEmpty();
  }

  @Test
  void aRequestThatEndsWhileItIsClaimedIsNotGenerated() {
    around.log.beforeClaim(
        () -> around.log.wrote(headers(ReplyKind.FINAL, 1, "a", 0, 0), "{\"choices\":[]}"));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void aRequestThatHasFailedPermanentlyIsNotRetried() {
    around.log.wrote(
        headers(ReplyKind.ERROR, 1, "a", 0, 0),
        new String(ErrorKind.CANCELLED.toJson("it was cancelled"), StandardCharsets.UTF_8));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Rejected(ErrorKind.CANCELLED, 0, "it was cancelled", true));
  }

  @Test
  void aHigherAttemptInTheLogOverrulesThisOne() {
    around.log.wrote(headers(ReplyKind.CLAIM, 3, "c", 0, 0), "{}");

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Superseded());
  }

  @Test
  void theFirstOfTwoClaimsOfOneAttemptWins() {
    around.log.beforeClaim(() -> around.log.wrote(headers(ReplyKind.CLAIM, 2, "c", 0, 0), "{}"));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Superseded());
  }

  @Test
  void aFirstAttemptThatIsNotFreshClaimsToo() {
    around.engine.plays(text("a", 1), stop("stop", 1), done(1, 1));

    around.generation(around.assignment(1, "a", false), CHAT).run();

    assertThat(around.log.records().getFirst().headers().kind()).isEqualTo(ReplyKind.CLAIM);
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  /** Of two leases of one attempt the first in the log counts, and this may be the second one. */
  @Test
  void aDeadlineThatPassesBeforeTheClaimIsLeftToTheRouter() {
    Generation generation = around.generation(around.assignment(1, "b", false), CHAT);
    around.time.advance(Duration.ofSeconds(61));

    generation.run();

    assertThat(around.log.records()).isEmpty();
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.STALE, 0));
  }

  @Test
  void aBudgetThatIsUsedUpIsFinishedWithoutTheEngine() throws IOException {
    wroteTokens(1, "a", 0, 10, "All of it.");

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    JsonNode last = Json.tree(around.log.of("b").getLast().value());
    assertThat(last.at("/choices/0/finish_reason").asText()).isEqualTo("length");
    assertThat(around.log.of("b").getLast().headers().index()).isEqualTo(10);
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"n\":2",
        "\"tools\":[{\"type\":\"function\"}]",
        "\"logprobs\":true",
        "\"response_format\":{\"type\":\"json_object\"}",
        "\"presence_penalty\":0.5",
        "\"repetition_penalty\":1.1",
        "\"stop\":[\"ceX\"]"
      })
  void anAnswerThatCannotBeContinuedIsRestarted(String field) {
    wroteTokens(1, "a", 0, 1, "Once");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(1, 1));

    around.generation(2, "b", CHAT.replaceFirst("\\{", "{" + field + ",")).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
    assertThat(around.log.of("b").get(1).headers().index()).isZero();
    assertThat(around.engine.body().path("max_tokens").asInt()).isEqualTo(10);
    assertThat(readers().text()).isEqualTo("Again");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAnswerOfAnotherModelIsRestarted(boolean isFallback) {
    wroteTokens(!isFallback, "Once");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(1, 1));

    around.generation(second(isFallback), CHAT).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
    assertThat(around.engine.body().path("messages")).hasSize(1);
    assertThat(readers().text()).isEqualTo("Again");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAnswerOfTheSameModelIsContinuedUnderAnyEngineName(boolean isFallback) {
    wroteTokens(isFallback, "Once");
    around.engine.plays(text(" upon", 1), stop("stop", 1), done(1, 1));

    around.generation(second(isFallback), CHAT).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESUME);
    assertThat(readers().text()).isEqualTo("Once upon");
  }

  @Test
  void anAnswerRestartedByTheOtherModelIsContinuedByThatModel() {
    wroteTokens(false, "Once");
    around.log.wrote(
        headers(ReplyKind.CLAIM, 2, "b", 0, 0, ClaimMode.RESTART, Optional.empty(), true), "{}");
    around.log.wrote(
        headers(ReplyKind.TOKENS, 2, "b", 0, 1, ClaimMode.RESUME, Optional.empty(), true),
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Again\"}}]}");
    around.engine.plays(text(" and", 1), stop("stop", 1), done(1, 1));

    around
        .generation(around.assignment(3, "c", false, Endpoint.CHAT_COMPLETIONS, true), CHAT)
        .run();

    assertThat(around.log.of("c").getFirst().headers().mode()).isEqualTo(ClaimMode.RESUME);
    assertThat(readers().text()).isEqualTo("Again and");
  }

  @Test
  void reasoningIsRestarted() {
    around.log.wrote(
        headers(ReplyKind.TOKENS, 1, "a", 0, 1),
        "{\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"hm\"}}]}");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(1, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
  }

  @Test
  void anEngineThatCannotContinueRestarts() {
    around.facts = new EngineFacts(List.of("m"), Optional.empty(), EngineDialects.OPENAI);
    wroteTokens(1, "a", 0, 1, "Once");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(1, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
  }

  @Test
  void aBeginningThatIsLostIsRestarted() {
    wroteTokens(1, "a", 5, 1, " time");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(1, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  /** Readers, who have seen the log from its beginning, find no end behind a gap. */
  @Test
  void anEndAfterMissingTokensDoesNotCount() {
    wroteTokens(1, "a", 1, 1, " upon");
    around.log.wrote(headers(ReplyKind.FINAL, 1, "a", 2, 0), "{\"choices\":[]}");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(1, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
    assertThat(readers().text()).isEqualTo("Again");
    assertThat(readers().terminal()).isPresent();
  }

  @Test
  void anEndAfterABeginningThatMayHaveBeenDeletedCounts() {
    around.log.isCut();
    wroteTokens(1, "a", 1, 1, " upon");
    around.log.wrote(headers(ReplyKind.FINAL, 1, "a", 2, 0), "{\"choices\":[]}");

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  /** What an engine refuses it does not make again: nobody's tokens are thrown away for it. */
  @Test
  void aRestartIsClaimedOnlyWhenTheEngineHasTakenTheRequest() {
    // Given
    wroteTokens(1, "a", 0, 1, "Once");
    around.condition = EngineCheck.Condition.AWAY;
    around.engine.plays(fail(new EngineFailure.Refused(401, "Unauthorized")));

    // When
    around.generation(2, "b", CHAT.replaceFirst("\\{", "{\"logprobs\":true,")).run();

    // Then
    assertThat(around.log.of("b")).isEmpty();
    assertThat(readers().text()).isEqualTo("Once");
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.BREAKER_OPEN, 0));
  }

  @Test
  void aResumeIsClaimedOnlyWhenTheEngineHasTakenTheRequest() {
    wroteTokens(1, "a", 0, 2, "Once");
    around.condition = EngineCheck.Condition.AWAY;
    around.engine.plays(fail(new EngineFailure.Refused(401, "Unauthorized")));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.of("b")).isEmpty();
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.BREAKER_OPEN, 2));
  }

  @Test
  void anAnswerThatTheEngineRefusesToContinueIsRestarted() {
    // Given
    wroteTokens(1, "a", 0, 1, "Once");
    around.engine.plays(fail(REJECTION)).plays(text("Again", 1), stop("stop", 1), done(20, 1));

    // When
    around.generation(2, "b", CHAT).run();

    // Then
    assertThat(around.engine.requests()).hasSize(2);
    assertThat(around.engine.body().path("messages")).hasSize(1);
    assertThat(around.engine.body().path("max_tokens").asInt()).isEqualTo(10);
    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
    assertThat(around.ways).containsExactly("restart");
    assertThat(readers().text()).isEqualTo("Again");
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("stop", 20, 1, 0));
  }

  @Test
  void anAnswerThatTheEngineRefusesToRestartAsWellIsRejected() {
    wroteTokens(1, "a", 0, 1, "Once");
    around.engine.plays(fail(REJECTION)).plays(fail(REJECTION));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.of("b"))
        .extracting(written -> written.headers().kind())
        .containsExactly(ReplyKind.CLAIM, ReplyKind.ERROR);
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Rejected(ErrorKind.CONTEXT_LENGTH_EXCEEDED, 400, "too long", true));
  }

  @Test
  void aContinuedAnswerThatGetsTooLargeIsRejected() {
    wroteTokens(1, "a", 0, 1, "Once");
    around.engine.plays(
        text(" upon", 1),
        fail(new EngineFailure.Rejected(0, ErrorKind.ANSWER_TOO_LARGE, "too large", false)));

    around.generation(2, "b", CHAT.replace("true", "false")).run();

    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Rejected(ErrorKind.ANSWER_TOO_LARGE, 0, "too large", true));
  }

  /** A second claim of the same lease would not count. */
  @Test
  void anEngineThatRefusesToContinueAClaimedAnswerHasFailed() {
    wroteTokens(1, "a", 0, 1, "Once");
    around.log.beforeClaim(() -> wroteTokens(1, "a", 1, 1, " upon"));
    around.engine.plays(text(" UPON", 1)).plays(fail(REJECTION));

    around.generation(2, "b", CHAT).run();

    assertThat(readers().text()).isEqualTo("Once upon");
    assertThat(readers().terminal()).isEmpty();
    assertThat(around.log.lastEvent())
        .isEqualTo(
            new Outcome.Failed(FailureCode.ENGINE_ERROR, 500, "too long", OptionalLong.empty(), 2));
  }

  @Test
  void aRestartAfterTheEndGeneratesNothing() {
    wroteTokens(1, "a", 0, 1, "Once");
    around.log.beforeClaim(
        () -> around.log.wrote(headers(ReplyKind.FINAL, 1, "a", 1, 0), "{\"choices\":[]}"));
    around.engine.plays(text("Again", 1), stop("stop", 1), done(20, 1));

    around.generation(2, "b", CHAT.replaceFirst("\\{", "{\"logprobs\":true,")).run();

    assertThat(readers().text()).isEqualTo("Once");
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void aCompletionContinuesItsPrompt() {
    around.log.wrote(
        headers(ReplyKind.TOKENS, 1, "a", 0, 2),
        "{\"choices\":[{\"index\":0,\"text\":\" upon\"}]}");
    around.engine.plays(stop("stop", 1), done(1, 1));

    around
        .generation(
            around.assignment(2, "b", false, Endpoint.COMPLETIONS, false),
            "{\"model\":\"m\",\"prompt\":\"Once\",\"stream\":true}")
        .run();

    assertThat(around.engine.body().path("prompt").asText()).isEqualTo("Once upon");
    assertThat(around.engine.body().path("max_tokens").asInt()).isEqualTo(14);
  }

  @Test
  void aMessageThatItsCallerBeganIsContinuedInPlace() {
    wroteTokens(1, "a", 0, 1, " upon");
    around.engine.plays(stop("stop", 1), done(1, 1));

    around
        .generation(
            2,
            "b",
            "{\"messages\":[{\"role\":\"assistant\",\"content\":\"Once\"}],\"continue_final_message\":true,\"add_generation_prompt\":false,\"stream\":true}")
        .run();

    assertThat(around.engine.body().path("messages")).hasSize(1);
    assertThat(around.engine.body().at("/messages/0/content").asText()).isEqualTo("Once upon");
  }

  @Test
  void aClaimThatCannotBeWrittenFailsTheAttempt() {
    around.log.refuse(record -> record.headers().kind() == ReplyKind.CLAIM);

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> assertThat(failed.code()).isEqualTo(FailureCode.REPLY_UNWRITABLE));
  }

  private void wroteTokens(int attempt, String lease, int index, int count, String text) {
    around.log.wrote(
        headers(ReplyKind.TOKENS, attempt, lease, index, count),
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}");
  }

  /** The first attempt's, by the fallback model or not. */
  private void wroteTokens(boolean fallback, String text) {
    around.log.wrote(
        headers(ReplyKind.TOKENS, 1, "a", 0, 1, ClaimMode.RESUME, Optional.of("org/any"), fallback),
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}");
  }

  private Assignment second(boolean fallback) {
    return around.assignment(2, "b", false, Endpoint.CHAT_COMPLETIONS, fallback);
  }

  private static ReplyHeaders headers(
      ReplyKind kind, int attempt, String lease, int index, int count) {
    return headers(kind, attempt, lease, index, count, ClaimMode.RESUME, Optional.empty(), false);
  }

  private static ReplyHeaders headers(
      ReplyKind kind,
      int attempt,
      String lease,
      int index,
      int count,
      ClaimMode mode,
      Optional<String> model,
      boolean fallback) {
    return ReplyHeadersBuilder.builder()
        .requestId(Surroundings.REQUEST)
        .kind(kind)
        .attempt(attempt)
        .lease(lease)
        .mode(mode)
        .index(index)
        .count(count)
        .fallback(fallback)
        .latencyMillis(OptionalLong.empty())
        .notes(TokenNotes.NONE)
        .worker(Optional.of("w"))
        .model(model)
        .build();
  }

  /** Returns what everybody who reads the log comes to. */
  private PartialReply readers() {
    var reply = new PartialReply();
    reply.begin(true);
    around.log.records().forEach(record -> reply.next(record.headers(), record.value()));
    return reply;
  }
}
