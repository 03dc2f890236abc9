package io.sluice.worker.resume;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineQuestions;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.engine.dialect.EngineTokenizer;
import io.sluice.worker.engine.dialect.TokenIdSupport;
import io.sluice.worker.reply.PartialReply;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decides how to continue an answer that the log holds a part of: by token ids if the engine
 * supports them, else by text, else not at all. For one thread.
 */
public final class Resumption {
  private static final String LENGTH = "length";

  private final EngineDialect dialect;
  private final OpenAiRequest body;
  private final Assignment assignment;
  private final EngineQuestions questions;
  private final Optional<TokenIdSupport> tokenIds;
  private final Optional<PromptTokens> prompts;

  /** Decisions on one attempt at an engine. */
  public Resumption(
      EngineClient client, EngineFacts engine, Assignment assignment, OpenAiRequest body) {
    this.dialect = engine.dialect();
    this.body = body;
    this.assignment = assignment;
    Optional<String> model = engine.engineModel(body.model(), assignment.fallbackModel());
    this.questions =
        new EngineQuestions(
            client, model.or(() -> Optional.of(body.model()).filter(m -> !m.isEmpty())));
    this.tokenIds = dialect.tokenIds();
    this.prompts = tokenIds.map(ids -> new PromptTokens(ids.tokenizer(questions), body));
  }

  /**
   * Returns how to continue; empty if the answer has to be restarted.
   *
   * @throws EngineException if the engine cannot be asked, so that the answer to this is not known
   */
  public Optional<Continuation> of(PartialReply reply)
      throws EngineException, InterruptedException {
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
    OptionalInt most = mostTokens();
    if (most.isEmpty() && dialect.outputLimit().isPresent()) {
      return Optional.empty();
    }
    int made = reply.fold().tokens();
    if (most.isPresent() && made >= Math.max(1, most.getAsInt())) {
      return Optional.of(new Continuation.Finished(reply, LENGTH, Optional.empty()));
    }
    OptionalInt left =
        most.isPresent() && !most.equals(body.maxTokens())
            ? OptionalInt.of(most.getAsInt() - made)
            : OptionalInt.empty();
    Optional<Continuation> byIds = byIds(reply, left);
    return byIds.isPresent() ? byIds : byText(reply, left);
  }

  /**
   * Returns how many tokens the answer may have. The engine knows best, because it may lower what
   * the caller says: vLLM does so with {@code max_new_tokens} of {@code
   * --override-generation-config}. Empty if neither tells.
   */
  private OptionalInt mostTokens() throws EngineException, InterruptedException {
    if (dialect.outputLimit().isPresent()) {
      OptionalInt told =
          dialect.outputLimit().get().ask(questions, body.endpoint(), body.json().deepCopy());
      if (told.isPresent()) {
        return told;
      }
    }
    return body.maxTokens();
  }

  private Optional<Continuation> byIds(PartialReply reply, OptionalInt left)
      throws EngineException, InterruptedException {
    Optional<List<Integer>> outputIds = reply.tokenIds();
    if (tokenIds.isEmpty()
        || prompts.isEmpty()
        || !Resumability.byIds(body, dialect)
        || outputIds.isEmpty()
        || reply.promptTokens().isEmpty()) {
      return Optional.empty();
    }
    Optional<EngineTokenizer.Prompt> prompt = prompts.get().ask();
    // Another template or truncation would give another number of prompt tokens than the stream
    // reported.
    if (prompt.isEmpty()
        || prompt.get().ids().size() != reply.promptTokens().getAsInt()
        || !prompts.get().isWholeText(outputIds.get(), reply.text())) {
      return Optional.empty();
    }
    int taken = prompt.get().ids().size() + reply.fold().tokens();
    // The engine may have lowered the limit to what the context leaves.
    return Optional.of(
        taken >= prompt.get().maxModelLen().orElse(Integer.MAX_VALUE)
            ? new Continuation.Finished(reply, LENGTH, Optional.empty())
            : new Continuation.AfterIds(
                reply, prompt.get().ids(), outputIds.get(), left, tokenIds.get()));
  }

  private Optional<Continuation> byText(PartialReply reply, OptionalInt left)
      throws EngineException, InterruptedException {
    if (!Resumability.byText(body, dialect) || !(body.isSampled() || isProven(reply))) {
      return Optional.empty();
    }
    if (reply.text().isEmpty()) {
      return Optional.of(new Continuation.AfterSilence(reply, left));
    }
    return body.endpoint() == Endpoint.CHAT_COMPLETIONS
        ? dialect.messageContinuation().map(how -> new Continuation.InMessage(reply, left, how))
        : Optional.of(new Continuation.AfterPrompt(reply, left));
  }

  private boolean isProven(PartialReply reply) throws EngineException, InterruptedException {
    Optional<List<Integer>> ids = reply.tokenIds();
    return ids.isPresent()
        && prompts.isPresent()
        && prompts.get().areTokensOf(ids.get(), reply.text());
  }
}
