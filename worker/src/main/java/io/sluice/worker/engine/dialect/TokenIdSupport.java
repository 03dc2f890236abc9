package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineQuestions;
import java.util.List;

/** How an engine reports the ids of its tokens, and continues after given ids. Stateless. */
public interface TokenIdSupport {

  /** Returns whether the engine can be asked for the ids of the answer to this request. */
  boolean fits(OpenAiRequest request);

  /**
   * Returns whether the engine, where it withholds tokens of the answer to this request, also
   * withholds their ids.
   */
  default boolean areWithheld(OpenAiRequest request) {
    return false;
  }

  /**
   * Makes a request ask for the ids of the answer's tokens.
   *
   * @param showsStopTexts whether it also asks for text as soon as there is any; an engine that
   *     holds back what may become a stop text reports ids without their text
   */
  void askForIds(ObjectNode body, boolean showsStopTexts);

  /** Returns the engine's tokenizer. */
  EngineTokenizer tokenizer(EngineQuestions engine);

  /** Returns the endpoint that takes token ids as a prompt. */
  Endpoint endpoint();

  /**
   * Turns a request into one for {@link #endpoint} whose answer continues the given tokens.
   *
   * @param promptIds the tokens of the request's own prompt
   * @param outputIds the tokens of the answer so far
   */
  void continueAfter(ObjectNode body, List<Integer> promptIds, List<Integer> outputIds);
}
