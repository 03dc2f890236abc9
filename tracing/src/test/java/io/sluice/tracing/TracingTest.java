package io.sluice.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.Attributes;
import io.sluice.common.trace.LiveSpan;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.TraceIds;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class TracingTest {
  private static final TraceContext PARENT =
      new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true, "");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void aSpanReachesTheCollectorAsItWasRecorded() throws Exception {
    try (Collector collector = Collector.start();
        Tracing tracing = open(collector.endpoint())) {
      TraceContext own = tracing.tracer().context(Optional.of(PARENT));
      LiveSpan live =
          tracing
              .tracer()
              .begin(own, Optional.of(PARENT), "stage", Span.Kind.CONSUMER)
              .orElseThrow();
      live.attributes()
          .put("text", "t")
          .put("whole", 7)
          .put("number", 0.5)
          .put("truth", true)
          .put("list", List.of("a", "b"));
      live.event("happens", new Attributes().put("why", "so"));
      live.fail("worker_lost");
      live.end();

      await().atMost(PATIENCE).until(() -> !collector.spans().isEmpty());

      CollectedSpan span = collector.trace(PARENT.traceId()).getFirst();
      assertThat(span.service()).isEqualTo("sluice-test");
      assertThat(span.spanId()).isEqualTo(own.spanId());
      assertThat(span.parentSpanId()).isEqualTo(PARENT.spanId());
      assertThat(span.kind()).isEqualTo("CONSUMER");
      assertThat(span.isError()).isTrue();
      assertThat(span.attributes())
          .containsEntry("text", "t")
          .containsEntry("whole", "7")
          .containsEntry("number", "0.5")
          .containsEntry("truth", "true")
          .containsEntry("list", "[a, b]")
          .containsEntry("error.type", "worker_lost");
      assertThat(span.events().getFirst().name()).isEqualTo("happens");
      assertThat(span.events().getFirst().attributes()).containsEntry("why", "so");
    }
  }

  @Test
  void aRootHasTheIdsThatItsContextNames() throws Exception {
    try (Collector collector = Collector.start();
        Tracing tracing = open(collector.endpoint())) {
      TraceContext root = tracing.tracer().context(Optional.empty());
      tracing.tracer().begin(root, Optional.empty(), "root", Span.Kind.SERVER).orElseThrow().end();

      await().atMost(PATIENCE).until(() -> !collector.spans().isEmpty());

      CollectedSpan span = collector.spans().getFirst();
      assertThat(span.traceId()).isEqualTo(root.traceId());
      assertThat(span.spanId()).isEqualTo(root.spanId());
      assertThat(span.parentSpanId()).isEmpty();
    }
  }

  @Test
  void whatWaitsIsSentAtTheEnd() throws Exception {
    try (Collector collector = Collector.start()) {
      try (Tracing tracing = open(collector.endpoint())) {
        record(tracing, 100);
      }
      assertThat(collector.spans()).hasSize(100);
    }
  }

  @Test
  void spansBeyondTheQueueOfAnAbsentCollectorAreDroppedAndCounted() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    int many = ExportCounts.MOST_WAITING + 500;
    // Accepts connections and never answers
    try (ServerSocket silent = new ServerSocket(0);
        Tracing tracing = open(URI.create("http://127.0.0.1:" + silent.getLocalPort()))) {
      tracing.bindTo(registry);

      record(tracing, many);

      assertThat(registry.get("sluice.trace.spans.dropped").functionCounter().count())
          .isGreaterThanOrEqualTo(500);
      assertThat(registry.get("sluice.trace.spans.exported").functionCounter().count()).isZero();
    }
  }

  @Test
  void whatACollectorRefusesIsDroppedAndCounted() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Collector collector = Collector.start();
        Tracing tracing = open(collector.endpoint())) {
      tracing.bindTo(registry);
      collector.answersWith(400);

      record(tracing, 3);

      await()
          .atMost(PATIENCE)
          .until(() -> registry.get("sluice.trace.spans.dropped").functionCounter().count() == 3);
    }
  }

  @Test
  void withoutAnEndpointNothingIsRecorded() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Tracing tracing =
        Tracing.open(new TraceSettings(Optional.empty(), 1), "s", "i", Clock.systemUTC())) {
      tracing.bindTo(registry);

      assertThat(tracing.tracer().isOn()).isFalse();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  @Test
  void anEndpointWithoutAPathIsThatOfOtlp() {
    assertThat(endpoint("http://c:4318")).isEqualTo("http://c:4318/v1/traces");
    assertThat(endpoint("http://c:4318/")).isEqualTo("http://c:4318/v1/traces");
    assertThat(endpoint("https://c/otlp/v1/traces")).isEqualTo("https://c/otlp/v1/traces");
    assertThatThrownBy(() -> endpoint("grpc://c:4317"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--trace-endpoint");
  }

  private static String endpoint(String given) {
    return new TraceSettings(Optional.of(URI.create(given)), 0).endpoint().orElseThrow().toString();
  }

  private static Tracing open(URI endpoint) {
    var settings = new TraceSettings(Optional.of(endpoint), 1);
    return Tracing.open(settings, "sluice-test", "one", Clock.systemUTC());
  }

  private static void record(Tracing tracing, int spans) {
    for (int i = 0; i < spans; i++) {
      tracing
          .tracer()
          .begin(PARENT.at(TraceIds.span()), Optional.of(PARENT), "stage", Span.Kind.INTERNAL)
          .orElseThrow()
          .end();
    }
  }
}
