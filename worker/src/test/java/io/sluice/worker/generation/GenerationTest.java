package io.sluice.worker.generation;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.doneWithCached;
import static io.sluice.worker.testing.ScriptedEngine.fail;
import static io.sluice.worker.testing.ScriptedEngine.frame;
import static io.sluice.worker.testing.ScriptedEngine.pass;
import static io.sluice.worker.testing.ScriptedEngine.silence;
import static io.sluice.worker.testing.ScriptedEngine.stop;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.Transport;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.testing.ScriptedEngine;
import io.sluice.worker.testing.Surroundings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An attempt that nobody has made before: tokens, ends, failures, stops. */
@Timeout(20)
class GenerationTest {
  private static final String CHAT =
      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true}";
  private static final String WHOLE = CHAT.replace("true", "false");
  private static final String LOGPROBS =
      "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"logprobs\":{\"content\":[{\"token\":\"%s\"}]}}]}"
          .formatted("a".repeat(4 * 1024 * 1024));
  private static final String UNSTREAMED =
      CHAT.replace("{\"model", "{\"prompt_logprobs\":0,\"model").replace("true", "false");
  private static final String ROLE =
      "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}";

  private final Surroundings around = new Surroundings();

  @Test
  void aStreamIsTokensAndAFinalWithUsage() {
    // Given
    around.engine.plays(
        frame(ROLE, 0), text("Hel", 1), text("lo", 2), stop("stop", 3), done(10, 3));

    // When
    around.generation(1, "a", CHAT).run();

    // Then
    assertThat(kinds()).containsExactly(ReplyKind.TOKENS, ReplyKind.TOKENS, ReplyKind.FINAL);
    assertThat(indexes()).containsExactly(0, 1, 3);
    assertThat(around.log.records())
        .extracting(record -> record.headers().tenant())
        .containsExactly(
            Optional.of(Surroundings.TENANT), Optional.empty(), Optional.of(Surroundings.TENANT));
    assertThat(value(0).at("/choices/0/delta/role").asText()).isEqualTo("assistant");
    assertThat(written()).isEqualTo("Hello");
    assertThat(value(0).path("object").asText()).isEqualTo("chat.completion.chunk");
    assertThat(value(2).at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(value(2).at("/usage/completion_tokens").asInt()).isEqualTo(3);
    assertThat(around.log.events())
        .extracting(Object::getClass)
        .containsExactly(Outcome.Accepted.class, Outcome.Started.class, Outcome.Completed.class);
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("stop", 10, 3, 0));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatTheEngineSaysOnlyAtTheEndIsInTheFinal(boolean isStreamed) {
    // Given
    ObjectNode besides = Json.mapper().createObjectNode().put("system_fingerprint", "f");
    Usage usage = Usage.of(10, 1);
    around.engine.plays(
        stop("stop", 1),
        new ScriptedEngine.Step.Event(new EngineEvent.Finish(Optional.of(usage), besides)));

    // When
    around.generation(1, "a", isStreamed ? CHAT : WHOLE).run();

    // Then
    JsonNode last = value(around.log.records().size() - 1);
    assertThat(last.path("system_fingerprint").asText()).isEqualTo("f");
    assertThat(last.at("/usage/prompt_tokens").asInt()).isEqualTo(10);
  }

  @Test
  void cachedTokensAreReportedAtTheEndIfTheEngineReportsThemOnlyThen() {
    around.engine.plays(text("a", 1), stop("stop", 2), doneWithCached(10, 2, 8));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Completed("stop", 10, 2, 0, OptionalInt.of(8)));
  }

  @Test
  void metersLearnOfAnAnswerWhatTheEngineCounted() {
    around.engine.plays(text("a", 1), stop("stop", 2), doneWithCached(10, 2, 8));

    around.generation(1, "a", CHAT).run();

    EngineRun answered = around.runs.getFirst();
    assertThat(answered.engine()).isEqualTo("sglang");
    assertThat(answered.promptTokens()).isEqualTo(10);
    assertThat(answered.outputTokens()).isEqualTo(2);
    assertThat(answered.firstToken()).isPresent();
    assertThat(answered.perOutputToken()).isPresent();
    assertThat(answered.error()).isEmpty();
  }

  @Test
  void anEngineThatRefusesItsWorkerIsNotTheCallersFault() {
    around.engine.plays(fail(new EngineFailure.Refused(401, "Unauthorized")));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.records()).isEmpty();
    assertThat(around.log.lastEvent())
        .isEqualTo(
            new Outcome.Failed(
                FailureCode.ENGINE_REFUSED, 401, "Unauthorized", OptionalLong.empty(), 0));
    assertThat(around.runs)
        .extracting(EngineRun::error)
        .containsExactly(Optional.of("engine_refused"));
  }

  @Test
  void anAnswerThatEnginesDoNotStreamIsRequestedAsAWhole() {
    // Given
    around.engine.plays(
        frame(
            """
            {"choices":[{"index":0,"delta":{"role":"assistant","content":"Once"},"finish_reason":"length"}],
             "prompt_logprobs":[null,{"5":{"rank":1}}],"prompt_token_ids":[1,5],"system_fingerprint":"f","service_tier":null}
            """,
            1),
        done(2, 1));

    // When
    around
        .generation(
            1, "a", CHAT.replace("true", "false").replace("{\"m", "{\"prompt_logprobs\":0,\"m"))
        .run();

    // Then
    assertThat(around.engine.requests().getLast().isStreamed()).isFalse();
    assertThat(around.engine.body().path("stream").asBoolean()).isFalse();
    assertThat(around.engine.body().has("stream_options")).isFalse();
    JsonNode answer = value(around.log.records().size() - 1);
    assertThat(answer.at("/choices/0/message/content").asText()).isEqualTo("Once");
    assertThat(answer.at("/prompt_logprobs/1/5/rank").asInt()).isEqualTo(1);
    assertThat(answer.path("prompt_token_ids").size()).isEqualTo(2);
    assertThat(answer.path("system_fingerprint").asText()).isEqualTo("f");
    assertThat(answer.has("service_tier")).isFalse();
  }

  @Test
  void theFirstTokenLeavesAtOnceAndLaterOnesAreGathered() {
    Duration step = Duration.ofMillis(5);
    around.engine.plays(
        text("a", 1),
        pass(step),
        text("b", 2),
        pass(step),
        text("c", 3),
        pass(Surroundings.GATHER),
        text("d", 4),
        stop("stop", 4),
        done(1, 4));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.records())
        .filteredOn(record -> record.headers().kind() == ReplyKind.TOKENS)
        .extracting(record -> record.headers().count())
        .containsExactly(1, 2, 1);
    assertThat(written()).isEqualTo("abcd");
  }

  @Test
  void everyRecordSaysWhoAnsweredAndHowLongItTook() {
    around.engine.plays(pass(Duration.ofMillis(30)), text("a", 1), stop("stop", 1), done(1, 1));

    around.generation(1, "a", CHAT).run();

    ReplyRecord first = around.log.records().getFirst();
    assertThat(first.headers().worker()).contains("w");
    assertThat(first.headers().model()).contains("m");
    assertThat(first.headers().latencyMillis()).hasValue(130);
    assertThat(around.log.events().get(1))
        .isInstanceOfSatisfying(
            Outcome.Started.class, started -> assertThat(started.ttftMillis()).hasValue(130));
  }

  @Test
  void onlyTheTerminalRecordCarriesTheCorrelationIdBack() {
    around.engine.plays(text("a", 1), stop("stop", 1), done(1, 1));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.records())
        .extracting(record -> record.correlationId().isPresent())
        .containsExactly(false, true);
  }

  @Test
  void aRequestThatIsNotStreamedHasItsWholeAnswerInTheFinal() {
    around.engine.plays(
        frame(ROLE, 0), text("Hel", 1), text("lo", 2), stop("length", 2), done(10, 2));

    around.generation(1, "a", WHOLE).run();

    assertThat(kinds()).containsExactly(ReplyKind.FINAL);
    JsonNode answer = value(0);
    assertThat(answer.path("object").asText()).isEqualTo("chat.completion");
    assertThat(answer.at("/choices/0/message/role").asText()).isEqualTo("assistant");
    assertThat(answer.at("/choices/0/message/content").asText()).isEqualTo("Hello");
    assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("length");
    assertThat(answer.at("/usage/total_tokens").asInt()).isEqualTo(12);
    assertThat(around.log.events())
        .extracting(Object::getClass)
        .containsExactly(Outcome.Accepted.class, Outcome.Started.class, Outcome.Completed.class);
  }

  @Test
  void aLongAnswerThatIsNotStreamedIsPublishedInParts() {
    around.engine.plays(
        text("a", 1), pass(Duration.ofSeconds(3)), text("b", 2), stop("stop", 2), done(10, 2));

    around.generation(1, "a", WHOLE).run();

    assertThat(kinds()).containsExactly(ReplyKind.TOKENS, ReplyKind.TOKENS, ReplyKind.FINAL);
    assertThat(indexes()).containsExactly(0, 1, 2);
    assertThat(value(2).at("/choices/0/message/content").asText()).isEqualTo("ab");
  }

  @Test
  void anAnswerThatIsNotStreamedSoonShowsThatItHasBegun() {
    around.engine.plays(
        text("a", 1),
        pass(Duration.ofMillis(300)),
        text("b", 2),
        pass(Duration.ofSeconds(1)),
        stop("stop", 2),
        done(10, 2));

    around.generation(1, "a", WHOLE).run();

    assertThat(kinds()).containsExactly(ReplyKind.TOKENS, ReplyKind.FINAL);
    assertThat(value(0).at("/choices/0/delta/content").asText()).isEqualTo("a");
    assertThat(value(1).at("/choices/0/message/content").asText()).isEqualTo("ab");
  }

  @Test
  void severalChoicesAreMergedEachByItself() {
    String second =
        "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"%s\"},\"finish_reason\":%s}]}";
    around.engine.plays(
        text("a", 1),
        frame(second.formatted("x", "null"), 2),
        text("b", 3),
        frame(second.formatted("y", "null"), 4),
        stop("stop", 4),
        frame(second.formatted("", "\"length\""), 4),
        done(5, 4));

    around.generation(1, "a", WHOLE.replace("{\"model\"", "{\"n\":2,\"model\"")).run();

    JsonNode answer = value(0);
    assertThat(answer.at("/choices/0/message/content").asText()).isEqualTo("ab");
    assertThat(answer.at("/choices/1/message/content").asText()).isEqualTo("xy");
    assertThat(answer.at("/choices/1/finish_reason").asText()).isEqualTo("length");
  }

  @Test
  void toolCallsAreMergedByTheirIndex() {
    String call =
        "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,%s\"function\":{%s\"arguments\":%s}}]},\"finish_reason\":null}]}";
    around.engine.plays(
        frame(call.formatted("\"id\":\"t1\",\"type\":\"function\",", "\"name\":\"f\",", "\"\""), 1),
        frame(call.formatted("", "", "\"{\\\"a\\\"\""), 2),
        frame(call.formatted("", "", "\":1}\""), 3),
        stop("tool_calls", 3),
        done(5, 3));

    around.generation(1, "a", WHOLE).run();

    JsonNode toolCall = value(0).at("/choices/0/message/tool_calls/0");
    assertThat(toolCall.path("id").asText()).isEqualTo("t1");
    assertThat(toolCall.at("/function/name").asText()).isEqualTo("f");
    assertThat(toolCall.at("/function/arguments").asText()).isEqualTo("{\"a\":1}");
    assertThat(toolCall.has("index")).isFalse();
  }

  @Test
  void theEngineGetsTheBodyAsItIsButForTheStream() {
    around.engine.plays(stop("stop", 1), done(1, 1));

    around
        .generation(1, "a", "{\"model\":\"m\",\"messages\":[],\"top_k\":5,\"x\":{\"y\":[null]}}")
        .run();

    JsonNode body = around.engine.body();
    assertThat(body.path("stream").asBoolean()).isTrue();
    assertThat(body.at("/stream_options/include_usage").asBoolean()).isTrue();
    assertThat(body.at("/stream_options/continuous_usage_stats").asBoolean()).isTrue();
    assertThat(body.path("top_k").asInt()).isEqualTo(5);
    assertThat(body.at("/x/y/0").isNull()).isTrue();
    assertThat(body.path("model").asText()).isEqualTo("m");
    assertThat(around.engine.requests().getFirst().headers())
        .containsOnly(Map.entry("X-Request-Id", Surroundings.REQUEST));
  }

  @ParameterizedTest
  @CsvSource({"vllm, false", "sglang, true", "llamacpp, true", "openai, true"})
  void onlyVllmAnswersBeforeItsFirstToken(String name, boolean isSilent) {
    EngineDialect dialect =
        EngineDialects.all().stream()
            .filter(any -> any.name().equals(name))
            .findFirst()
            .orElseThrow();
    around.facts = new EngineFacts(List.of("m"), Optional.empty(), dialect);
    around.engine.plays(stop("stop", 1), done(1, 1));

    around.generation(1, "a", CHAT).run();

    assertThat(around.engine.requests().getLast().silence().beforeHead()).isEqualTo(isSilent);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'tools':[{'type':'function'}]  | true",
        "{'functions':[{'name':'f'}]     | true",
        "{'include_reasoning':false      | true",
        "{'stream_reasoning':false       | true",
        "{'tools':[]                     | false",
        "{'tools':null                   | false",
        "{'include_reasoning':true       | false",
        "{'n':2                          | false"
      })
  void anEngineWithoutTokenIdsMayBeSilentWhileItWithholdsTokens(String options, boolean isSilent) {
    around.engine.plays(stop("stop", 1), done(1, 1));

    around
        .generation(1, "a", CHAT.replace("{\"model", options.replace('\'', '"') + ",\"model"))
        .run();

    assertThat(around.engine.requests().getLast().silence().betweenTokens()).isEqualTo(isSilent);
    assertThat(around.engine.body().has("return_token_ids")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "[]", "\"yes\"", "null", "{\"include_usage\":\"maybe\"}"})
  void streamOptionsOfAnyShapeGiveWayToTheWorkersOwn(String options) {
    around.engine.plays(stop("stop", 1), done(1, 1));

    around
        .generation(1, "a", "{\"model\":\"m\",\"messages\":[],\"stream_options\":" + options + "}")
        .run();

    assertThat(around.engine.body().at("/stream_options/include_usage").booleanValue()).isTrue();
    assertThat(kinds()).endsWith(ReplyKind.FINAL);
  }

  @Test
  void anAliasGetsTheEnginesOwnModel() {
    around.engine.plays(stop("stop", 1), done(1, 1));
    around.facts = new EngineFacts(List.of("m"), Optional.of("other"), EngineDialects.SGLANG);

    around.generation(1, "b", CHAT.replace("\"m\"", "\"other\"")).run();

    assertThat(around.engine.body().path("model").asText()).isEqualTo("m");
  }

  @Test
  void aFallbackIsServedUnderItsOwnNameAndFlaggedInEveryRecord() {
    around.engine.plays(stop("stop", 1), done(1, 1));
    around.facts =
        new EngineFacts(
            List.of("m", Surroundings.FALLBACK_MODEL), Optional.empty(), EngineDialects.SGLANG);

    around
        .generation(around.assignment(2, "a", false, Endpoint.CHAT_COMPLETIONS, true), CHAT)
        .run();

    assertThat(around.engine.body().path("model").asText()).isEqualTo("mini");
    assertThat(around.log.records())
        .allSatisfy(
            record -> {
              assertThat(record.headers().fallback()).isTrue();
              assertThat(record.headers().model()).isPresent();
            });
    assertThat(around.log.records().getFirst().headers().model()).contains("mini");
  }

  @Test
  void aFallbackThatIsAnAliasGetsTheEnginesOwnModel() {
    around.engine.plays(stop("stop", 1), done(1, 1));
    around.facts =
        new EngineFacts(
            List.of("org/mini-1b"),
            Optional.of(Surroundings.FALLBACK_MODEL),
            EngineDialects.SGLANG);

    around.generation(around.assignment(1, "a", true, Endpoint.CHAT_COMPLETIONS, true), CHAT).run();

    assertThat(around.engine.body().path("model").asText()).isEqualTo("org/mini-1b");
  }

  @Test
  void aRejectionIsTheCallersErrorAndIsNotRetried() {
    around.engine.plays(
        fail(
            new EngineFailure.Rejected(
                400, ErrorKind.CONTEXT_LENGTH_EXCEEDED, "the prompt is too long", false)));

    around.generation(1, "a", CHAT).run();

    assertThat(kinds()).containsExactly(ReplyKind.ERROR);
    assertThat(value(0).at("/error/code").asText()).isEqualTo("context_length_exceeded");
    assertThat(value(0).at("/error/message").asText()).isEqualTo("the prompt is too long");
    assertThat(around.log.lastEvent())
        .isEqualTo(
            new Outcome.Rejected(
                ErrorKind.CONTEXT_LENGTH_EXCEEDED, 400, "the prompt is too long", true));
  }

  @ParameterizedTest
  @CsvSource({"100, context_length_exceeded", "0, invalid_request"})
  void aLimitThatAllowsNoTokenIsAContextErrorUnlessTheCallerSetIt(int limit, String code) {
    around.engine.plays(
        fail(
            new EngineFailure.Rejected(
                400, ErrorKind.INVALID_REQUEST, "max_tokens must be at least 1, got 0.", true)));

    around.generation(1, "a", CHAT.replaceFirst("\\{", "{\"max_tokens\":" + limit + ",")).run();

    assertThat(value(0).at("/error/code").asText()).isEqualTo(code);
  }

  @Test
  void aStreamThatBreaksKeepsItsTokensAndMayBeRetried() {
    around.engine.plays(
        text("a", 1),
        text("b", 2),
        fail(new EngineFailure.Broken(FailureCode.CUT, "the stream was cut")));

    around.generation(1, "a", CHAT).run();

    assertThat(written()).isEqualTo("ab");
    assertThat(kinds()).doesNotContain(ReplyKind.ERROR);
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Failed(FailureCode.CUT, "the stream was cut", 2));
  }

  @Test
  void aRequestLostWithItsEngineDoesNotCountAgainstTheWorker() {
    around.condition = EngineCheck.Condition.DEAD;
    around.engine.plays(
        text("a", 1),
        text("b", 2),
        fail(new EngineFailure.Broken(FailureCode.CUT, "the stream was cut")));

    around.generation(1, "a", CHAT).run();

    assertThat(written()).isEqualTo("ab");
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Failed(FailureCode.ENGINE_GONE, "the stream was cut", 2))
        .extracting(event -> ((Outcome.Failed) event).blamesEngine())
        .isEqualTo(false);
  }

  @Test
  void aRequestLostWithItsEngineDoesNotCountAgainstItsSuccessor() {
    around.deaths = 1;
    around.engine.plays(
        text("a", 1), fail(new EngineFailure.Broken(FailureCode.CUT, "the stream was cut")));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Failed(FailureCode.ENGINE_GONE, "the stream was cut", 1));
  }

  @Test
  void aRequestThatADeadEngineHasNotBegunIsReturned() {
    around.condition = EngineCheck.Condition.DEAD;
    around.engine.plays(
        fail(new EngineFailure.Unreachable("connection refused", Transport.Reach.REFUSED)));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.BREAKER_OPEN, 0));
  }

  @Test
  void aWholeAnswerThatADeadEngineHasNotBegunIsReturned() {
    around.condition = EngineCheck.Condition.DEAD;
    around.engine.plays(
        fail(new EngineFailure.Unreachable("connection refused", Transport.Reach.REFUSED)));

    around.generation(1, "a", UNSTREAMED).run();

    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.BREAKER_OPEN, 0));
  }

  @ParameterizedTest
  @MethodSource("endsOfAnEngineAtAWholeAnswer")
  void aWholeAnswerThatADeadEngineHadMayBeTheCause(EngineFailure failure) {
    around.condition = EngineCheck.Condition.DEAD;
    around.engine.plays(fail(failure));

    around.generation(1, "a", UNSTREAMED).run();

    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Failed(FailureCode.ENGINE_GONE, failure.message(), 0));
  }

  static Stream<EngineFailure> endsOfAnEngineAtAWholeAnswer() {
    return Stream.of(
        new EngineFailure.Unreachable("reset", Transport.Reach.SENT),
        new EngineFailure.Unable(500, "EngineCore died", OptionalLong.empty()));
  }

  @Test
  void theRetryAfterOfAnEngineIsReported() {
    around.engine.plays(fail(new EngineFailure.Unable(429, "too many", OptionalLong.of(2_000))));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> {
              assertThat(failed.status()).isEqualTo(429);
              assertThat(failed.retryAfterMillis()).hasValue(2_000);
            });
  }

  @Test
  void aReplyThatCannotBeWrittenFailsTheAttempt() {
    around.log.refuse(record -> record.headers().index() > 0);
    around.engine.plays(text("a", 1), text("b", 2), stop("stop", 2), done(1, 2));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> {
              assertThat(failed.code()).isEqualTo(FailureCode.REPLY_UNWRITABLE);
              assertThat(failed.tokens()).isEqualTo(1);
            });
  }

  @Test
  void anAnswerThatIsTooLargeForItsTopicIsTheCallersErrorAndIsNotRetried() {
    // Given
    around.log.takesAtMost(300);
    around.engine.plays(text("x".repeat(400), 1), stop("stop", 1), done(1, 1));

    // When
    around.generation(1, "a", WHOLE).run();

    // Then: the router is to write the error, for what this lease writes may be behind a gap
    assertThat(around.log.records()).isEmpty();
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Rejected.class,
            rejected -> {
              assertThat(rejected.error()).isEqualTo(ErrorKind.ANSWER_TOO_LARGE);
              assertThat(rejected.written()).isFalse();
              assertThat(rejected.message())
                  .matches(
                      "a reply of \\d{3} bytes is larger than topic sluice.replies allows; lower max_tokens, top_logprobs or n, or request a stream");
            });
  }

  @Test
  void aStreamStopsAtARecordThatIsTooLargeForItsTopic() {
    // Given
    around.log.takesAtMost(300);
    around.engine.plays(
        text("a", 1), text("x".repeat(400), 2), pass(Surroundings.GATHER), text("b", 3), silence());

    // When
    around.generation(1, "a", CHAT).run();

    // Then
    assertThat(kinds()).containsExactly(ReplyKind.TOKENS);
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Rejected.class,
            rejected -> assertThat(rejected.error()).isEqualTo(ErrorKind.ANSWER_TOO_LARGE));
  }

  @Test
  void anAnswerThatCannotBecomeARecordEndsAtTheEngineToo() {
    // Given
    ScriptedEngine.Step frame = frame(LOGPROBS, 1);
    around.engine.plays(frame, frame, frame, frame, frame, silence());

    // When
    around.generation(1, "a", WHOLE).run();

    // Then
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Rejected.class,
            rejected -> assertThat(rejected.error()).isEqualTo(ErrorKind.ANSWER_TOO_LARGE));
    assertThat(kinds()).endsWith(ReplyKind.ERROR);
  }

  @Test
  void anAnswerForWhichThereIsNoMemoryIsReturned() {
    // Given
    around.memory = HeldMemory.of(10 * 1024 * 1024);
    ScriptedEngine.Step frame = frame(LOGPROBS, 1);
    around.engine.plays(frame, frame, frame, silence());

    // When
    around.generation(1, "a", WHOLE).run();

    // Then
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Returned.class,
            returned -> assertThat(returned.reason()).isEqualTo(Outcome.ReturnReason.NO_SLOT));
    assertThat(around.memory.bytes()).isZero();
  }

  @Test
  void manyShortChoicesAreNoLargeAnswer() {
    // Given
    around.memory = HeldMemory.of(1024 * 1024);
    ScriptedEngine.Step frame =
        frame(
            "{\"choices\":[{\"index\":7,\"delta\":{\"content\":\"a\"},\"logprobs\":null,\"finish_reason\":null}]}",
            1);
    List<ScriptedEngine.Step> steps = new ArrayList<>(Collections.nCopies(20_000, frame));
    steps.add(stop("stop", 1));
    steps.add(done(1, 1));
    around.engine.plays(steps.toArray(ScriptedEngine.Step[]::new));

    // When
    around.generation(1, "a", WHOLE).run();

    // Then
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void gatheredTokensLeaveBeforeTheyAreTooLargeForARecord() {
    // Given: no time passes
    String large = "x".repeat(24_000);
    around.log.takesAtMost(60_000);
    around.engine.plays(
        text("a", 1),
        text(large, 2),
        text(large, 3),
        text(large, 4),
        text(large, 5),
        stop("stop", 5),
        done(1, 5));

    // When
    around.generation(1, "a", CHAT).run();

    // Then
    assertThat(indexes()).containsExactly(0, 1, 3, 5);
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void aDeadlineThatPassesEndsTheRequestAndTheGeneration() {
    around.engine.plays(text("a", 1), pass(Duration.ofSeconds(61)), silence());

    around.generation(1, "a", CHAT).run();

    assertThat(kinds()).endsWith(ReplyKind.ERROR);
    assertThat(value(1).at("/error/code").asText()).isEqualTo("deadline_exceeded");
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Expired());
    assertThat(around.engine.cancels()).isPositive();
  }

  @Test
  void aDeadlineThatWasMovedWhileItRanIsTheOneThatCounts() throws Exception {
    around.engine.plays(
        text("a", 1), pass(Duration.ofSeconds(61)), text("b", 2), stop("stop", 2), done(1, 2));
    Generation generation = around.generation(1, "a", CHAT);

    generation.amend(new Amendment(generation.lease(), Priority.URGENT, 120_000));
    generation.run();

    assertThat(written()).isEqualTo("ab");
    assertThat(generation.priority()).isEqualTo(Priority.URGENT);
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void aDeadlineThatHasPassedNeverReachesTheEngine() {
    Generation generation = around.generation(1, "a", CHAT);
    around.time.advance(Duration.ofSeconds(61));

    generation.run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Expired());
  }

  @Test
  void aSilentEngineIsReportedAliveEveryTwoSeconds() {
    around.engine.plays(text("a", 1), pass(Duration.ofSeconds(5)), stop("stop", 1), done(1, 1));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.events())
        .filteredOn(Outcome.Progress.class::isInstance)
        .containsExactly(new Outcome.Progress(1), new Outcome.Progress(1));
  }

  @Test
  void aRevokedGenerationWritesNothingMore() throws Exception {
    around.engine.plays(text("a", 1), text("b", 2), silence());

    runAndStop(StopReason.REVOKED);

    assertThat(kinds()).containsExactly(ReplyKind.TOKENS);
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.STALE, 1));
    assertThat(around.engine.cancels()).isPositive();
  }

  @Test
  void aDrainedGenerationKeepsItsTokensAndIsReturned() throws Exception {
    around.engine.plays(text("a", 1), text("b", 2), silence());

    runAndStop(StopReason.DRAINING);

    assertThat(written()).isEqualTo("ab");
    assertThat(kinds()).containsOnly(ReplyKind.TOKENS);
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.DRAINING, 2));
  }

  @Test
  void anAbandonedGenerationReportsNothing() throws Exception {
    around.engine.plays(text("a", 1), text("b", 2), silence());

    runAndStop(StopReason.ABANDONED);

    assertThat(kinds()).containsExactly(ReplyKind.TOKENS);
    assertThat(around.log.events())
        .extracting(Object::getClass)
        .containsOnly(Outcome.Accepted.class, Outcome.Started.class);
  }

  @Test
  void aSuspectReachesTheEngineOnlyWhenItsAcceptanceIsInTheLog() {
    around.log.acknowledgesOutcomes(
        outcome -> CompletableFuture.failedFuture(new IllegalStateException("away")));

    around.generation(around.suspect(1, "a"), CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void aSuspectIsNotAcceptedNextToAnotherRequest() {
    around.hasCompany = true;

    around.generation(around.suspect(1, "a"), CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.events())
        .containsExactly(new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0));
  }

  @Test
  void aSuspectIsNotSentToAnEngineThatDoesNotAnswer() {
    around.condition = EngineCheck.Condition.DEAD;

    around.generation(around.suspect(1, "a"), CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.BREAKER_OPEN, 0));
  }

  @Test
  void aRequestIsASuspectUntilATokenIsInTheLogWhichLeavesAtOnce() throws Exception {
    around.engine.plays(text("a", 1), silence());
    Generation generation =
        around.generation(around.suspect(1, "a"), "{\"model\":\"m\",\"messages\":[]}");
    var written = new CompletableFuture<Void>();
    around.log.acknowledgesAfter(written);
    Thread running = Thread.ofVirtual().start(generation);
    around.engine.awaitSilence();

    assertThat(generation.hasStarted()).isTrue();
    assertThat(generation.isSuspect()).isTrue();

    written.complete(null);
    assertThat(generation.isSuspect()).isFalse();
    generation.stop(StopReason.ABANDONED);
    running.join();
  }

  @Test
  void aRequestThatCouldNotBeSentToADeadEngineIsReturned() {
    around.condition = EngineCheck.Condition.DEAD;
    around.engine.plays(
        fail(new EngineFailure.Unreachable("reset while connecting", Transport.Reach.UNSENT)));

    around.generation(1, "a", CHAT).run();

    assertThat(around.log.lastEvent())
        .isEqualTo(new Outcome.Returned(Outcome.ReturnReason.BREAKER_OPEN, 0));
  }

  @Test
  void aBodyThatIsNotJsonIsTheCallersError() {
    around.generation(1, "a", "hello").run();

    assertThat(value(0).at("/error/code").asText()).isEqualTo("invalid_request");
    assertThat(around.log.lastEvent())
        .isEqualTo(
            new Outcome.Rejected(
                ErrorKind.INVALID_REQUEST, 0, "the body is not a JSON object", true));
  }

  @Test
  void completionsHaveTextInsteadOfDeltas() {
    String piece = "{\"choices\":[{\"index\":0,\"text\":\"%s\",\"finish_reason\":%s}]}";
    around.engine.plays(
        frame(piece.formatted("Hel", "null"), 1),
        frame(piece.formatted("lo", "\"length\""), 2),
        done(3, 2));

    around
        .generation(
            around.assignment(1, "a", true, Endpoint.COMPLETIONS, false),
            "{\"model\":\"m\",\"prompt\":\"x\",\"stream\":true}")
        .run();

    assertThat(value(0).path("object").asText()).isEqualTo("text_completion");
    assertThat(value(0).at("/choices/0/text").asText()).isEqualTo("Hel");
    assertThat(value(1).at("/choices/0/text").asText()).isEqualTo("lo");
    assertThat(value(2).at("/choices/0/finish_reason").asText()).isEqualTo("length");
  }

  private void runAndStop(StopReason reason) throws InterruptedException {
    Generation generation = around.generation(1, "a", CHAT);
    Thread thread = Thread.ofVirtual().start(generation);
    around.engine.awaitSilence();
    generation.stop(reason);
    thread.join();
  }

  private List<ReplyKind> kinds() {
    return around.log.records().stream().map(record -> record.headers().kind()).toList();
  }

  private List<Integer> indexes() {
    return around.log.records().stream().map(record -> record.headers().index()).toList();
  }

  private String written() {
    var text = new StringBuilder();
    for (ReplyRecord record : around.log.records()) {
      if (record.headers().kind() == ReplyKind.TOKENS) {
        text.append(json(record).at("/choices/0/delta/content").asText());
      }
    }
    return text.toString();
  }

  private JsonNode value(int record) {
    return json(around.log.records().get(record));
  }

  private static JsonNode json(ReplyRecord record) {
    try {
      return Json.tree(record.value());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
