package io.sluice.router.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.trace.SampleRatio;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.Tracer;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import io.sluice.router.request.RequestState.Leased;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestTrace;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.TestRequest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The spans that a router makes of a request's stored value. */
class RouterSpansTest {
  private static final RequestTrace TRACE =
      new RequestTrace(
          "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00f067aa0ba902b7", "");
  private static final LeaseRef FIRST = new LeaseRef("r", 1, "lease-1", "w1", "boot");
  private static final LeaseRef SECOND = new LeaseRef("r", 2, "lease-2", "w2", "boot");

  private final List<Span> spans = new ArrayList<>();
  private final RequestMetadata metadata =
      RequestMetadataBuilder.builder(new TestRequest("r").metadata())
          .trace(Optional.of(TRACE))
          .build();
  private final long appended = metadata.appendTimeMillis();
  private final RouterSpans router =
      new RouterSpans(
          new Tracer(spans::add, new SampleRatio(0), Clock.systemUTC()), () -> appended + 900);

  @Test
  void aRequestThatSurvivedAWorkerHasASpanPerWaitAndAttempt() {
    // Given
    History history =
        History.NONE
            .leased(1, appended + 100)
            .ended(FIRST, AttemptEnd.of(AttemptEnd.Reason.LOST, "worker_silent"), at(400))
            .leased(2, appended + 500);

    // When
    router.ended(new TrackedRequest(metadata, history, new Leased(SECOND)), Optional.empty());

    // Then
    assertThat(drawn())
        .containsExactly(
            "request 0-900",
            "queue 0-100",
            "attempt 100-400 worker_silent",
            "queue 400-500",
            "attempt 500-900");
    assertThat(spans.getFirst().context()).isEqualTo(TRACE.request());
    assertThat(spans.getFirst().parentSpanId()).isEqualTo(TRACE.parentSpanId());
    assertThat(spans.stream().skip(1)).extracting(Span::parentSpanId).containsOnly(TRACE.spanId());
    assertThat(spans.get(4).context()).isEqualTo(TRACE.attempt("lease-2"));
    assertThat(spans.get(4).attributes())
        .containsEntry("sluice.attempt", 2L)
        .containsEntry("sluice.worker.id", "w2")
        .containsEntry("sluice.outcome", "completed");
    assertThat(spans).extracting(span -> span.context().spanId()).doesNotHaveDuplicates();
  }

  @Test
  void aRequestThatWasNeverSentHasOnlyWaited() {
    router.ended(
        new TrackedRequest(metadata, History.NONE, Pending.received()),
        Optional.of(ErrorKind.OVERLOADED));

    assertThat(drawn()).containsExactly("request 0-900 overloaded", "queue 0-900 overloaded");
  }

  @Test
  void theErrorThatAWorkerReportedIsThatOfItsAttempt() {
    History history =
        History.NONE
            .leased(1, appended + 100)
            .ended(FIRST, AttemptEnd.of(AttemptEnd.Reason.FAILED, "invalid_request"), at(200));

    router.ended(
        new TrackedRequest(metadata, history, new Leased(FIRST)),
        Optional.of(ErrorKind.INVALID_REQUEST));

    assertThat(drawn())
        .containsExactly(
            "request 0-900 invalid_request", "queue 0-100", "attempt 100-200 invalid_request");
  }

  @Test
  void aRequestThatIsNotTracedHasNoSpans() {
    router.ended(
        new TrackedRequest(new TestRequest("r").metadata(), History.NONE, Pending.received()),
        Optional.empty());

    assertThat(spans).isEmpty();
  }

  private TimePoint at(long millis) {
    return new TimePoint(appended + millis, 0);
  }

  private List<String> drawn() {
    return spans.stream()
        .map(
            span ->
                "%s %d-%d %s"
                    .formatted(
                        span.name(),
                        span.start().toEpochMilli() - appended,
                        span.end().toEpochMilli() - appended,
                        span.errorType())
                    .strip())
        .toList();
  }
}
