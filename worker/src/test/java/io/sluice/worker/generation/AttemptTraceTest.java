package io.sluice.worker.generation;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.fail;
import static io.sluice.worker.testing.ScriptedEngine.stop;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AssignmentBuilder;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.SampleRatio;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.Tracer;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.testing.Surroundings;
import io.sluice.worker.trace.AttemptTraces;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The spans of attempts, and what the engine is told of them. */
@Timeout(20)
class AttemptTraceTest {
  private static final String CHAT =
      "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true,\"max_tokens\":9}";
  private static final TraceContext ROUTER =
      new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true, "vendor=1");

  private final Surroundings around = new Surroundings();
  private final List<Span> spans = new ArrayList<>();

  @Test
  void anAttemptAndItsCallToTheEngineAreSpansOfTheRoutersTrace() {
    // Given
    around.engine.plays(text("Hel", 1), stop("stop", 2), done(10, 2));

    // When
    run(1, "a", ROUTER);

    // Then
    Span call = spans.get(0);
    Span attempt = spans.get(1);
    assertThat(attempt.parentSpanId()).isEqualTo(ROUTER.spanId());
    assertThat(attempt.kind()).isEqualTo(Span.Kind.CONSUMER);
    assertThat(attempt.attributes())
        .containsEntry("sluice.attempt", 1L)
        .containsEntry("sluice.worker.id", "w")
        .containsEntry("sluice.outcome", "completed")
        .containsEntry("sluice.tokens", 2L);
    assertThat(attempt.events()).extracting(Span.Event::name).containsExactly("first_token");
    assertThat(call.name()).isEqualTo("chat m");
    assertThat(call.kind()).isEqualTo(Span.Kind.CLIENT);
    assertThat(call.parentSpanId()).isEqualTo(attempt.context().spanId());
    assertThat(call.attributes())
        .containsEntry("gen_ai.operation.name", "chat")
        .containsEntry("gen_ai.provider.name", "sglang")
        .containsEntry("gen_ai.request.model", "m")
        .containsEntry("gen_ai.request.max_tokens", 9L)
        .containsEntry("gen_ai.response.finish_reasons", List.of("stop"))
        .containsEntry("gen_ai.usage.input_tokens", 10L)
        .containsEntry("gen_ai.usage.output_tokens", 2L)
        .containsEntry("server.address", "engine")
        .containsEntry("server.port", 8000L)
        .containsKey("gen_ai.response.time_to_first_chunk");
    assertThat(spans).allSatisfy(span -> assertThat(span.toString()).doesNotContain("Hel", "hi\""));
    assertThat(around.engine.requests().getFirst().headers())
        .containsEntry("traceparent", call.context().traceparent())
        .containsEntry("tracestate", "vendor=1");
  }

  @Test
  void aLaterAttemptTellsItsClaimAndFromWhereItGoesOn() {
    // Given
    around.engine.plays(
        text("Hel", 1), text("lo", 2), fail(new EngineFailure.Silent(FailureCode.STALL, "silent")));
    run(1, "a", ROUTER);
    around.engine.plays(text("!", 3), stop("stop", 3), done(10, 3));
    spans.clear();

    // When
    run(2, "b", ROUTER);

    // Then
    assertThat(spans.getLast().events())
        .extracting(Span.Event::name)
        .containsExactly("claim", "resume", "first_token");
    assertThat(spans.getLast().events().get(1).attributes()).containsKey("sluice.resume.way");
  }

  @Test
  void aCallThatIsNotContinuedEndsBeforeTheNext() {
    // Given
    around.engine.plays(
        text("Hel", 1), fail(new EngineFailure.Silent(FailureCode.STALL, "silent")));
    run(1, "a", ROUTER);
    around
        .engine
        .plays(fail(new EngineFailure.Rejected(400, ErrorKind.INVALID_REQUEST, "no", false)))
        .plays(text("Hello", 1), stop("stop", 1), done(10, 1));
    spans.clear();

    // When
    run(2, "b", ROUTER);

    // Then
    assertThat(spans).extracting(Span::errorType).containsExactly("continued_otherwise", "", "");
  }

  @Test
  void aFailureIsTheErrorOfTheCallAndOfTheAttempt() {
    around.engine.plays(fail(new EngineFailure.Refused(401, "Unauthorized")));

    run(1, "a", ROUTER);

    assertThat(spans)
        .extracting(Span::errorType)
        .containsExactly("engine_refused", "engine_refused");
  }

  @Test
  void anEngineIsToldNothingOfATraceThatIsNotSampled() {
    around.engine.plays(stop("stop", 1), done(1, 1));

    run(1, "a", new TraceContext(ROUTER.traceId(), ROUTER.spanId(), false, ""));

    assertThat(spans).isEmpty();
    assertThat(around.engine.requests().getFirst().headers())
        .isEqualTo(Map.of("X-Request-Id", Surroundings.REQUEST));
  }

  private void run(int attempt, String lease, TraceContext trace) {
    around.traces =
        new AttemptTraces(
            new Tracer(spans::add, new SampleRatio(1), around.time),
            URI.create("http://engine:8000"));
    Assignment assignment =
        AssignmentBuilder.builder(around.assignment(attempt, lease, attempt == 1))
            .trace(Optional.of(trace))
            .build();
    around.generation(assignment, CHAT).run();
  }
}
