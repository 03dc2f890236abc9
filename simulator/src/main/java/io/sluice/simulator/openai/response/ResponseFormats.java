package io.sluice.simulator.openai.response;

import io.sluice.simulator.openai.request.FormatOptions;
import io.sluice.simulator.openai.request.GenerationRequest;
import io.sluice.simulator.openai.request.ServedModel;
import io.sluice.simulator.text.Tokenizer;

/** Creates the response format of a request. */
public final class ResponseFormats {

  private final ServedModel model;
  private final FormatOptions options;
  private final Tokenizer tokenizer;

  /** Creates formats for the answers of one server. */
  public ResponseFormats(ServedModel model, FormatOptions options, Tokenizer tokenizer) {
    this.model = model;
    this.options = options;
    this.tokenizer = tokenizer;
  }

  /** Returns the format for a chat request that has just arrived. */
  public ResponseFormat chat(GenerationRequest request) {
    return new ChatFormat(request, head(request, UsageKeys.CHAT), tokenizer);
  }

  /** Returns the format for a completion request that has just arrived. */
  public ResponseFormat completion(GenerationRequest request) {
    return new CompletionFormat(request, head(request, UsageKeys.COMPLETION), tokenizer);
  }

  private ResponseHead head(GenerationRequest request, UsageKeys keys) {
    return new ResponseHead(
        request,
        System.currentTimeMillis() / 1000,
        model.fingerprint(),
        options.promptTokensDetails() && !request.beams(),
        model.release().before(32) ? UsageKeys.BEFORE_0_32 : keys);
  }
}
