package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineQuestions;
import java.util.List;

/**
 * Token ids in vLLM: {@code return_token_ids} makes it report them, {@code /v1/completions} takes
 * them as a prompt. Older releases ignore the field.
 */
final class VllmTokenIds implements TokenIdSupport {
  /** Fields that the completions endpoint, or a prompt of ids, does not have or reads otherwise. */
  private static final List<String> NOT_FOR_IDS =
      List.of(
          "messages",
          "max_completion_tokens",
          "logprobs",
          "top_logprobs",
          "add_generation_prompt",
          "continue_final_message",
          "chat_template",
          "chat_template_kwargs",
          "add_special_tokens",
          "truncate_prompt_tokens",
          "truncation_side",
          "suffix",
          "prompt_embeds");

  /**
   * An engine that is asked for ids has to include stop texts, which the worker removes. It then
   * also includes the text of a stop token, and the worker cannot tell where that begins.
   */
  @Override
  public boolean fits(OpenAiRequest request) {
    boolean showsStopTokens =
        request.isSet("stop_token_ids") || !request.get("skip_special_tokens").asBoolean(true);
    return !showsStopTokens || request.stopTexts().isEmpty() || request.keepsStopText();
  }

  /** The ids of hidden reasoning would show it. */
  @Override
  public boolean areWithheld(OpenAiRequest request) {
    return VllmDialect.hidesReasoning(request);
  }

  @Override
  public void askForIds(ObjectNode body, boolean showsStopTexts) {
    body.put("return_token_ids", true);
    if (showsStopTexts) {
      body.put("include_stop_str_in_output", true);
    }
  }

  @Override
  public EngineTokenizer tokenizer(EngineQuestions engine) {
    return new VllmTokenizer(engine);
  }

  @Override
  public Endpoint endpoint() {
    return Endpoint.COMPLETIONS;
  }

  @Override
  public void continueAfter(ObjectNode body, List<Integer> promptIds, List<Integer> outputIds) {
    JsonNode chatLimit = body.path("max_completion_tokens");
    if (chatLimit.canConvertToInt()) {
      body.set("max_tokens", chatLimit);
    }
    body.remove(NOT_FOR_IDS);
    ArrayNode prompt = body.putArray("prompt");
    promptIds.forEach(prompt::add);
    outputIds.forEach(prompt::add);
  }
}
