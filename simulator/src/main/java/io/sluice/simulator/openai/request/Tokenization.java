package io.sluice.simulator.openai.request;

import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;

/** The answers of {@code /tokenize} and {@code /detokenize}. */
public final class Tokenization {

  private final Tokenizer tokenizer;
  private final ServedModel model;

  /** Creates the answers for a model. */
  public Tokenization(Tokenizer tokenizer, ServedModel model) {
    this.tokenizer = tokenizer;
    this.model = model;
  }

  /** Returns the answer of {@code /tokenize}. */
  public byte[] tokenize(Fields body) {
    model.target(body.string("model"));
    String prompt = body.has("messages") ? Conversation.of(body).prompt() : prompt(body);
    TokenIds ids = tokenizer.encode(prompt);
    boolean withTexts = body.flag("return_token_strs", false);
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeNumberField("count", ids.size());
          json.writeNumberField("max_model_len", model.maxModelLen());
          Json.writeIds(json, "tokens", ids);
          if (withTexts) {
            json.writeArrayFieldStart("token_strs");
            for (int i = 0; i < ids.size(); i++) {
              json.writeString(tokenizer.decode(TokenIds.of(ids.get(i))));
            }
            json.writeEndArray();
          } else {
            json.writeNullField("token_strs");
          }
          json.writeEndObject();
        });
  }

  /**
   * Returns the prompt of the body. Without a prompt and without messages, the error reports both
   * as missing.
   */
  private static String prompt(Fields body) {
    if (body.get("prompt").isTextual()) {
      return body.get("prompt").textValue();
    }
    Violation first =
        body.object().has("prompt")
            ? Fields.noText(body.location("prompt"), body.get("prompt"))
            : body.missingViolation("prompt");
    throw ApiError.validation(first, body.missingViolation("messages"));
  }

  /** Returns the answer of {@code /detokenize}. */
  public byte[] detokenize(Fields body) {
    model.target(body.string("model"));
    if (!body.has("tokens")) {
      throw body.object().has("tokens")
          ? body.wrong("list_type", "tokens", "Input should be a valid list")
          : body.missing("tokens");
    }
    String prompt = tokenizer.decode(Fields.tokenIds("body.tokens", body.list("tokens"), true));
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeStringField("prompt", prompt);
          json.writeEndObject();
        });
  }
}
