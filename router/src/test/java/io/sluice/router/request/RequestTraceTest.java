package io.sluice.router.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.HeaderText;
import io.sluice.common.trace.SampleRatio;
import io.sluice.common.trace.Tracer;
import java.time.Clock;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class RequestTraceTest {
  private static final RequestMetadata.Source SOURCE =
      new RequestMetadata.Source("sluice.requests.2k", 3, 7);
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0";

  private final Tracer all = new Tracer(span -> {}, new SampleRatio(1), Clock.systemUTC());
  private final Tracer none = new Tracer(span -> {}, new SampleRatio(0), Clock.systemUTC());

  @Test
  void theCallerDecidesWhetherItsRequestIsTraced() {
    RequestTrace trace = of(none, caller(PARENT + "1")).orElseThrow();

    assertThat(trace.traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(trace.parentSpanId()).isEqualTo("b7ad6b7169203331");
    assertThat(trace.request().isSampled()).isTrue();
    assertThat(of(all, caller(PARENT + "0"))).isEmpty();
  }

  @Test
  void withoutACallersContextTheRouterBeginsATrace() {
    RequestTrace trace = of(all, new RecordHeaders()).orElseThrow();

    assertThat(trace.parentSpanId()).isEmpty();
    assertThat(of(none, new RecordHeaders())).isEmpty();
    assertThat(of(all, caller("garbage"))).contains(trace);
  }

  @Test
  void aRequestThatIsReadAgainHasTheSameTrace() {
    assertThat(of(all, new RecordHeaders())).isEqualTo(of(all, new RecordHeaders()));
  }

  @Test
  void anAttemptHasTheSamePlaceInEveryRouter() {
    RequestTrace trace = of(all, new RecordHeaders()).orElseThrow();

    assertThat(trace.attempt("lease")).isEqualTo(trace.attempt("lease"));
    assertThat(trace.attempt("lease")).isNotEqualTo(trace.attempt("other"));
    assertThat(trace.attempt("lease").traceId()).isEqualTo(trace.traceId());
  }

  @Test
  void nothingIsTracedWhileTracingIsOff() {
    assertThat(of(Tracer.OFF, caller(PARENT + "1"))).isEmpty();
  }

  private static Optional<RequestTrace> of(Tracer tracer, Headers headers) {
    return RequestTrace.of(tracer, headers, SOURCE, "r");
  }

  private static Headers caller(String traceparent) {
    return HeaderText.put(new RecordHeaders(), "traceparent", traceparent);
  }
}
