package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.reply.TokenNotes;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.resume.EngineBody;
import io.sluice.worker.resume.IdUse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** Runs one generation on the engine and publishes its tokens. Runs once, on one thread. */
final class GenerationRun {
  /** How often to check for the first acknowledgement, so that the router learns of it soon. */
  private static final Duration START_CHECK = Duration.ofMillis(20);

  /** Twice what a record may have, because the size of an answer is estimated. */
  private static final long MOST_ANSWER_BYTES = 2L * 9 * 1024 * 1024;

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
  private final FrameHold hold;
  private final HiddenIds hidden;
  private final TokenGatherer gather;
  private final Answer answer;
  private final RunMeasurements measured;
  private boolean isStartReported;

  GenerationRun(
      Services services,
      AssignedRequest request,
      OpenAiRequest body,
      Optional<Claim> claim,
      Continuation continuation,
      ReplyWriter writer,
      LeaseSupervisor lease,
      TokenLoad load,
      HeldMemory.Part memory) {
    this.services = services;
    this.request = request;
    this.body = body;
    this.claim = claim;
    this.continuation = continuation;
    this.writer = writer;
    this.lease = lease;
    this.load = load;
    this.memory = memory;
    this.ids = IdUse.of(body, services.engineFacts().get().dialect());
    this.hold = new FrameHold(ids == IdUse.RESUME, body);
    this.hidden = new HiddenIds(ids, body, continuation);
    Gathering gathering = body.isStream() ? services.streams() : services.wholeAnswers();
    this.gather =
        new TokenGatherer(
            request.assignment().suspect() ? gathering.firstAtOnce() : gathering,
            services.ticker());
    this.answer = new Answer(body.isStream(), continuation, envelope());
    this.measured = new RunMeasurements(services, request, continuation, load);
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
      if (gather.untilDue().isZero()) {
        publish();
      }
      reportStart(writer.isFirstAcknowledged());
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
    for (EngineEvent.Tokens held : hold.add(tokens)) {
      hidden.shown(held).ifPresent(this::pass);
    }
    if (memory.answerBytes() > MOST_ANSWER_BYTES) {
      throw new EngineException(
          new EngineFailure.Rejected(0, ErrorKind.ANSWER_TOO_LARGE, TOO_LARGE, false));
    }
    if (memory.mustLeave()) {
      memory.close();
      throw lease.returned(Outcome.ReturnReason.NO_SLOT);
    }
  }

  private void pass(EngineEvent.Tokens frame) {
    answer.add(frame);
    gather.add(frame);
    writer.servedBy(answer.envelope().model());
    if (!body.isStream()) {
      memory.answered(Answer.bytesOf(frame));
    }
  }

  private void publish() throws AttemptEndedException, InterruptedException {
    TokenGatherer.Batch batch = gather.take(body.endpoint());
    ObjectNode chunk = answer.envelope().chunk(batch.choices());
    chunk.setAll(batch.extraFields());
    boolean isFirst = continuation.tokens() == 0 && !writer.hasTokens();
    TokenNotes notes =
        body.isOneAnswer()
            ? answer.notes(isFirst ? measured.promptTokens() : OptionalInt.empty())
            : TokenNotes.NONE;
    List<Integer> kept = continuation.keepsIds() ? batch.tokenIds() : List.of();
    byte[] value = Json.bytes(chunk);
    if (request.assignment().suspect() && !isStartReported && writer.firstOffset().isPresent()) {
      // A worker that dies between its first token and this report would seem to have died of it.
      // What could kill it is done by now.
      lease.awaitOrStop(reportStart(writer.firstOffset().getAsLong()));
    }
    writer.tokens(batch.count(), kept, notes, value);
  }

  /**
   * The rest of a stream is published as tokens. A completion that is not streamed has all of it in
   * its final record.
   */
  private Outcome.Event completed() throws AttemptEndedException, InterruptedException {
    if (gather.hasTokens() && body.isStream()) {
      publish();
    }
    lease.await(writer.finish(answer.finalValue()));
    reportStart(true);
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
    if (gather.hasTokens() && lease.mayWrite()) {
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
    Optional<Continuation> start = claim.flatMap(it -> it.restart(rejected.message()));
    if (start.isPresent()) {
      throw new OtherContinuationException(start.get());
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

  private void reportStart(boolean isAcknowledged) {
    if (!isStartReported && isAcknowledged && writer.firstOffset().isPresent()) {
      var _ = reportStart(writer.firstOffset().getAsLong());
    }
  }

  private CompletableFuture<Long> reportStart(long firstOffset) {
    isStartReported = true;
    Assignment assignment = request.assignment();
    Outcome.Event started =
        new Outcome.Started(
            assignment.replyTo().topic(),
            assignment.replyTo().partition(),
            firstOffset,
            measured.ttftMillis(),
            measured.cachedTokens());
    var outcome = new Outcome(assignment.lease(), started);
    services.meter().outcome(outcome);
    return services.log().report(assignment.requestPartition(), outcome);
  }

  private Duration patience() {
    Duration patience = shorter(lease.patience(), gather.untilDue());
    boolean isStarting = writer.hasTokens() && !isStartReported;
    return isStarting ? shorter(patience, START_CHECK) : patience;
  }

  private EngineRequest engineRequest() {
    return EngineRequests.of(request, body, services.engineFacts().get(), continuation, ids);
  }

  private AnswerEnvelope envelope() {
    boolean isChat = body.endpoint() == Endpoint.CHAT_COMPLETIONS;
    String id = (isChat ? "chatcmpl-" : "cmpl-") + request.assignment().lease().requestId();
    long seconds = request.assignment().appendTimeMillis() / 1_000;
    return new AnswerEnvelope(body.endpoint(), new AnswerEnvelope.Origin(id, seconds), model());
  }

  /** Returns the model under which the request is served. */
  private String model() {
    return request.assignment().fallbackModel().orElse(body.model());
  }

  private void ran(int promptTokens, Optional<String> error) {
    services.meter().ran(measured.run(body.endpoint(), model(), promptTokens, error));
  }

  private static Optional<String> errorOf(Outcome.Event event) {
    return event instanceof Outcome.Failed failed
        ? Optional.of(failed.code().code())
        : Optional.empty();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
