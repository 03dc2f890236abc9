package io.sluice.worker.generation;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.fail;
import static io.sluice.worker.testing.ScriptedEngine.frame;
import static io.sluice.worker.testing.ScriptedEngine.ids;
import static io.sluice.worker.testing.ScriptedEngine.pass;
import static io.sluice.worker.testing.ScriptedEngine.run;
import static io.sluice.worker.testing.ScriptedEngine.stop;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static io.sluice.worker.testing.ScriptedEngine.textIds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.Silence;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.reply.PartialReply;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.testing.ScriptedEngine.Step;
import io.sluice.worker.testing.Surroundings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an engine that tells token ids is asked, and what is made of its answers. */
@Timeout(20)
class ResumeByIdsTest {
  private static final String CHAT =
      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true,\"max_tokens\":10}";
  private static final String UNLIMITED = CHAT.replace(",\"max_tokens\":10", "");
  private static final String TOKENIZED = "{\"tokens\":[1,2,3],\"max_model_len\":100}";

  private final Surroundings around = new Surroundings();

  @BeforeEach
  void vllm() {
    around.facts = new EngineFacts(List.of("m"), Optional.empty(), EngineDialects.VLLM);
    around.engine.answers("/v1/chat/completions", 400, "{}");
    around.engine.answers("/v1/completions", 400, "{}");
    around.engine.answers("/tokenize", 200, TOKENIZED);
    around.engine.answers("/detokenize", 200, "{\"prompt\":\"Once upon\"}");
  }

  @Test
  void idsAreAskedForAndKeptInTheLogButNotShown() {
    around.engine.plays(
        textIds("Once", 1, 11), textIds(" upon", 2, 12), stop("stop", 3), done(10, 3));

    around.generation(1, "a", CHAT).run();

    assertThat(around.engine.body().path("return_token_ids").asBoolean()).isTrue();
    List<ReplyRecord> records = around.log.records();
    assertThat(records.getFirst().headers().tokenIds()).contains("11");
    assertThat(records.getFirst().headers().notes().promptTokens()).hasValue(10);
    assertThat(records).noneMatch(record -> json(record).toString().contains("token_ids"));
  }

  @Test
  void aCallerWhoAsksForIdsSeesThem() {
    around.engine.plays(textIds("Once", 1, 11), stop("stop", 1), done(10, 1));

    around.generation(1, "a", with("\"return_token_ids\":true")).run();

    assertThat(json(around.log.records().getFirst()).at("/choices/0/token_ids/0").asInt())
        .isEqualTo(11);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void idsOfAnAnswerWithToolsOnlyShowThatTheEngineWorks(boolean isStream) {
    // Given
    String call =
        "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]},\"finish_reason\":null}]}";
    String bare =
        "{\"choices\":[{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":null}],\"prompt_token_ids\":null}";
    around.gather = Duration.ZERO;
    var written = new AtomicInteger();
    around.engine.plays(
        textIds("I", 1, 11),
        ids(bare, 2, 12),
        ids(bare, 3, 13),
        textIds("", 4, 14),
        pass(Duration.ofSeconds(5)),
        run(() -> written.set(around.log.records().size())),
        ids(call, 5, 15),
        stop("tool_calls", 6),
        done(10, 6));

    // When
    around
        .generation(
            1,
            "a",
            with("\"tools\":[{\"type\":\"function\"}],\"stop\":\"END\"")
                .replace("\"stream\":true", "\"stream\":" + isStream))
        .run();

    // Then
    assertThat(around.engine.body().path("return_token_ids").asBoolean()).isTrue();
    assertThat(around.engine.body().has("include_stop_str_in_output")).isFalse();
    assertThat(around.engine.requests().getLast().silence()).isEqualTo(Silence.NONE);
    assertThat(written).hasValue(1);
    List<ReplyRecord> records = around.log.records();
    assertThat(records).allMatch(record -> record.headers().tokenIds().isEmpty());
    assertThat(records).noneMatch(record -> json(record).toString().contains("token_ids"));
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("tool_calls", 10, 6, 5_000));
  }

  @Test
  void hiddenReasoningHasNoIdsAndMayTakeLong() {
    around.engine.plays(stop("stop", 1), done(10, 1));

    around.generation(1, "a", with("\"include_reasoning\":false")).run();

    assertThat(around.engine.body().has("return_token_ids")).isFalse();
    assertThat(around.engine.requests().getLast().silence()).isEqualTo(new Silence(false, true));
  }

  @Test
  void logProbabilitiesOfTokensThatAreWithheldAreShown() {
    String withheld =
        "{\"choices\":[{\"index\":0,\"delta\":{},\"logprobs\":{\"content\":[]},\"finish_reason\":null}]}";
    around.engine.plays(ids(withheld, 1, 11), stop("stop", 2), done(10, 2));

    around.generation(1, "a", with("\"tools\":[{\"type\":\"function\"}]")).run();

    assertThat(json(around.log.records().getFirst()).at("/choices/0").has("logprobs")).isTrue();
  }

  @Test
  void idsAreNotRequestedForAnswersThatAreNeverContinued() {
    around.engine.plays(stop("stop", 1), done(10, 1));

    around.generation(1, "a", with("\"n\":2")).run();

    assertThat(around.engine.body().has("return_token_ids")).isFalse();
  }

  @Test
  void anEngineThatIgnoresTheQuestionIsServedAsWell() {
    around.engine.plays(text("Once", 1), text(" upon", 2), stop("stop", 2), done(10, 2));

    around.generation(1, "a", CHAT).run();

    assertThat(readers().text()).isEqualTo("Once upon");
    assertThat(readers().tokenIds()).isEmpty();
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void tokensOfEarlierAttemptsInThePromptCountOnce() {
    // Given
    wrote(0, "Once", "11,12");
    wrote(2, " upon", "13");
    around.engine.plays(
        ids("{\"choices\":[{\"index\":0,\"text\":\" a\",\"finish_reason\":null}]}", 1, 14),
        ids("{\"choices\":[{\"index\":0,\"text\":\" time\",\"finish_reason\":\"length\"}]}", 2, 15),
        done(10, 2));
    Generation generation = around.generation(2, "b", CHAT);

    // When
    generation.run();

    // Then
    assertThat(generation.contextTokens()).isEqualTo(10 + 2);
  }

  @Test
  void aChatIsContinuedAsACompletionOfItsTokens() {
    // Given
    wrote(0, "Once", "11,12");
    wrote(2, " upon", "13");
    around.engine.plays(
        ids("{\"choices\":[{\"index\":0,\"text\":\" a\",\"finish_reason\":null}]}", 1, 14),
        ids("{\"choices\":[{\"index\":0,\"text\":\" time\",\"finish_reason\":\"length\"}]}", 2, 15),
        done(6, 2));

    // When
    around
        .generation(
            2,
            "b",
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true,\"max_completion_tokens\":5,\"max_tokens\":9,\"min_tokens\":4,\"seed\":7,\"temperature\":0,\"logprobs\":false,\"chat_template_kwargs\":{\"x\":1},\"stop_token_ids\":[9]}")
        .run();

    // Then
    assertThat(around.engine.requests().getLast().path()).isEqualTo("/v1/completions");
    JsonNode body = around.engine.body();
    assertThat(body.path("prompt").toString()).isEqualTo("[1,2,3,11,12,13]");
    assertThat(body.path("max_tokens").asInt()).isEqualTo(2);
    assertThat(body.path("min_tokens").asInt()).isEqualTo(1);
    assertThat(body.path("seed").asInt()).isEqualTo(7);
    assertThat(body.path("stop_token_ids").toString()).isEqualTo("[9]");
    assertThat(StreamSupport.stream(((Iterable<String>) body::fieldNames).spliterator(), false))
        .doesNotContain("messages", "max_completion_tokens", "logprobs", "chat_template_kwargs");
    JsonNode question = tree(around.engine.questions().getFirst().body());
    assertThat(question.at("/messages/0/content").asText()).isEqualTo("hi");
    assertThat(question.at("/chat_template_kwargs/x").asInt()).isEqualTo(1);

    List<ReplyRecord> own = around.log.of("b");
    assertThat(own.getFirst().headers().mode()).isEqualTo(ClaimMode.RESUME);
    assertThat(json(own.get(1)).path("object").asText()).isEqualTo("chat.completion.chunk");
    assertThat(json(own.get(1)).at("/choices/0/delta/content").asText()).isEqualTo(" a");
    assertThat(json(own.get(1)).path("id").asText()).isEqualTo("chatcmpl-first");
    assertThat(json(own.get(1)).path("created").asLong()).isEqualTo(5);
    assertThat(readers().text()).isEqualTo("Once upon a time");
    assertThat(readers().tokenIds()).contains(List.of(11, 12, 13, 14, 15));
    assertThat(json(own.getLast()).at("/choices/0/finish_reason").asText()).isEqualTo("length");
    assertThat(json(own.getLast()).at("/usage/prompt_tokens").asInt()).isEqualTo(3);
    assertThat(json(own.getLast()).at("/usage/completion_tokens").asInt()).isEqualTo(5);
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("length", 3, 5, 0));
  }

  @Test
  void aChatWithoutALimitGetsWhatTheEnginesOwnLimitLeaves() {
    // Given
    engineLimitsTo(200);
    wrote(0, "Once", "11,12");
    around.engine.plays(stop("stop", 1), done(5, 1));

    // When
    around.generation(2, "b", UNLIMITED).run();

    // Then
    assertThat(around.engine.body().path("max_tokens").asInt()).isEqualTo(198);
    JsonNode question = tree(around.engine.questions().getFirst().body());
    assertThat(question.path("messages"))
        .isEqualTo(tree(UNLIMITED.getBytes(StandardCharsets.UTF_8)).path("messages"));
    assertThat(question.path("stream").asBoolean()).isFalse();
    assertThat(around.ways).containsExactly("ids");
  }

  /** vLLM with {@code --override-generation-config} lowers the caller's limit. */
  @Test
  void anAnswerWhoseLimitTheEngineLowersDoesNotOutgrowIt() {
    // Given
    engineLimitsTo(5);
    wrote(0, "Once", "11,12");
    around.engine.plays(stop("stop", 1), done(5, 1));

    // When
    around.generation(2, "b", CHAT).run();

    // Then
    assertThat(around.engine.body().path("max_tokens").asInt()).isEqualTo(3);
  }

  /** Null asks for the engine's own limit, unlike no limit at all. */
  @ParameterizedTest
  @CsvSource({"'[1,2,3]', ids", "'[1,2,3,4]', text"})
  void aCompletionThatLeavesItsLimitToTheEngineGetsWhatThatLeaves(String prompt, String way) {
    // Given
    engineLimitsTo("/v1/completions", 200);
    around.engine.answers(
        "/tokenize", 200, "{\"tokens\":%s,\"max_model_len\":99}".formatted(prompt));
    wrote(0, "Once", "11,12");
    around.engine.plays(stop("stop", 1), done(5, 1));

    // When
    around
        .generation(
            around.assignment(2, "b", false, Endpoint.COMPLETIONS, false),
            "{\"model\":\"m\",\"prompt\":\"a b\",\"max_tokens\":null,\"stream\":true}")
        .run();

    // Then
    assertThat(around.engine.body().path("max_tokens").asInt()).isEqualTo(198);
    assertThat(around.ways).containsExactly(way);
  }

  @Test
  void anAnswerThatHasAllThatTheEnginesOwnLimitAllowsIsWhole() {
    engineLimitsTo(2);
    wrote(0, "Once", "11,12");

    around.generation(2, "b", UNLIMITED).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("length", 3, 2, 0));
    assertThat(around.ways).containsExactly("end");
  }

  @Test
  void aChatWithoutAKnownLimitIsRestarted() {
    around.engine.answers("/v1/chat/completions", 400, "{\"error\":{\"message\":\"no\"}}");
    wrote(0, "Once", "11,12");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(3, 1));

    around.generation(2, "b", UNLIMITED).run();

    assertThat(readers().text()).isEqualTo("Again");
    assertThat(around.ways).containsExactly("restart");
  }

  @ParameterizedTest
  @ValueSource(strings = {CHAT, "{\"model\":\"m\",\"prompt\":[1,2,3],\"stream\":true}"})
  void aFullContextEndsTheAnswerBelowItsLimit(String body) {
    around.engine.answers("/tokenize", 200, "{\"tokens\":[1,2,3],\"max_model_len\":5}");
    wrote(0, "Once", "11,12");
    Endpoint endpoint = body.contains("prompt") ? Endpoint.COMPLETIONS : Endpoint.CHAT_COMPLETIONS;

    around.generation(around.assignment(2, "b", false, endpoint, false), body).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("length", 3, 2, 0));
  }

  @Test
  void anEngineThatIsTooBusyForTheQuestionHasNotSaidThatItCannot() {
    wrote(0, "Once", "11,12");
    around.engine.tooBusyToAnswer();

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.of("b")).isEmpty();
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> assertThat(failed.code()).isEqualTo(FailureCode.HEAD_TIMEOUT));
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/chat/completions,401,ENGINE_REFUSED",
    "/v1/chat/completions,403,ENGINE_REFUSED",
    "/tokenize,429,ENGINE_OVERLOADED"
  })
  void anEngineThatDoesNotAcceptTheQuestionHasNotSaidThatItCannot(
      String path, int status, FailureCode code) {
    wrote(0, "Once", "11,12");
    around.engine.answers(path, status, "{\"error\":\"not now\"}");

    around.generation(2, "b", with("\"temperature\":1")).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.of("b")).isEmpty();
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Failed.class, failed -> assertThat(failed.code()).isEqualTo(code));
  }

  /**
   * Continued by text, that would be another answer: tokens and text need not match at the seam.
   */
  @Test
  void aGreedyAnswerWithoutIdsIsRestarted() {
    wrote(0, "Once", "");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(3, 1));

    around
        .generation(2, "b", with("\"temperature\":0,\"stop\":\"X\",\"stop_token_ids\":[9]"))
        .run();

    assertThat(around.ways).containsExactly("restart");
  }

  @ParameterizedTest
  @CsvSource({"'{\"tokens\":[11,12]}',text", "'{\"tokens\":[13]}',restart"})
  void aGreedyAnswerIsContinuedByTextIfTheTokensAreTheSame(String tokenized, String way) {
    wrote(0, "Once", "11,12", 7);
    around.engine.answers("/tokenize", 200, tokenized);
    around.engine.plays(text(" upon", 1), stop("stop", 1), done(3, 1));

    around.generation(2, "b", with("\"temperature\":0")).run();

    assertThat(around.ways).containsExactly(way);
  }

  private void engineLimitsTo(int tokens) {
    engineLimitsTo("/v1/chat/completions", tokens);
  }

  private void engineLimitsTo(String path, int tokens) {
    around.engine.answers(
        path,
        400,
        "{\"error\":{\"message\":\"min_tokens must be less than or equal to max_tokens=%d, got 1000000000.\"}}"
            .formatted(tokens));
  }

  @Test
  void aCompletionOfTokensIsContinuedAfterThem() {
    wrote(0, "Once", "11");
    around.engine.plays(stop("stop", 1), done(4, 1));

    around
        .generation(
            around.assignment(2, "b", false, Endpoint.COMPLETIONS, false),
            "{\"model\":\"m\",\"prompt\":[7,8,9],\"stream\":true}")
        .run();

    assertThat(around.engine.body().path("prompt").toString()).isEqualTo("[7,8,9,11]");
    assertThat(around.engine.body().path("max_tokens").asInt()).isEqualTo(15);
  }

  @ParameterizedTest
  @CsvSource({"2, left, '[2,3,11]'", "2, right, '[1,2,11]'", "9, left, '[1,2,3,11]'"})
  void aPromptIsCutAsItWasAtFirst(int tokens, String side, String prompt) {
    wrote(0, "Once", "11", Math.min(tokens, 3));
    around.engine.plays(stop("stop", 1), done(3, 1));

    around
        .generation(
            2,
            "b",
            with("\"truncate_prompt_tokens\":" + tokens + ",\"truncation_side\":\"" + side + "\""))
        .run();

    assertThat(around.engine.body().path("prompt").toString()).isEqualTo(prompt);
    assertThat(around.engine.body().has("truncate_prompt_tokens")).isFalse();
  }

  @Test
  void aPromptThatIsCutAsTheEngineLikesIsRestarted() {
    wrote(0, "Once", "11");
    around.engine.plays(stop("stop", 1), done(3, 1));

    around.generation(2, "b", with("\"truncate_prompt_tokens\":-1")).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"tokens\":[1,2,3,4]}",
        "{\"tokens\":[]}",
        "{\"tokens\":[\"a\",\"b\",\"c\"]}",
        "{\"detail\":\"Not Found\"}",
        "oops"
      })
  void aPromptOfOtherTokensIsContinuedByText(String tokenized) {
    around.engine.answers("/tokenize", 200, tokenized);
    wrote(0, "Once", "11");
    around.engine.plays(textIds(" upon", 1, 12), stop("stop", 1), done(4, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests().getLast().path()).isEqualTo("/v1/chat/completions");
    assertThat(around.engine.body().at("/messages/1/content").asText()).isEqualTo("Once");
    assertThat(readers().text()).isEqualTo("Once upon");
    // The text may have been cut inside a token, so no attempt may continue by these ids.
    assertThat(readers().tokenIds()).isEmpty();
  }

  @Test
  void anImageIsNotAPromptOfTokens() {
    wrote(0, "Once", "11");
    around.engine.plays(stop("stop", 1), done(4, 1));

    around
        .generation(
            2,
            "b",
            CHAT.replace(
                "\"hi\"",
                "[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}]"))
        .run();

    assertThat(around.engine.questions())
        .extracting(EngineRequest::path)
        .doesNotContain("/tokenize");
    assertThat(around.engine.body().path("continue_final_message").asBoolean()).isTrue();
  }

  @Test
  void aCharacterThatWasHeldBackIsContinuedByText() {
    around.engine.answers("/detokenize", 200, "{\"prompt\":\"Once \uFFFD\"}");
    wrote(0, "Once", "11,12");
    around.engine.plays(stop("stop", 1), done(4, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.body().path("continue_final_message").asBoolean()).isTrue();
  }

  @Test
  void anEngineIsAskedOncePerClaim() {
    wrote(0, "Once", "11");
    around.engine.plays(stop("stop", 1), done(4, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.questions())
        .extracting(EngineRequest::path)
        .containsExactly("/v1/chat/completions", "/tokenize", "/detokenize");
  }

  @Test
  void theDecisionBeforeTheClaimHoldsAfterIt() {
    wrote(0, "Once", "11");
    around.log.beforeClaim(around.engine::answersNothing);
    around.engine.plays(stop("stop", 1), done(4, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.body().path("prompt").toString()).isEqualTo("[1,2,3,11]");
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void recordsBeforeTheClaimCauseANewDecision() {
    wrote(0, "Once", "11");
    around.log.beforeClaim(() -> wrote(1, " upon", "12"));
    around.engine.plays(stop("stop", 1)).plays(stop("stop", 1), done(5, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.body().path("prompt").toString()).isEqualTo("[1,2,3,11,12]");
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("stop", 3, 3, 0));
  }

  @Test
  void anEngineThatRefusesTheIdsRestarts() {
    wrote(0, "Once", "11");
    around
        .engine
        .plays(fail(new EngineFailure.Rejected(422, ErrorKind.INVALID_REQUEST, "no ids", false)))
        .plays(text("Again", 1), stop("stop", 1), done(3, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests())
        .extracting(EngineRequest::path)
        .containsExactly("/v1/completions", "/v1/chat/completions");
    assertThat(readers().text()).isEqualTo("Again");
    assertThat(around.ways).containsExactly("restart");
  }

  @Test
  void aLeaseStaysAliveWhileTheEngineIsAskedForIds() {
    wrote(0, "Once", "11");
    around.engine.beforeAnswers(this::waitForProgress);
    around.engine.plays(stop("stop", 1), done(4, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void aLeaseStaysAliveWhileTheLogIsRead() {
    wrote(0, "Once", "11");
    around.log.beforeFold(this::waitForProgress);
    around.engine.plays(stop("stop", 1), done(4, 1));

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = StopReason.class,
      names = {"REVOKED", "DRAINING"})
  void aStoppedAttemptDoesNotWaitForTheEngineOrClaim(StopReason reason) {
    wrote(0, "Once", "11");
    Generation generation = around.generation(2, "b", CHAT);
    around.engine.beforeAnswers(
        () -> {
          generation.stop(reason);
          LockSupport.park();
        });

    generation.run();

    assertThat(around.log.of("b")).isEmpty();
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Returned.class);
  }

  /** Returns only when the router has heard once more of the lease. */
  private void waitForProgress() {
    long before = progress();
    around.time.advance(Duration.ofSeconds(3));
    while (progress() == before) {
      Thread.onSpinWait();
    }
  }

  private long progress() {
    return around.log.events().stream().filter(Outcome.Progress.class::isInstance).count();
  }

  @Test
  void anEngineThatFailsToAnswerPreventsTheClaim() {
    around.engine.answers("/tokenize", 500, "oops");
    wrote(0, "Once", "11");

    around.generation(2, "b", CHAT).run();

    assertThat(around.log.of("b")).isEmpty();
    assertThat(around.log.lastEvent())
        .isInstanceOfSatisfying(
            Outcome.Failed.class, failed -> assertThat(failed.status()).isEqualTo(500));
  }

  @Test
  void anAnswerWhoseLastTokensAreInTheLogOnlyGetsItsEnd() {
    // Given
    around.log.wrote(
        headers(
            0,
            3,
            "11,12,2",
            new TokenNotes(OptionalInt.of(3), Optional.of("stop"), Optional.of("\"\\n\""))),
        "{\"id\":\"chatcmpl-first\",\"created\":5,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Once.\"}}]}");

    // When
    around.generation(2, "b", CHAT).run();

    // Then
    assertThat(around.engine.requests()).isEmpty();
    JsonNode last = json(around.log.of("b").getLast());
    assertThat(last.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(last.at("/choices/0/stop_reason").asText()).isEqualTo("\n");
    assertThat(last.at("/usage/completion_tokens").asInt()).isEqualTo(3);
    assertThat(last.at("/usage/prompt_tokens").asInt()).isEqualTo(3);
    assertThat(last.path("id").asText()).isEqualTo("chatcmpl-first");
    assertThat(readers().terminal()).isPresent();
  }

  @Test
  void theRecordThatEndsAnAnswerSaysSo() {
    around.engine.plays(
        textIds("Once", 1, 11),
        ids(
            "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\",\"stop_reason\":50}]}",
            2,
            50),
        fail(new EngineFailure.Broken(FailureCode.CUT, "the stream was cut")));

    around.generation(1, "a", CHAT).run();

    assertThat(readers().end())
        .contains(new PartialReply.End("stop", Optional.of(Json.mapper().valueToTree(50))));
    assertThat(readers().tokenIds()).contains(List.of(11, 50));
  }

  @Test
  void aUsedUpBudgetHasItsUsageToo() {
    wrote(0, "All of it.", "1,2,3,4,5,6,7,8,9,10");

    around.generation(2, "b", CHAT).run();

    assertThat(around.engine.requests()).isEmpty();
    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Completed("length", 3, 10, 0));
  }

  @Test
  void usageSaysHowManyTokensWereMadeTwice() {
    wrote(0, "Once", "11,12");
    around.engine.plays(text("Again", 1), stop("stop", 1), done(3, 1));

    around.generation(2, "b", with("\"logprobs\":true")).run();

    JsonNode usage = json(around.log.of("b").getLast()).path("usage");
    assertThat(usage.path("completion_tokens").asInt()).isEqualTo(1);
    assertThat(usage.at("/completion_tokens_details/recomputed_tokens").asInt()).isEqualTo(2);
  }

  @Test
  void aPossibleStopTextIsHeldUntilTheNextTokens() {
    around.engine.plays(
        textIds("a E", 1, 11),
        textIds("N", 2, 12),
        textIds("d, and", 3, 13),
        textIds(" EN", 4, 14),
        fail(new EngineFailure.Broken(FailureCode.CUT, "the stream was cut")));

    around.generation(1, "a", with("\"stop\":\"END\"")).run();

    assertThat(around.engine.body().path("include_stop_str_in_output").asBoolean()).isTrue();
    assertThat(readers().text()).isEqualTo("a ENd, and");
    assertThat(readers().tokenIds()).contains(List.of(11, 12, 13));
  }

  @Test
  void aRulerThatLooksLikeAStopTextIsNotHeldUntilTheEnd() {
    // Given
    List<Step> steps = new ArrayList<>();
    for (int i = 1; i <= 500; i++) {
      steps.add(textIds("\n", i, 11));
    }
    var toldBeforeTheStop = new AtomicInteger();
    steps.add(run(() -> toldBeforeTheStop.set(readers().fold().tokens())));
    steps.add(textIds("Us", 501, 12));
    steps.add(
        ids(
            "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"er:\"},\"finish_reason\":\"stop\",\"stop_reason\":\"\\n\\nUser:\"}]}",
            502,
            13));
    steps.add(done(3, 502));
    around.gather = Duration.ZERO;
    around.engine.plays(steps.toArray(new Step[0]));

    // When
    around.generation(1, "a", with("\"stop\":\"\\n\\nUser:\"")).run();

    // Then
    assertThat(toldBeforeTheStop.get()).isBetween(480, 498);
    assertThat(readers().text()).isEqualTo("\n".repeat(498));
    assertThat(readers().fold().tokens()).isEqualTo(502);
  }

  @Test
  void tokensWithoutTextAreNotHeldIndefinitely() {
    List<Step> steps = new ArrayList<>();
    for (int i = 1; i <= 100; i++) {
      steps.add(textIds("", i, 11));
    }
    steps.add(fail(new EngineFailure.Broken(FailureCode.CUT, "the stream was cut")));
    around.engine.plays(steps.toArray(new Step[0]));

    around.generation(1, "a", CHAT).run();

    assertThat(readers().fold().tokens()).isBetween(84, 100);
  }

  @Test
  void textThatCannotBecomeAStopTextPassesAtOnce() {
    around.engine.plays(
        textIds("EN", 1, 11),
        textIds("E", 2, 12),
        textIds("x", 3, 13),
        textIds("E", 4, 14),
        fail(new EngineFailure.Broken(FailureCode.CUT, "the stream was cut")));

    around.generation(1, "a", with("\"stop\":\"END\"")).run();

    assertThat(readers().text()).isEqualTo("ENEx");
  }

  @Test
  void aStopTextIsTakenOutUnlessTheCallerWantsIt() {
    for (String wanted : List.of("false", "true")) {
      around.engine.plays(
          textIds("a E", 1, 11),
          ids(
              "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ND\"},\"finish_reason\":\"stop\",\"stop_reason\":\"END\"}]}",
              2,
              12),
          done(3, 2));
    }

    around.generation(1, "a", with("\"stop\":\"END\"")).run();
    assertThat(readers().text()).isEqualTo("a ");
    around
        .generation(
            around.assignment(1, "b", true),
            with("\"stop\":\"END\",\"include_stop_str_in_output\":true"))
        .run();

    assertThat(json(around.log.of("b").getFirst()).at("/choices/0/delta/content").asText())
        .isEqualTo("a END");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"stop\":\"END\",\"stop_token_ids\":[12]",
        "\"stop\":[\"END\"],\"skip_special_tokens\":false"
      })
  void theTextOfAStopTokenIsLeftToTheEngineToHide(String fields) {
    around.engine.plays(text("Once", 1), stop("stop", 2), done(3, 2));

    around.generation(1, "a", with(fields)).run();

    assertThat(around.engine.body().has("return_token_ids")).isFalse();
    assertThat(around.engine.body().has("include_stop_str_in_output")).isFalse();
  }

  @Test
  void anAnswerWithoutIdsIsContinuedByText() {
    wrote(0, "Once", "11");
    around.engine.plays(text(" upon", 1), stop("stop", 2), done(3, 2));

    around.generation(2, "b", with("\"stop\":\"END\",\"stop_token_ids\":[12]")).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESUME);
    assertThat(around.engine.body().at("/messages/1/content").asText()).isEqualTo("Once");
    assertThat(readers().text()).isEqualTo("Once upon");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"stop_token_ids\":[12]",
        "\"stop\":\"END\",\"stop_token_ids\":[12],\"include_stop_str_in_output\":true",
        "\"stop\":\"END\",\"stop_token_ids\":[],\"skip_special_tokens\":true"
      })
  void stopTokensAloneOrShownOnesDoNotCostTheIds(String fields) {
    around.engine.plays(textIds("Once", 1, 11), stop("stop", 2), done(3, 2));

    around.generation(1, "a", with(fields)).run();

    assertThat(around.engine.body().path("return_token_ids").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"reasoning\":\"%s\"",
        "\"reasoning_content\":\"%s\"",
        "\"reasoning\":\"%1$s\",\"reasoning_content\":\"%1$s\""
      })
  void aStopTextInTheReasoningIsTakenOutToo(String delta) {
    around.engine.plays(
        ids(reasoned(delta.formatted("Let me. E"), "null"), 1, 11),
        ids(reasoned(delta.formatted("N"), "null"), 2, 12),
        ids(reasoned(delta.formatted("D"), "\"stop\",\"stop_reason\":\"END\""), 3, 13),
        done(3, 3));

    around.generation(1, "a", with("\"stop\":\"END\"")).run();

    String shown = json(around.log.records().getFirst()).at("/choices/0/delta").toString();
    assertThat(shown).contains("Let me. ").doesNotContain("E").doesNotContain("N");
  }

  private static String reasoned(String delta, String finish) {
    return "{\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":%s}]}"
        .formatted(delta, finish);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"n\":2",
        "\"best_of\":3",
        "\"tools\":[{\"type\":\"function\"}]",
        "\"functions\":[{\"name\":\"f\"}]",
        "\"structured_outputs\":{\"regex\":\"a\"}",
        "\"guided_json\":{}, \"guided_regex\":\"a\"",
        "\"response_format\":{\"type\":\"json_schema\"}",
        "\"logprobs\":true",
        "\"prompt_logprobs\":1",
        "\"prompt_logprobs\":0",
        "\"logprobs\":0",
        "\"echo\":true",
        "\"use_beam_search\":true",
        "\"logit_bias\":{\"5\":1}",
        "\"bad_words\":[\"x\"]",
        "\"include_reasoning\":false",
        "\"presence_penalty\":0.5",
        "\"frequency_penalty\":0.5",
        "\"repetition_penalty\":1.1",
        "\"stop\":[\"ceX\"]",
        "\"stop\":\"ce upon\"",
        "\"truncate_prompt_tokens\":-1",
        "\"seed\":7"
      })
  void optionsWithEngineStateAreRestartedEvenWithIds(String field) {
    wrote(0, "Once", "11");
    around.engine.plays(
        frame("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Again\"}}]}", 1),
        stop("stop", 1),
        done(3, 1));

    around.generation(2, "b", with(field)).run();

    assertThat(around.log.of("b").getFirst().headers().mode()).isEqualTo(ClaimMode.RESTART);
    assertThat(readers().text()).isEqualTo("Again");
  }

  private static String with(String field) {
    return CHAT.replaceFirst("\\{", "{" + field.replace("\\", "\\\\") + ",");
  }

  private void wrote(int index, String text, String ids) {
    wrote(index, text, ids, 3);
  }

  private void wrote(int index, String text, String ids, int promptTokens) {
    TokenNotes notes =
        index == 0
            ? new TokenNotes(OptionalInt.of(promptTokens), Optional.empty(), Optional.empty())
            : TokenNotes.NONE;
    around.log.wrote(
        headers(index, ids.split(",").length, ids, notes),
        "{\"id\":\"chatcmpl-first\",\"created\":5,\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
            + text
            + "\"}}]}");
  }

  private static ReplyHeaders headers(int index, int count, String ids, TokenNotes notes) {
    return ReplyHeadersBuilder.builder()
        .requestId(Surroundings.REQUEST)
        .kind(ReplyKind.TOKENS)
        .attempt(1)
        .lease("a")
        .mode(ClaimMode.RESUME)
        .index(index)
        .count(count)
        .fallback(false)
        .latencyMillis(OptionalLong.empty())
        .notes(notes)
        .tokenIds(Optional.of(ids))
        .worker(Optional.of("w"))
        .model(Optional.of("m"))
        .build();
  }

  private PartialReply readers() {
    var reply = new PartialReply();
    around.log.records().forEach(record -> reply.next(record.headers(), record.value()));
    return reply;
  }

  private static JsonNode json(ReplyRecord record) {
    return tree(record.value());
  }

  private static JsonNode tree(byte[] value) {
    try {
      return Json.tree(value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
