package io.sluice.simulator.openai.request;

import io.sluice.simulator.serving.SamplingParams;
import io.sluice.simulator.text.TokenIds;
import java.util.List;

/**
 * A chat or completion request, read and checked.
 *
 * @param id the response id, with its prefix
 * @param model the model name in the answer
 * @param prompts the prompts as tokens; exactly one for chat
 * @param sampling how to generate
 * @param shape what the answer shows
 * @param streaming whether and how the answer is streamed
 * @param beams whether choices come from a beam search: known only at its end
 */
public record GenerationRequest(
    String id,
    String model,
    List<TokenIds> prompts,
    SamplingParams sampling,
    AnswerShape shape,
    Streaming streaming,
    boolean beams) {

  /** Returns how many choices all prompts have together. */
  public int choices() {
    return prompts.size() * sampling.n();
  }

  /** Returns the prompt of a choice. */
  public TokenIds promptOf(int choice) {
    return prompts.get(choice / sampling.n());
  }

  /** Returns the text to repeat in front of a choice; empty for none. */
  public String echoOf(int choice) {
    return shape.echoes().isEmpty() ? "" : shape.echoes().get(choice / sampling.n());
  }

  /** Returns the tokens of all prompts. */
  public int promptTokens() {
    return prompts.stream().mapToInt(TokenIds::size).sum();
  }

  /** Returns whether a choice is the first one of its prompt. */
  public boolean isFirstOfPrompt(int choice) {
    return choice % sampling.n() == 0;
  }
}
