package io.sluice.worker.generation;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.Slack;
import io.sluice.worker.evict.RunningRequest;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.resume.Resumability;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to answer one request, from its acceptance to its outcome. Runs once, on a thread of
 * its own, which it may block. {@link #stop} and the getters may be called from any thread.
 */
public final class Generation implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Generation.class);

  private final Services services;
  private final AssignedRequest request;
  private final ReplyWriter writer;
  private final LeaseSupervisor lease;
  private final SuspectIsolation isolation;
  private final TokenLoad load;
  private final HeldMemory.Part memory;
  private final long sinceNanos;
  private volatile Extent extent = Extent.UNKNOWN;

  /**
   * What is known about the request once its body is parsed.
   *
   * @param maxTokens the most output tokens over all attempts; empty if the engine decides
   * @param isResumable whether another attempt could continue after its tokens
   * @param earlierTokens output tokens that earlier attempts made
   */
  private record Extent(OptionalInt maxTokens, boolean isResumable, int earlierTokens) {
    static final Extent UNKNOWN = new Extent(OptionalInt.empty(), true, 0);
  }

  /**
   * A generation that has not begun.
   *
   * @param memory what it holds; it gives all of it back
   * @param hasUnprovenOthers whether another generation of the worker has no token in the log yet
   */
  public Generation(
      Services services,
      AssignedRequest request,
      HeldMemory.Part memory,
      Predicate<Generation> hasUnprovenOthers) {
    this.services = services;
    this.request = request;
    this.writer = new ReplyWriter(services.log(), services.ticker(), request, "");
    this.lease = new LeaseSupervisor(services, request, writer);
    this.isolation = new SuspectIsolation(services, lease, () -> hasUnprovenOthers.test(this));
    this.load = new TokenLoad(request.body().length);
    this.memory = memory;
    this.sinceNanos = services.ticker().nanos();
  }

  @Override
  public void run() {
    long start = services.ticker().nanos();
    Optional<Outcome.Event> end;
    try (memory) {
      end = attempt();
    }
    if (end.isPresent()) {
      var _ = report(end.get());
    }
    request.trace().ended(end, writer.acknowledged());
    log.info(
        "event=generation_ended request={} attempt={} lease={} outcome={} tokens={} millis={}",
        lease().requestId(),
        lease().attempt(),
        lease().lease(),
        end.map(event -> event.getClass().getSimpleName()).orElse("none"),
        end.map(this::tokensIn).orElseGet(writer::acknowledged),
        services.ticker().since(start).toMillis());
  }

  /** Stops the generation; it ends within about a second. */
  public void stop(StopReason reason) {
    lease.stop(reason);
  }

  /**
   * Changes the deadline and the priority. Takes effect within a progress interval, about two
   * seconds.
   */
  public void amend(Amendment amendment) {
    lease.amend(amendment);
  }

  /** Returns the present priority of its request. */
  public Priority priority() {
    return lease.priority();
  }

  /** Returns the request as the evictor sees it; empty if it is being stopped already. */
  public Optional<RunningRequest> asRunningRequest() {
    Extent known = extent;
    int made = Math.max(load.outputTokens(), known.earlierTokens());
    return lease.isStopping()
        ? Optional.empty()
        : Optional.of(
            new RunningRequest(
                lease().lease(),
                isBulk(),
                known.isResumable(),
                sinceNanos,
                contextTokens(),
                made,
                made - known.earlierTokens(),
                known.maxTokens(),
                request.assignment().evictions()));
  }

  /** Bulk work that is deadline-critical is not treated as bulk. */
  private boolean isBulk() {
    long ageMillis = request.age(services.ticker()).toMillis();
    return lease.priority() == Priority.BULK
        && Slack.endsAtMillis(-ageMillis, lease.untilDeadline().toMillis()) > 0;
  }

  /** Returns the lease under which it runs. */
  public LeaseRef lease() {
    return request.assignment().lease();
  }

  /** Returns the router that assigned it. */
  public String router() {
    return request.assignment().router();
  }

  /** Returns whether the request is a suspect, and this attempt has no token in the log yet. */
  public boolean isSuspect() {
    return request.assignment().suspect() && !isProven();
  }

  /**
   * Returns whether a token that this attempt made is in the log. This proves to routers that the
   * request does not kill its worker.
   */
  public boolean isProven() {
    return writer.isFirstAcknowledged();
  }

  /** Returns whether the worker has memory for other requests. */
  public boolean leavesMemory() {
    return !services.memory().isNearlyFull();
  }

  /** Returns whether it has made any tokens. */
  public boolean hasStarted() {
    return load.hasOutput();
  }

  /** Returns whether it has made no tokens yet, or none for at least this long. */
  public boolean isSilentFor(Duration time) {
    return !hasStarted() || services.ticker().since(load.lastNanos()).compareTo(time) > 0;
  }

  /**
   * Returns whether its tokens span at least this time, and the last one is not older than that.
   */
  public boolean hasStreamedFor(Duration time) {
    return load.span().compareTo(time) >= 0 && !isSilentFor(time);
  }

  /** Context tokens that it uses in the engine, estimated until the engine reports its usage. */
  public long contextTokens() {
    return load.tokens();
  }

  /** Prompt tokens as long as the engine has made no output; then 0. */
  public long waitingPromptTokens() {
    return load.hasOutput() ? 0 : load.promptTokens();
  }

  private Optional<Outcome.Event> attempt() {
    try {
      if (request.assignment().suspect()) {
        isolation.enter(() -> report(new Outcome.Accepted()));
      } else {
        var _ = report(new Outcome.Accepted());
      }
      return Optional.of(answer());
    } catch (AttemptEndedException over) {
      return over.event();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (RuntimeException e) {
      log.error(
          "event=generation_broken request={} lease={}", lease().requestId(), lease().lease(), e);
      return Optional.of(
          new Outcome.Failed(
              FailureCode.WORKER_ERROR,
              "the worker failed: " + e.getClass().getSimpleName(),
              writer.acknowledged()));
    }
  }

  private Outcome.Event answer() throws AttemptEndedException, InterruptedException {
    Assignment assignment = request.assignment();
    OpenAiRequest body = parse(assignment);
    load.estimate(request.body().length - body.mediaCharacters());
    writer.servedBy(request.model(body));
    var attempt = new Attempt(services, request, writer, lease, load, memory);
    Optional<Claim> claim =
        Claim.isNeeded(assignment) ? Optional.of(new Claim(attempt, body)) : Optional.empty();
    Continuation continuation = claim.isPresent() ? claim.get().take() : Continuation.fromStart();
    while (true) {
      extent =
          new Extent(
              body.maxTokens(),
              Resumability.onEngine(body, services.engineFacts().get().dialect()),
              continuation.tokens());
      try {
        return new GenerationRun(attempt, body, claim, continuation).run();
      } catch (OtherContinuationException other) {
        continuation = other.continuation();
      }
    }
  }

  private OpenAiRequest parse(Assignment assignment)
      throws AttemptEndedException, InterruptedException {
    try {
      return OpenAiRequest.parse(assignment.endpoint(), request.body());
    } catch (IOException e) {
      ErrorKind kind = ErrorKind.INVALID_REQUEST;
      String message = "the body is not a JSON object";
      throw lease.fail(kind, message, new Outcome.Rejected(kind, 0, message, true));
    }
  }

  /** The log's acknowledgement of the last tokens may come after that of the end. */
  private int tokensIn(Outcome.Event end) {
    return end instanceof Outcome.Completed completed
        ? completed.completionTokens()
        : writer.acknowledged();
  }

  private CompletableFuture<Long> report(Outcome.Event event) {
    var outcome = new Outcome(lease(), event);
    services.meter().outcome(outcome);
    return services.log().report(request.assignment().requestPartition(), outcome);
  }
}
