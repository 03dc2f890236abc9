package io.sluice.worker.generation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.reply.PartialReply;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.testing.Surroundings;
import io.sluice.worker.testing.TokenEngine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/**
 * An interrupted answer equals the uninterrupted one, however often and wherever it is interrupted:
 * characters of several tokens, white space, stop texts across the cut, token limits.
 */
@Tag("slow")
class ExactResumeTest {

  /**
   * A way through an answer.
   *
   * @param deaths after how many frames each attempt but the last one dies; negative if the worker
   *     dies with its engine, with what it had gathered
   */
  record Course(
      String answer,
      List<String> stops,
      boolean includeStop,
      OptionalInt maxTokens,
      List<Integer> deaths,
      long seed) {}

  @Property(tries = 400)
  void aStreamThatIsResumedByIdsIsTheUninterruptedOne(@ForAll("courses") Course course)
      throws IOException {
    var run = new Run(course, 1, true);

    run.toTheEnd();

    TokenEngine.Whole whole = run.expected();
    assertThat(run.reply().text()).isEqualTo(whole.text());
    assertThat(run.reply().tokenIds()).contains(whole.ids());
    run.assertEnd(whole);
    assertThat(run.usage().path("completion_tokens").asInt()).isEqualTo(whole.ids().size());
    assertThat(run.usage().path("prompt_tokens").asInt()).isEqualTo(TokenEngine.PROMPT.size());
    assertThat(run.usage().path("total_tokens").asInt())
        .isEqualTo(whole.ids().size() + TokenEngine.PROMPT.size());
    assertThat(run.usage().has("completion_tokens_details")).isFalse();
    assertThat(run.resumes).allMatch("/v1/completions"::equals);
  }

  @Property(tries = 200)
  void framesOfSeveralTokensNeverCostOrRepeatText(@ForAll("courses") Course course)
      throws IOException {
    var run = new Run(course, 4, true);

    run.toTheEnd();

    TokenEngine.Whole whole = run.expected();
    if (course.maxTokens().isEmpty()) {
      assertThat(run.reply().text()).isEqualTo(whole.text());
      run.assertEnd(whole);
    } else {
      // A character that was cut may be counted twice if the answer was continued by text instead
      // of ids.
      assertThat(run.engine.whole(List.of(), false, OptionalInt.empty()).text())
          .startsWith(run.reply().text());
    }
    assertThat(run.usage().path("prompt_tokens").asInt()).isEqualTo(TokenEngine.PROMPT.size());
  }

  @Property(tries = 200)
  void anAnswerThatIsNotStreamedIsWholeAfterAnyInterruption(@ForAll("courses") Course course)
      throws IOException {
    var run = new Run(course, 1, false);

    run.toTheEnd();

    TokenEngine.Whole whole = run.expected();
    assertThat(run.last().at("/choices/0/message/content").asText()).isEqualTo(whole.text());
    run.assertEnd(whole);
    assertThat(run.usage().path("completion_tokens").asInt()).isEqualTo(whole.ids().size());
    assertThat(run.usage().path("prompt_tokens").asInt()).isEqualTo(TokenEngine.PROMPT.size());
  }

  @Provide
  Arbitrary<Course> courses() {
    Arbitrary<String> texts =
        Arbitraries.of(
                "a",
                "the",
                " ",
                "  ",
                "\n",
                "\n\n",
                "é",
                "—",
                "🦜",
                " 🦜",
                "👩‍👩‍👧",
                "日本語",
                "\t",
                "END",
                "E",
                "EN",
                ".",
                "नमस्ते",
                "ﷺ",
                "\u200d",
                " word",
                "0",
                "1,000",
                "```")
            .list()
            .ofMaxSize(24)
            .map(parts -> String.join("", parts));
    Arbitrary<List<String>> stops =
        Arbitraries.of("END", "EN.", "\n\n", "🦜👩", " 🦜 ", "の", "word E").list().ofMaxSize(2);
    Arbitrary<OptionalInt> limits =
        Arbitraries.integers()
            .between(1, 40)
            .optional(0.4)
            .map(limit -> limit.map(OptionalInt::of).orElse(OptionalInt.empty()));
    Arbitrary<List<Integer>> deaths = Arbitraries.integers().between(-25, 25).list().ofMaxSize(5);
    return Combinators.combine(
            texts, stops, Arbitraries.of(true, false), limits, deaths, Arbitraries.longs())
        .as(Course::new);
  }

  private static final class Run {
    final TokenEngine engine;

    /** The endpoints to which attempts turned that had something to go on from. */
    final List<String> resumes = new ArrayList<>();

    private final Surroundings around = new Surroundings();
    private final Course course;
    private final boolean isStream;

    Run(Course course, int mostPerFrame, boolean isStream) {
      this.course = course;
      this.isStream = isStream;
      this.engine = new TokenEngine(around.time, course.answer(), mostPerFrame, course.seed());
      around.facts = new EngineFacts(List.of("m"), Optional.empty(), EngineDialects.VLLM);
      around.serving = engine;
    }

    void toTheEnd() {
      int attempt = 1;
      for (int death : course.deaths()) {
        Generation generation = generation(attempt++);
        engine.dieAfter(
            Math.abs(death), death < 0 ? () -> generation.stop(StopReason.ABANDONED) : () -> {});
        run(generation);
      }
      engine.dieAfter(Integer.MAX_VALUE, () -> {});
      run(generation(attempt));
      assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
    }

    private void run(Generation generation) {
      boolean isBegun = reply().fold().tokens() > 0;
      int before = engine.paths().size();
      generation.run();
      if (isBegun) {
        resumes.addAll(engine.paths().subList(before, engine.paths().size()));
      }
    }

    private Generation generation(int attempt) {
      ObjectNode body = Json.mapper().createObjectNode();
      body.put("model", "m").put("stream", isStream);
      body.putArray("messages").addObject().put("role", "user").put("content", "hi");
      body.set("stop", Json.mapper().valueToTree(course.stops()));
      if (course.includeStop()) {
        body.put("include_stop_str_in_output", true);
      }
      course.maxTokens().ifPresent(most -> body.put("max_completion_tokens", most));
      return around.generation(attempt, "lease-" + attempt, body.toString());
    }

    TokenEngine.Whole expected() {
      return engine.whole(course.stops(), course.includeStop(), course.maxTokens());
    }

    /** Returns what any reader of the log comes to. */
    PartialReply reply() {
      var reply = new PartialReply();
      around.log.records().forEach(record -> reply.next(record.headers(), record.value()));
      return reply;
    }

    void assertEnd(TokenEngine.Whole whole) throws IOException {
      assertThat(reply().fold().phase()).isEqualTo(ReplyFold.Phase.ENDED);
      assertThat(last().at("/choices/0/finish_reason").asText()).isEqualTo(whole.finishReason());
      assertThat(last().at("/choices/0/stop_reason").asText("null"))
          .isEqualTo(whole.stopReason().asText("null"));
      List<JsonNode> values = new ArrayList<>();
      for (ReplyRecord record : around.log.records()) {
        if (record.headers().kind() != ReplyKind.CLAIM) {
          values.add(Json.tree(record.value()));
        }
      }
      assertThat(values).extracting(value -> value.path("id")).containsOnly(last().path("id"));
      assertThat(values).noneMatch(value -> value.toString().contains("token_ids"));
      assertThat(values)
          .filteredOn(value -> value.path("object").asText().endsWith("chunk"))
          .allMatch(value -> value.path("choices").path(0).has("delta"));
    }

    JsonNode last() throws IOException {
      return Json.tree(around.log.records().getLast().value());
    }

    JsonNode usage() throws IOException {
      return last().path("usage");
    }
  }
}
