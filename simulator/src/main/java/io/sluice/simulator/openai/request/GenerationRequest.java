package io.sluice.simulator.openai.request;

import io.sluice.simulator.serving.SamplingParams;
import io.sluice.simulator.text.TokenIds;
import java.util.List;

/**
 * A chat or completion request that was read and validated.
 *
 * @param id the id of the response, with its prefix
 * @param model the model name in the answer
 * @param prompts the tokenized prompts; exactly one for chat
 * @param sampling the sampling parameters
 * @param shape what the answer shows
 * @param streaming whether and how the answer is streamed
 * @param beams whether the choices come from a beam search, which yields them only at its end
 */
public record GenerationRequest(
    String id,
    String model,
    List<TokenIds> prompts,
    SamplingParams sampling,
    AnswerShape shape,
    Streaming streaming,
    boolean beams) {

  /** Returns the number of choices of all prompts. */
  public int choices() {
    return prompts.size() * sampling.n();
  }

  /** Returns the prompt of a choice. */
  public TokenIds promptOf(int choice) {
    return prompts.get(choice / sampling.n());
  }

  /** Returns the text to repeat before a choice; empty for no echo. */
  public String echoOf(int choice) {
    return shape.echoes().isEmpty() ? "" : shape.echoes().get(choice / sampling.n());
  }

  /** Returns the number of tokens in all prompts. */
  public int promptTokens() {
    return prompts.stream().mapToInt(TokenIds::size).sum();
  }

  /** Returns whether a choice is the first one of its prompt. */
  public boolean isFirstOfPrompt(int choice) {
    return choice % sampling.n() == 0;
  }
}
