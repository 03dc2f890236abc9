package io.sluice.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.serving.SamplingParams;
import io.sluice.simulator.text.ChatMessage;
import io.sluice.simulator.text.ChatTemplate;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Reads and checks chat and completion requests, in the order in which vLLM complains. */
final class RequestReader {

  private static final int DEFAULT_COMPLETION_TOKENS = 16;

  private final ServedModel model;
  private final ContextLimit context;
  private final Tokenizer tokenizer;

  RequestReader(ServedModel model, Tokenizer tokenizer) {
    this.model = model;
    this.tokenizer = tokenizer;
    this.context = new ContextLimit(tokenizer, model.maxModelLen());
  }

  GenerationRequest chat(Fields body, Optional<String> requestId) {
    List<ChatMessage> messages = messages(body);
    checkModel(body);
    ChatTemplate.Ending ending = ending(body);
    OptionalInt maxTokens = body.integer("max_completion_tokens");
    if (maxTokens.isEmpty()) {
      maxTokens = body.integer("max_tokens");
    }
    SamplingParams sampling = sampling(body, maxTokens);
    String prompt = ChatTemplate.render(messages, ending);
    ChatMessage last = messages.getLast();
    String role = body.flag("add_generation_prompt", true) ? "assistant" : last.role();
    boolean echo = body.flag("echo", false) && last.role().equals(role);
    return request(
        id("chatcmpl-", body, requestId),
        body,
        List.of(context.encode(prompt, maxTokens)),
        sampling,
        role,
        echo ? List.of(last.content()) : List.of());
  }

  GenerationRequest completion(Fields body, Optional<String> requestId) {
    if (!body.has("prompt")) {
      throw body.object().has("prompt")
          ? ApiError.badRequest("Either prompt or prompt_embeds must be provided and non-empty.")
          : Fields.missing("prompt");
    }
    checkModel(body);
    if (body.has("suffix")) {
      throw ApiError.badRequest("suffix is not currently supported");
    }
    OptionalInt asked = body.integer("max_tokens");
    SamplingParams sampling =
        sampling(
            body,
            asked.isPresent()
                ? asked
                : OptionalInt.of(Math.min(DEFAULT_COMPLETION_TOKENS, model.maxModelLen())));
    List<TokenIds> prompts = prompts(body.object().get("prompt"), sampling.maxTokens());
    List<String> echoes =
        body.flag("echo", false) ? prompts.stream().map(tokenizer::decode).toList() : List.of();
    return request(id("cmpl-", body, requestId), body, prompts, sampling, "assistant", echoes);
  }

  /** Returns the prompt text of the chat fields, as {@code /tokenize} also needs it. */
  String chatPrompt(Fields body) {
    return ChatTemplate.render(messages(body), ending(body));
  }

  void checkModel(Fields body) {
    Optional<String> asked = body.string("model");
    if (asked.isPresent() && !model.names().contains(asked.get())) {
      throw ApiError.unknownModel(asked.get());
    }
  }

  private static GenerationRequest request(
      String id,
      Fields body,
      List<TokenIds> prompts,
      SamplingParams sampling,
      String role,
      List<String> echoes) {
    boolean stream = body.flag("stream", false);
    boolean includeUsage = false;
    boolean continuousUsage = false;
    if (body.has("stream_options")) {
      if (!stream) {
        throw ApiError.badParameter(
            "stream_options", "Stream options can only be defined when `stream=True`.");
      }
      Fields options = body.child("stream_options");
      includeUsage = options.flag("include_usage", false);
      continuousUsage = includeUsage && options.flag("continuous_usage_stats", false);
    }
    return new GenerationRequest(
        id,
        prompts,
        sampling,
        role,
        echoes,
        stream,
        includeUsage,
        continuousUsage,
        body.flag("return_token_ids", false));
  }

  private SamplingParams sampling(Fields body, OptionalInt maxTokens) {
    double temperature = body.number("temperature", 1);
    if (temperature < 0) {
      throw ApiError.badValue(
          "temperature", temperature, "temperature must be non-negative, got " + temperature + ".");
    }
    int n = body.integer("n").orElse(1);
    if (n < 1) {
      throw ApiError.badValue("n", n, "n must be at least 1, got " + n + ".");
    }
    if (n > 1 && temperature == 0) {
      throw ApiError.badRequest("n must be 1 when using greedy sampling, got " + n + ".");
    }
    context.checkMaxTokens(maxTokens);
    Set<Integer> stopTokens = new HashSet<>();
    TokenIds ids = body.tokenIds("stop_token_ids");
    for (int i = 0; i < ids.size(); i++) {
      stopTokens.add(ids.get(i));
    }
    List<String> stops = body.strings("stop");
    if (stops.contains("")) {
      throw ApiError.badRequest("stop cannot contain an empty string.");
    }
    return new SamplingParams(
        n,
        maxTokens,
        body.integer("min_tokens").orElse(0),
        body.flag("ignore_eos", false),
        stopTokens,
        stops,
        body.flag("include_stop_str_in_output", false));
  }

  private static ChatTemplate.Ending ending(Fields body) {
    boolean continueFinal = body.flag("continue_final_message", false);
    boolean addGeneration = body.flag("add_generation_prompt", true);
    if (continueFinal && addGeneration) {
      throw ApiError.badRequest(
          "Cannot set both `continue_final_message` and `add_generation_prompt` to True.");
    }
    if (continueFinal) {
      return ChatTemplate.Ending.CONTINUE_FINAL;
    }
    return addGeneration ? ChatTemplate.Ending.ASSISTANT_TURN : ChatTemplate.Ending.NONE;
  }

  private static List<ChatMessage> messages(Fields body) {
    List<ChatMessage> messages = new ArrayList<>();
    for (JsonNode node : body.list("messages")) {
      if (!node.isObject()) {
        throw Fields.wrong("dict_type", "messages", "Input should be a valid dictionary");
      }
      Fields message = new Fields(node);
      String role = message.string("role").orElseThrow(() -> Fields.missing("messages', 'role"));
      messages.add(new ChatMessage(role, content(node.path("content"))));
    }
    if (messages.isEmpty()) {
      throw ApiError.badRequest("list index out of range");
    }
    return messages;
  }

  private static String content(JsonNode content) {
    if (content.isTextual()) {
      return content.textValue();
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      if (!part.path("text").isTextual()) {
        throw ApiError.badRequest("This model takes text only: use content parts of type text.");
      }
      text.append(text.isEmpty() ? "" : "\n").append(part.get("text").textValue());
    }
    return text.toString();
  }

  private List<TokenIds> prompts(JsonNode prompt, OptionalInt maxTokens) {
    if (prompt.isTextual()) {
      return List.of(context.encode(prompt.textValue(), maxTokens));
    }
    if (!prompt.isArray()) {
      throw Fields.wrong("string_type", "prompt", "Input should be a valid string");
    }
    if (prompt.isEmpty()) {
      throw ApiError.badRequest("Either prompt or prompt_embeds must be provided and non-empty.");
    }
    if (prompt.get(0).isInt()) {
      return List.of(context.accept(Fields.tokenIds("prompt", prompt), maxTokens));
    }
    List<TokenIds> prompts = new ArrayList<>();
    boolean ofTexts = prompt.get(0).isTextual();
    for (JsonNode item : prompt) {
      if (ofTexts ? !item.isTextual() : !item.isArray()) {
        throw Fields.wrong("string_type", "prompt", "Input should be a valid string");
      }
      prompts.add(
          ofTexts
              ? context.encode(item.textValue(), maxTokens)
              : context.accept(Fields.tokenIds("prompt", item), maxTokens));
    }
    return prompts;
  }

  private static String id(String prefix, Fields body, Optional<String> requestId) {
    return prefix
        + requestId
            .or(() -> body.string("request_id"))
            .orElseGet(() -> HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
  }
}
