package io.sluice.gateway.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.SampleRatio;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.Tracer;
import io.sluice.gateway.trace.RequestTraces.RequestSpan;
import io.sluice.producer.ClientException;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AnswerBuilder;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class RequestTracesTest {
  private static final TraceContext CLIENT =
      new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true, "vendor=1");
  private static final Answer ANSWER =
      AnswerBuilder.builder()
          .requestId("r")
          .text("text")
          .finishReason("stop")
          .usage(Usage.of(10, 2))
          .json("{}")
          .fallback(false)
          .attempts(2)
          .firstTokenMillis(OptionalLong.empty())
          .latencyMillis(OptionalLong.empty())
          .worker(Optional.of("w"))
          .model(Optional.of("m"))
          .build();

  private final List<Span> spans = new ArrayList<>();

  @Test
  void aRequestGoesToThePoolUnderASpanOfTheClientsTrace() {
    RequestSpan span = traces(0).begin(request(Optional.of(CLIENT)));
    span.endsWith(CompletableFuture.completedFuture(ANSWER));

    Span server = spans.getFirst();
    assertThat(server.name()).isEqualTo("POST /v1/chat/completions");
    assertThat(server.kind()).isEqualTo(Span.Kind.SERVER);
    assertThat(server.parentSpanId()).isEqualTo(CLIENT.spanId());
    assertThat(span.request().traceparent()).contains(server.context().traceparent());
    assertThat(span.request().tracestate()).contains("vendor=1");
    assertThat(server.attributes())
        .containsEntry("sluice.request.id", "r")
        .containsEntry("sluice.attempts", 2L)
        .containsEntry("gen_ai.request.model", "m")
        .containsEntry("gen_ai.response.finish_reasons", List.of("stop"))
        .containsEntry("gen_ai.usage.input_tokens", 10L)
        .containsEntry("gen_ai.usage.output_tokens", 2L);
    assertThat(server.toString()).doesNotContain("secret prompt");
  }

  @Test
  void aRequestThatIsNotSampledTellsTheRouterSo() {
    RequestSpan span = traces(0).begin(request(Optional.empty()));
    span.endsWith(CompletableFuture.completedFuture(ANSWER));

    assertThat(spans).isEmpty();
    assertThat(span.request().traceparent().orElseThrow()).endsWith("-00");
  }

  @Test
  void aFailureIsTheSpansError() {
    var busy = new ClientException(ClientException.Kind.BUSY, "busy");
    traces(1)
        .begin(request(Optional.empty()))
        .endsWith(CompletableFuture.failedFuture(new CompletionException(busy)));

    assertThat(spans.getFirst().errorType()).isEqualTo(ClientException.class.getName());
    assertThat(spans.getFirst().parentSpanId()).isEmpty();
  }

  @Test
  void withoutTracingARequestGoesOnAsItCame() {
    InferenceRequest request = request(Optional.of(CLIENT));

    assertThat(new RequestTraces(Tracer.OFF).begin(request).request()).isSameAs(request);
  }

  private RequestTraces traces(double share) {
    return new RequestTraces(new Tracer(spans::add, new SampleRatio(share), Clock.systemUTC()));
  }

  private static InferenceRequest request(Optional<TraceContext> client) {
    InferenceRequest.Builder request =
        InferenceRequest.chat("m", List.of(Message.user("secret prompt"))).requestId("r");
    client.ifPresent(
        context -> request.traceparent(context.traceparent()).tracestate(context.state()));
    return request.build();
  }
}
