package io.sluice.worker.testing;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AssignmentBuilder;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.Tracer;
import io.sluice.worker.answer.Gathering;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.generation.AssignedRequest;
import io.sluice.worker.generation.EngineRun;
import io.sluice.worker.generation.EngineTally;
import io.sluice.worker.generation.Generation;
import io.sluice.worker.generation.GenerationMeter;
import io.sluice.worker.generation.HeldMemory;
import io.sluice.worker.generation.Services;
import io.sluice.worker.trace.AttemptTraces;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** All that a generation works with, in memory. */
public final class Surroundings {
  public static final String REQUEST = "r-1";
  public static final String TENANT = "acme";
  public static final String FALLBACK_MODEL = "mini";
  public static final Duration GATHER = Duration.ofMillis(20);

  public final ManualTime time = new ManualTime();
  public final MemoryLog log = new MemoryLog();
  public final EngineTally tally = new EngineTally();
  public final ScriptedEngine engine = new ScriptedEngine(time);
  public final List<String> ways = new ArrayList<>();
  public final List<EngineRun> runs = new ArrayList<>();
  public EngineClient serving = engine;
  public Duration gather = GATHER;
  public HeldMemory memory = HeldMemory.of(64 * 1024 * 1024);
  public AttemptTraces traces = new AttemptTraces(Tracer.OFF, URI.create("http://engine:8000"));
  public volatile boolean hasCompany;
  public volatile EngineCheck.Condition condition = EngineCheck.Condition.UP;

  /** Of the engine, that the next look finds. */
  public volatile int deaths;

  private volatile long life;
  public EngineFacts facts = new EngineFacts(List.of("m"), Optional.empty(), EngineDialects.SGLANG);

  public Services services() {
    return new Services(
        serving,
        () -> facts,
        log,
        log,
        time,
        new GenerationMeter() {
          @Override
          public void firstToken(Duration sinceAppend, Optional<TraceContext> trace) {}

          @Override
          public void tokens(int count) {}

          @Override
          public void continued(String way) {
            ways.add(way);
          }

          @Override
          public void ran(EngineRun run) {
            runs.add(run);
          }

          @Override
          public void outcome(Outcome outcome) {}
        },
        tally,
        new EngineCheck() {
          @Override
          public CompletableFuture<Condition> condition() {
            life += deaths;
            deaths = 0;
            return CompletableFuture.completedFuture(condition);
          }

          @Override
          public long life() {
            return life;
          }
        },
        memory,
        traces,
        Gathering.ofStream(gather),
        Gathering.ofWholeAnswer(Duration.ofSeconds(2)));
  }

  /** Returns the generation of an attempt, on a lease of that name. */
  public Generation generation(int attempt, String lease, String body) {
    return generation(assignment(attempt, lease, attempt == 1), body);
  }

  public Generation generation(Assignment assignment, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return new Generation(
        services(),
        new AssignedRequest(
            assignment,
            bytes,
            Optional.of(new byte[] {1, 2, 3}),
            traces.begin(assignment),
            time.nanos()),
        memory.tryBegin(bytes).orElseThrow(),
        any -> hasCompany);
  }

  /** Returns the same of a request of which another worker may have died. */
  public Assignment suspect(int attempt, String lease) {
    var headers = new RecordHeaders();
    assignment(attempt, lease, attempt == 1).writeTo(headers);
    HeaderText.set(headers, HeaderNames.SUSPECT, "true");
    return Assignment.parse(headers).orElseThrow();
  }

  public Assignment assignment(int attempt, String lease, boolean fresh) {
    return assignment(attempt, lease, fresh, Endpoint.CHAT_COMPLETIONS, false);
  }

  /** As the first attempt of a bulk request with a day's time, that was evicted so often. */
  public Assignment bulk(String lease, int evictions) {
    return AssignmentBuilder.builder(assignment(1, lease, true))
        .priority(Priority.BULK)
        .remainingMillis(Priority.BULK.defaultTimeout().toMillis())
        .evictions(evictions)
        .build();
  }

  public Assignment assignment(
      int attempt, String lease, boolean fresh, Endpoint endpoint, boolean fallback) {
    return AssignmentBuilder.builder()
        .lease(new LeaseRef(REQUEST, attempt, lease, "w", "i-1"))
        .router("router-1")
        .fresh(fresh)
        .foldFromOffset(OptionalLong.empty())
        .foldFromTimeMillis(ManualTime.START_MILLIS - 1_000)
        .replyTo(new ReplyAddress("sluice.replies", 0))
        .endpoint(endpoint)
        .tenant(TENANT)
        .priority(Priority.INTERACTIVE)
        .remainingMillis(60_000)
        .ageMillis(100)
        .appendTimeMillis(ManualTime.START_MILLIS - 100)
        .requestPartition(3)
        .evictions(0)
        .suspect(false)
        .fallbackModel(fallback ? Optional.of(FALLBACK_MODEL) : Optional.empty())
        .build();
  }
}
