package io.sluice.worker.generation;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Outcome;
import io.sluice.worker.answer.Answer;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.resume.EngineBody;
import io.sluice.worker.resume.IdUse;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Runs one generation on the engine and publishes its tokens. Runs once, on one thread. */
final class GenerationRun {
  private static final String TOO_LARGE =
      "the answer is larger than a record may be; lower max_tokens, top_logprobs or n, or request a stream";

  private final Services services;
  private final AssignedRequest request;
  private final OpenAiRequest body;
  private final Optional<Claim> claim;
  private final Continuation continuation;
  private final ReplyWriter writer;
  private final LeaseSupervisor lease;
  private final TokenLoad load;
  private final HeldMemory.Part memory;
  private final IdUse ids;
  private final AnswerPublisher publisher;
  private final Answer answer;
  private final RunMeasurements measured;
  private final StartReport start;

  GenerationRun(
      Attempt attempt, OpenAiRequest body, Optional<Claim> claim, Continuation continuation) {
    this.services = attempt.services();
    this.request = attempt.request();
    this.body = body;
    this.claim = claim;
    this.continuation = continuation;
    this.writer = attempt.writer();
    this.lease = attempt.lease();
    this.load = attempt.load();
    this.memory = attempt.memory();
    this.ids = IdUse.of(body, services.engineFacts().get().dialect());
    this.publisher = new AnswerPublisher(attempt, body, continuation, ids);
    this.answer = publisher.answer();
    this.measured = new RunMeasurements(attempt, continuation);
    this.start = new StartReport(attempt, measured);
  }

  /**
   * Returns how the request has ended.
   *
   * @throws OtherContinuationException if another run has to do it, in another way; then this one
   *     has published nothing
   */
  Outcome.Event run()
      throws AttemptEndedException, OtherContinuationException, InterruptedException {
    lease.check();
    if (continuation instanceof Continuation.Finished finished) {
      answer.finish(finished);
      return completed();
    }
    try (EngineStream stream = services.engine().open(engineRequest())) {
      lease.runs(stream);
      return follow(stream);
    } catch (EngineException e) {
      if (!EngineBody.isStreamed(body) && e.failure() instanceof EngineFailure.Unable) {
        // It comes in place of the whole answer, which the engine may have worked on.
        lease.begun();
      }
      throw failed(e.failure());
    }
  }

  private Outcome.Event follow(EngineStream stream)
      throws EngineException,
          AttemptEndedException,
          OtherContinuationException,
          InterruptedException {
    while (true) {
      Optional<EngineEvent> event = stream.next(patience());
      if (event.isPresent()) {
        lease.begun();
        confirm();
        switch (event.get()) {
          case EngineEvent.Head ignored -> {}
          case EngineEvent.Tokens tokens -> take(tokens);
          case EngineEvent.Finish finish -> {
            answer.finish(finish);
            request.trace().answered(answer.finishReason(), answer.usage());
            Outcome.Event completed = completed();
            ran(answer.usage().map(Usage::promptTokens).orElse(0), Optional.empty());
            return completed;
          }
        }
      }
      if (publisher.untilDue().isZero()) {
        publish();
      }
      start.sendIfDue();
      lease.check();
    }
  }

  private void confirm()
      throws AttemptEndedException, OtherContinuationException, InterruptedException {
    if (claim.isPresent()) {
      Optional<Continuation> other = claim.get().confirm();
      if (other.isPresent()) {
        throw new OtherContinuationException(other.get());
      }
    }
  }

  private void take(EngineEvent.Tokens tokens)
      throws EngineException, AttemptEndedException, InterruptedException {
    measured.took(tokens);
    publisher.take(tokens);
    if (memory.isAnswerTooLarge()) {
      throw new EngineException(
          new EngineFailure.Rejected(0, ErrorKind.ANSWER_TOO_LARGE, TOO_LARGE, false));
    }
    if (memory.mustLeave()) {
      memory.close();
      throw lease.returned(Outcome.ReturnReason.NO_SLOT);
    }
  }

  private void publish() throws AttemptEndedException, InterruptedException {
    Runnable write = publisher.prepare(measured.promptTokens());
    start.awaitOfSuspect();
    write.run();
  }

  /**
   * The rest of a stream is published as tokens. A completion that is not streamed has all of it in
   * its final record.
   */
  private Outcome.Event completed() throws AttemptEndedException, InterruptedException {
    if (publisher.hasTokens() && body.isStream()) {
      publish();
    }
    lease.await(publisher.finish());
    start.send();
    Optional<Usage> usage = answer.usage();
    return new Outcome.Completed(
        answer.finishReason(),
        usage.map(Usage::promptTokens).orElse(0),
        usage.map(Usage::completionTokens).orElse(load.outputTokens()),
        measured.duration().toMillis(),
        usage
            .map(Usage::cachedTokens)
            .filter(OptionalInt::isPresent)
            .orElse(measured.cachedTokens()));
  }

  private AttemptEndedException failed(EngineFailure failure)
      throws AttemptEndedException, OtherContinuationException, InterruptedException {
    if (publisher.hasTokens() && lease.mayWrite()) {
      publish();
    }
    lease.check();
    if (failure instanceof EngineFailure.Rejected rejected) {
      boolean isByEngine = rejected.status() > 0;
      return isByEngine && continuation.tokens() > 0 ? notContinued(rejected) : rejected(rejected);
    }
    return fault(failure);
  }

  private AttemptEndedException fault(EngineFailure failure)
      throws AttemptEndedException, InterruptedException {
    lease.await(writer.whole());
    Outcome.Event failed = lease.failed(failure);
    ran(measured.promptTokens().orElse(0), errorOf(failed));
    return AttemptEndedException.with(failed);
  }

  /** What the engine rejects is not what the caller wrote, so the caller is not told. */
  private AttemptEndedException notContinued(EngineFailure.Rejected rejected)
      throws AttemptEndedException, OtherContinuationException, InterruptedException {
    Optional<Continuation> restart = claim.flatMap(it -> it.restart(rejected.message()));
    if (restart.isPresent()) {
      throw new OtherContinuationException(restart.get());
    }
    return fault(rejected.asFault());
  }

  private AttemptEndedException rejected(EngineFailure.Rejected rejected)
      throws AttemptEndedException, OtherContinuationException, InterruptedException {
    confirm();
    EngineFailure.Rejected told = told(rejected);
    ran(measured.promptTokens().orElse(0), Optional.of(told.kind().code()));
    return lease.fail(told.kind(), told.message(), lease.failed(told));
  }

  /**
   * If the caller allows at least one token, the refused limit is the one that the engine lowered:
   * the prompt leaves no room in the context.
   */
  private EngineFailure.Rejected told(EngineFailure.Rejected rejected) {
    boolean isTooLong = rejected.blamesLimit() && body.allowsTokens();
    return isTooLong ? rejected.as(ErrorKind.CONTEXT_LENGTH_EXCEEDED) : rejected;
  }

  private Duration patience() {
    Duration patience = lease.patience();
    Duration untilDue = publisher.untilDue();
    return start.patience(patience.compareTo(untilDue) < 0 ? patience : untilDue);
  }

  private EngineRequest engineRequest() {
    return EngineRequests.of(request, body, services.engineFacts().get(), continuation, ids);
  }

  private void ran(int promptTokens, Optional<String> error) {
    services.meter().ran(measured.run(body.endpoint(), request.model(body), promptTokens, error));
  }

  private static Optional<String> errorOf(Outcome.Event event) {
    return event instanceof Outcome.Failed failed
        ? Optional.of(failed.code().code())
        : Optional.empty();
  }
}
