package io.sluice.common.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.common.protocol.TraceContext;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TracerTest {
  private static final TraceContext PARENT =
      new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true, "vendor=1");

  private final List<Span> spans = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);

  @Test
  void aStageContinuesTheTraceOfItsParent() {
    Tracer tracer = new Tracer(spans::add, new SampleRatio(0), clock);
    TraceContext own = tracer.context(Optional.of(PARENT));
    LiveSpan live = tracer.begin(own, Optional.of(PARENT), "stage", Span.Kind.SERVER).orElseThrow();
    live.attributes().put("a", 1).put("none", "");
    now = now.plusMillis(5);
    live.event("happens", new Attributes().put("why", "so"));
    LiveSpan below = live.child("below", Span.Kind.CLIENT);
    below.fail("timeout");
    below.end();
    now = now.plusMillis(5);
    live.end();

    assertThat(own.traceId()).isEqualTo(PARENT.traceId());
    assertThat(own.state()).isEqualTo("vendor=1");
    Span child = spans.get(0);
    Span span = spans.get(1);
    assertThat(span.parentSpanId()).isEqualTo(PARENT.spanId());
    assertThat(span.context()).isEqualTo(own);
    assertThat(span.attributes()).containsOnlyKeys("a");
    assertThat(span.end()).isEqualTo(span.start().plusMillis(10));
    assertThat(span.events())
        .containsExactly(
            new Span.Event(
                "happens", span.start().plusMillis(5), new Attributes().put("why", "so").asMap()));
    assertThat(child.parentSpanId()).isEqualTo(own.spanId());
    assertThat(child.errorType()).isEqualTo("timeout");
  }

  @Test
  void theParentDecidesWhetherATraceIsSampled() {
    Tracer tracer = new Tracer(spans::add, new SampleRatio(1), clock);
    TraceContext unsampled = new TraceContext(PARENT.traceId(), PARENT.spanId(), false, "");

    TraceContext own = tracer.context(Optional.of(unsampled));

    assertThat(own.isSampled()).isFalse();
    assertThat(tracer.begin(own, Optional.of(unsampled), "stage", Span.Kind.SERVER)).isEmpty();
  }

  @Test
  void aTracerThatIsOffRecordsNothing() {
    assertThat(Tracer.OFF.isOn()).isFalse();
    assertThat(Tracer.OFF.samples(PARENT.traceId())).isFalse();
    assertThat(Tracer.OFF.begin(PARENT, Optional.empty(), "stage", Span.Kind.SERVER)).isEmpty();
  }

  @Test
  void aClockThatIsSetBackEndsNoSpanBeforeItsStart() {
    Tracer tracer = new Tracer(spans::add, new SampleRatio(1), clock);
    LiveSpan live = tracer.begin(PARENT, Optional.empty(), "stage", Span.Kind.SERVER).orElseThrow();
    now = now.minusSeconds(60);
    live.end();

    assertThat(spans.getFirst().end()).isEqualTo(spans.getFirst().start());
  }

  @Test
  void theRatioIsThatOfTheTracesThatAreSampled() {
    SampleRatio ratio = new SampleRatio(0.05);
    long sampled = Stream.generate(TraceIds::trace).limit(20_000).filter(ratio::includes).count();

    // Six standard deviations
    assertThat(sampled / 20_000.0).isCloseTo(0.05, within(0.01));
    assertThat(new SampleRatio(1).includes("ffffffffffffffffffffffffffffffff")).isTrue();
    assertThat(new SampleRatio(0).includes("00000000000000010000000000000000")).isFalse();
    assertThatThrownBy(() -> new SampleRatio(1.01)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void idsFollowFromNames() {
    assertThat(TraceIds.traceOf("lane-1-7")).isEqualTo(TraceIds.traceOf("lane-1-7")).hasSize(32);
    assertThat(TraceIds.spanOf("lease")).isEqualTo(TraceIds.spanOf("lease")).hasSize(16);
    assertThat(TraceIds.spanOf("lease")).isNotEqualTo(TraceIds.spanOf("other"));
  }
}
