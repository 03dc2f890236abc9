package io.sluice.worker.resume;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.dialect.EngineTokenizer;
import java.util.List;
import java.util.Optional;

/** Compares a request and its answer so far with an engine's tokens. For one thread. */
final class PromptTokens {
  /** More tokens than any character takes. */
  private static final int TAIL_TOKENS = 16;

  private static final String BROKEN_CHARACTER = "\uFFFD";

  private final EngineTokenizer tokenizer;
  private final OpenAiRequest body;
  private Optional<EngineTokenizer.Prompt> known = Optional.empty();

  PromptTokens(EngineTokenizer tokenizer, OpenAiRequest body) {
    this.tokenizer = tokenizer;
    this.body = body;
  }

  /**
   * Returns the prompt's tokens; empty if the engine does not tell. Asks the engine until it has
   * told.
   *
   * @throws EngineException if the engine fails to answer
   */
  Optional<EngineTokenizer.Prompt> ask() throws EngineException, InterruptedException {
    if (known.isEmpty()) {
      known = tokenizer.prompt(body);
    }
    return known;
  }

  /**
   * Returns whether a text is all of its tokens' text. An engine that gives several tokens at once
   * may have held back a character that the last of them begin.
   *
   * @throws EngineException if the engine fails to answer
   */
  boolean isWholeText(List<Integer> ids, String text) throws EngineException, InterruptedException {
    Optional<String> tail =
        tokenizer.text(ids.subList(Math.max(0, ids.size() - TAIL_TOKENS), ids.size()));
    return tail.isPresent()
        && (text.endsWith(BROKEN_CHARACTER) || !tail.get().endsWith(BROKEN_CHARACTER));
  }

  /**
   * Returns whether the engine, given a text, has the very tokens that it is made of. If so, it
   * continues after the text as it would have continued after the tokens.
   *
   * @throws EngineException if the engine fails to answer
   */
  boolean areTokensOf(List<Integer> ids, String text) throws EngineException, InterruptedException {
    return tokenizer.tokens(text).equals(Optional.of(ids));
  }
}
