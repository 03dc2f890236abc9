package io.sluice.worker.engine.dialect;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.worker.engine.EngineException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What an engine's tokenizer makes of texts and tokens. Every method asks the engine, and throws
 * {@link EngineException} if the engine fails to answer.
 */
public interface EngineTokenizer {

  /**
   * A prompt in tokens.
   *
   * @param maxModelLen the engine's longest context in tokens; empty if it does not say
   */
  record Prompt(List<Integer> ids, OptionalInt maxModelLen) {
    public Prompt {
      ids = List.copyOf(ids);
    }
  }

  /**
   * Returns the tokens of a request's prompt as a generation would have them; empty if the engine
   * does not tell, or the prompt is not made of tokens alone.
   */
  Optional<Prompt> prompt(OpenAiRequest request) throws EngineException, InterruptedException;

  /**
   * Returns the tokens of a text, without special tokens around it; empty if the engine does not
   * tell.
   */
  Optional<List<Integer>> tokens(String text) throws EngineException, InterruptedException;

  /** Returns the text of tokens; empty if the engine does not tell. */
  Optional<String> text(List<Integer> ids) throws EngineException, InterruptedException;
}
