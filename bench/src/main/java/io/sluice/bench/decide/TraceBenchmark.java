package io.sluice.bench.decide;

import com.sun.net.httpserver.HttpServer;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AssignmentBuilder;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.SampleRatio;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.TraceIds;
import io.sluice.common.trace.Tracer;
import io.sluice.router.classify.Classification;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.RequestTrace;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.trace.RouterSpans;
import io.sluice.tracing.TraceSettings;
import io.sluice.tracing.Tracing;
import io.sluice.worker.trace.AttemptTrace;
import io.sluice.worker.trace.AttemptTraces;
import io.sluice.worker.trace.EngineCall;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Measures what tracing adds to a request in router and worker, and what a span's export costs. */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
public class TraceBenchmark {
  private static final int SPANS = 2_000;
  private static final long APPENDED_MILLIS = 1_800_000_000_000L;
  private static final String LEASE = "0d5e2a4c-0f36-4c2b-9a53-0c2d1f1f9a11";
  private static final EngineCall CALL =
      new EngineCall(Endpoint.CHAT_COMPLETIONS, "vllm", "m", OptionalInt.of(100), true);
  private static final Outcome.Event COMPLETED = new Outcome.Completed("stop", 100, 200, 2_000);

  /** Which requests are traced. */
  @Param({"off", "none", "all"})
  @SuppressWarnings("NullAway.Init") // set by JMH
  public String traced;

  /** The spans of a request with one attempt, made and thrown away. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @Warmup(iterations = 3, time = 1)
  @Measurement(iterations = 5, time = 1)
  public void spansOfARequest(Blackhole hole) {
    Tracer tracer =
        switch (traced) {
          case "off" -> Tracer.OFF;
          case "none" -> new Tracer(hole::consume, new SampleRatio(0), Clock.systemUTC());
          default -> new Tracer(hole::consume, new SampleRatio(1), Clock.systemUTC());
        };
    Headers headers = new RecordHeaders();
    var source = new RequestMetadata.Source("sluice.requests.2k", 3, 7);
    Optional<RequestTrace> trace = RequestTrace.of(tracer, headers, source, "request");
    var lease = new LeaseRef("request", 1, LEASE, "w1", "boot");
    attempt(tracer, assignment(lease, trace.map(it -> it.attempt(LEASE))));
    var tracked =
        new TrackedRequest(
            metadata(source, trace),
            History.NONE.leased(1, APPENDED_MILLIS + 10),
            new RequestState.Started(lease));
    new RouterSpans(tracer, () -> APPENDED_MILLIS + 2_000).ended(tracked, Optional.empty());
    hole.consume(tracked);
  }

  private static void attempt(Tracer tracer, Assignment assignment) {
    var traces = new AttemptTraces(tracer, URI.create("http://engine:8000"));
    AttemptTrace attempt = traces.begin(assignment);
    var _ = attempt.calling(CALL);
    attempt.firstToken();
    attempt.answered(
        "stop", Optional.of(new Usage(100, 200, OptionalInt.of(50), OptionalInt.empty())));
    attempt.ended(Optional.of(COMPLETED), 200);
  }

  /** A span from its making until a collector on this machine has it. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @OperationsPerInvocation(SPANS)
  @Warmup(iterations = 20)
  @Measurement(iterations = 20)
  public void export() throws IOException {
    if (!traced.equals("all")) {
      return;
    }
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    var endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    var settings = new TraceSettings(Optional.of(endpoint), 1);
    try (var tracing = Tracing.open(settings, "bench", "bench", Clock.systemUTC())) {
      var parent = new TraceContext(TraceIds.trace(), TraceIds.span(), true, "");
      for (int i = 0; i < SPANS; i++) {
        tracing
            .tracer()
            .begin(parent.at(TraceIds.span()), Optional.of(parent), "generate", Span.Kind.CONSUMER)
            .orElseThrow()
            .end();
      }
    } finally {
      server.stop(0);
    }
  }

  private static Assignment assignment(LeaseRef lease, Optional<TraceContext> trace) {
    return AssignmentBuilder.builder()
        .lease(lease)
        .router("router")
        .fresh(true)
        .foldFromOffset(OptionalLong.empty())
        .foldFromTimeMillis(APPENDED_MILLIS)
        .replyTo(new ReplyAddress("sluice.replies", 0))
        .endpoint(Endpoint.CHAT_COMPLETIONS)
        .tenant("default")
        .priority(Priority.INTERACTIVE)
        .remainingMillis(60_000)
        .ageMillis(10)
        .appendTimeMillis(APPENDED_MILLIS)
        .requestPartition(3)
        .evictions(0)
        .suspect(false)
        .trace(trace)
        .build();
  }

  private static RequestMetadata metadata(
      RequestMetadata.Source source, Optional<RequestTrace> trace) {
    return RequestMetadataBuilder.builder()
        .requestId("request")
        .requestPartition(3)
        .source(source)
        .replyTo(new ReplyAddress("sluice.replies", 0))
        .endpoint(Endpoint.CHAT_COMPLETIONS)
        .model("m")
        .lane("2k")
        .promptTokens(100)
        .outputTokens(200)
        .classification(Classification.NONE)
        .priority(Priority.INTERACTIVE)
        .tenant("default")
        .appendTimeMillis(APPENDED_MILLIS)
        .deadlineEpochMillis(APPENDED_MILLIS + 60_000)
        .firstTokenByMillis(OptionalLong.empty())
        .fresh(true)
        .estimatedTokens(100)
        .trace(trace)
        .build();
  }
}
