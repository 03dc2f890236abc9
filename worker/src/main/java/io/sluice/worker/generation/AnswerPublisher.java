package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.TokenNotes;
import io.sluice.worker.answer.Answer;
import io.sluice.worker.answer.FrameHold;
import io.sluice.worker.answer.Gathering;
import io.sluice.worker.answer.HiddenIds;
import io.sluice.worker.answer.TokenGatherer;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.resume.IdUse;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** Collects the frames of an engine, and writes them to the log as records. Not thread-safe. */
final class AnswerPublisher {
  private final OpenAiRequest body;
  private final Continuation continuation;
  private final ReplyWriter writer;
  private final HeldMemory.Part memory;
  private final FrameHold hold;
  private final HiddenIds hidden;
  private final TokenGatherer gather;
  private final Answer answer;

  /**
   * A publisher without frames.
   *
   * @param ids what token ids are asked for
   */
  AnswerPublisher(Attempt attempt, OpenAiRequest body, Continuation continuation, IdUse ids) {
    this.body = body;
    this.continuation = continuation;
    this.writer = attempt.writer();
    this.memory = attempt.memory();
    this.hold = new FrameHold(ids == IdUse.RESUME, body);
    this.hidden = new HiddenIds(ids, body, continuation);
    Services services = attempt.services();
    Gathering gathering = body.isStream() ? services.streams() : services.wholeAnswers();
    boolean isSuspect = attempt.request().assignment().suspect();
    this.gather =
        new TokenGatherer(isSuspect ? gathering.firstAtOnce() : gathering, services.ticker());
    this.answer = new Answer(body.isStream(), continuation, envelope(attempt.request()));
  }

  private AnswerEnvelope envelope(AssignedRequest request) {
    boolean isChat = body.endpoint() == Endpoint.CHAT_COMPLETIONS;
    String id = (isChat ? "chatcmpl-" : "cmpl-") + request.assignment().lease().requestId();
    long seconds = request.assignment().appendTimeMillis() / 1_000;
    return new AnswerEnvelope(
        body.endpoint(), new AnswerEnvelope.Origin(id, seconds), request.model(body));
  }

  /** Takes the next frame of the engine. */
  void take(EngineEvent.Tokens tokens) {
    for (EngineEvent.Tokens held : hold.add(tokens)) {
      hidden.shown(held).ifPresent(this::pass);
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

  /** Returns whether tokens wait for their record. */
  boolean hasTokens() {
    return gather.hasTokens();
  }

  /** Returns how long these may still wait; zero if they are due. */
  Duration untilDue() {
    return gather.untilDue();
  }

  /**
   * Makes a record of the tokens that wait.
   *
   * @param promptTokens the prompt's length as the engine counts it, if that is known
   * @return writes the record
   */
  Runnable prepare(OptionalInt promptTokens) {
    TokenGatherer.Batch batch = gather.take(body.endpoint());
    ObjectNode chunk = answer.envelope().chunk(batch.choices());
    chunk.setAll(batch.extraFields());
    boolean isFirst = continuation.tokens() == 0 && !writer.hasTokens();
    TokenNotes notes =
        body.isOneAnswer()
            ? answer.notes(isFirst ? promptTokens : OptionalInt.empty())
            : TokenNotes.NONE;
    List<Integer> kept = continuation.keepsIds() ? batch.tokenIds() : List.of();
    byte[] value = Json.bytes(chunk);
    return () -> writer.tokens(batch.count(), kept, notes, value);
  }

  /**
   * Writes the final record. A completion that is not streamed has all tokens in it, those that
   * wait as well.
   */
  CompletableFuture<Long> finish() {
    return writer.finish(answer.finalValue());
  }

  /** Returns what has been collected. */
  Answer answer() {
    return answer;
  }
}
