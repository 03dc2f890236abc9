package io.sluice.worker.generation;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineDialect;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.reply.PartialReply;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decides how an answer that the log holds a part of can be continued: by its token ids where the
 * engine takes them, else by its text, else not at all. For one thread.
 */
final class Resumption {
  private static final String LENGTH = "length";

  private final EngineDialect dialect;
  private final RequestBody body;
  private final Assignment assignment;
  private final PromptTokens prompts;

  Resumption(Services services, AssignedRequest request, RequestBody body) {
    EngineFacts engine = services.engineFacts().get();
    this.dialect = engine.dialect();
    this.body = body;
    this.assignment = request.assignment();
    this.prompts =
        new PromptTokens(
            services.engine(), body, engine.engineModel(body.model(), assignment.fallbackModel()));
  }

  /**
   * How to go on; empty if the answer has to be restarted.
   *
   * @throws EngineException if the engine cannot be asked, so that nobody knows
   */
  Optional<Continuation> of(PartialReply reply) throws EngineException, InterruptedException {
    if (!reply.hasBeginning() || !reply.isMadeBy(assignment.isFallback())) {
      return Optional.empty();
    }
    if (reply.fold().tokens() == 0) {
      return reply.isPlainText()
          ? Optional.of(new Continuation.FromStart(reply))
          : Optional.empty();
    }
    boolean isResumable = reply.isPlainText() && Resumability.ofRequest(body);
    if (reply.end().isPresent() && (body.isStream() || isResumable)) {
      PartialReply.End end = reply.end().get();
      return Optional.of(new Continuation.Finished(reply, end.finishReason(), end.stopReason()));
    }
    if (!isResumable || Resumability.endsInsideStop(reply.text(), body.stopTexts())) {
      return Optional.empty();
    }
    OptionalInt most = body.maxTokens();
    if (most.isPresent() && reply.fold().tokens() >= Math.max(1, most.getAsInt())) {
      return Optional.of(new Continuation.Finished(reply, LENGTH, Optional.empty()));
    }
    Optional<Continuation> byIds = byIds(reply);
    return byIds.isPresent() ? byIds : byText(reply);
  }

  private Optional<Continuation> byIds(PartialReply reply)
      throws EngineException, InterruptedException {
    Optional<List<Integer>> outputIds = reply.tokenIds();
    if (!Resumability.byIds(body, dialect)
        || outputIds.isEmpty()
        || reply.promptTokens().isEmpty()) {
      return Optional.empty();
    }
    Optional<PromptTokens.Prompt> prompt = prompts.ask();
    // Whatever this engine's template and truncation make of it: the stream had that many.
    if (prompt.isEmpty()
        || prompt.get().ids().size() != reply.promptTokens().getAsInt()
        || !prompts.isWholeText(outputIds.get(), reply.text())) {
      return Optional.empty();
    }
    int taken = prompt.get().ids().size() + reply.fold().tokens();
    int room = prompt.get().maxModelLen().orElse(Integer.MAX_VALUE) - taken;
    boolean isUnlimited = body.maxTokens().isEmpty();
    if (isUnlimited && prompt.get().maxModelLen().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        isUnlimited && room <= 0
            ? new Continuation.Finished(reply, LENGTH, Optional.empty())
            : new Continuation.AfterIds(reply, prompt.get().ids(), outputIds.get(), room));
  }

  private Optional<Continuation> byText(PartialReply reply) {
    if (!Resumability.byText(body, dialect)) {
      return Optional.empty();
    }
    if (reply.text().isEmpty()) {
      return Optional.of(new Continuation.AfterSilence(reply));
    }
    return Optional.of(
        body.endpoint() == Endpoint.CHAT_COMPLETIONS
            ? new Continuation.InMessage(reply)
            : new Continuation.AfterPrompt(reply));
  }
}
