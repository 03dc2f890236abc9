package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.serving.SamplingParams;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/** Reads and validates chat and completion requests. The checks run in vLLM's order. */
public final class RequestReader {

  private static final int DEFAULT_COMPLETION_TOKENS = 16;

  private final ServedModel model;
  private final FormatOptions options;
  private final ContextLimit context;
  private final Tokenizer tokenizer;

  /** Creates a reader for the requests of one server. */
  public RequestReader(ServedModel model, FormatOptions options, Tokenizer tokenizer) {
    this.model = model;
    this.options = options;
    this.tokenizer = tokenizer;
    this.context = new ContextLimit(tokenizer, model.maxModelLen(), model.release());
  }

  /**
   * Reads a chat request.
   *
   * @param headers returns a request header by its name
   */
  public GenerationRequest chat(Fields body, Function<String, Optional<String>> headers) {
    Conversation conversation = Conversation.of(body);
    Streaming streaming = Streaming.of(body, options.forceIncludeUsage());
    checkPromptLogprobs(body, streaming);
    checkTopLogprobs(body);
    if (body.integer("top_logprobs").orElse(0) != 0 && !body.flag("logprobs", false)) {
      throw ApiError.badParameter(
          "top_logprobs", "when using `top_logprobs`, `logprobs` must be set to true.");
    }
    Constraint.checkTools(body, options.autoToolChoice(), model.release());
    ServedModel.Target target = model.target(body.string("model"));
    OptionalInt chatLimit = body.integer("max_completion_tokens");
    OptionalInt maxTokens = chatLimit.isPresent() ? chatLimit : body.integer("max_tokens");
    context.checkMaxTokens(maxTokens);
    // Not checked like one that was asked for: the context cuts it.
    OptionalInt limit = maxTokens.isPresent() ? maxTokens : options.defaultMaxTokens();
    SamplingParams sampling = SamplingReader.read(body, limit, priority(headers), target.lora());
    List<TokenIds> prompts = List.of(encode(body, conversation.prompt(), maxTokens));
    String role =
        body.flag("add_generation_prompt", true) ? "assistant" : conversation.last().role();
    boolean echo = body.flag("echo", false) && conversation.last().role().equals(role);
    OptionalInt logprobs =
        body.flag("logprobs", false)
            ? OptionalInt.of(body.integer("top_logprobs").orElse(0))
            : OptionalInt.empty();
    prompts.forEach(prompt -> context.checkMinTokens(sampling.minTokens(), limit, prompt));
    checkLate(prompts, logprobs, body);
    Constraint constraint = Constraint.of(body, conversation.asked());
    AnswerShape shape =
        new AnswerShape(
            role,
            echo ? List.of(conversation.last().content()) : List.of(),
            false,
            body.flag("return_token_ids", false),
            body.flag("return_prompt_text", false),
            new RequestedLogprobs(
                logprobs, chatPromptLogprobs(body), body.flag("return_tokens_as_token_ids", false)),
            new ToolCall(
                constraint.tool(),
                body.get("tool_choice").isObject(),
                options.autoToolChoice() && !model.release().before(32)));
    return new GenerationRequest(
        id("chatcmpl-", body, headers),
        target.name(),
        prompts,
        sampling.withFixedText(constraint.text()),
        shape,
        streaming,
        body.flag("use_beam_search", false));
  }

  /**
   * Reads a completion request.
   *
   * @param headers returns a request header by its name
   */
  public GenerationRequest completion(Fields body, Function<String, Optional<String>> headers) {
    if (!body.has("prompt") || isEmptyText(body.get("prompt"))) {
      throw ApiError.badParameter(
          "prompt", "Either prompt or prompt_embeds must be provided and non-empty.");
    }
    Streaming streaming = Streaming.of(body, options.forceIncludeUsage());
    checkPromptLogprobs(body, streaming);
    ServedModel.Target target = model.target(body.string("model"));
    if (body.has("suffix")) {
      throw ApiError.parameter(
          "suffix", "suffix is only supported for models with FIM completion rendering");
    }
    if (streaming.on() && body.flag("use_beam_search", false)) {
      throw ApiError.badRequest("Streaming is not currently supported with beam search");
    }
    boolean echo = body.flag("echo", false);
    OptionalInt asked = body.integer("max_tokens");
    boolean echoOnly = echo && asked.equals(OptionalInt.of(0));
    // vLLM generates one token that is not shown.
    OptionalInt maxTokens =
        echoOnly
            ? OptionalInt.of(1)
            : asked.isPresent()
                ? asked
                : OptionalInt.of(Math.min(DEFAULT_COMPLETION_TOKENS, model.maxModelLen()));
    context.checkMaxTokens(maxTokens);
    SamplingParams sampling =
        SamplingReader.read(body, maxTokens, priority(headers), target.lora());
    List<TokenIds> prompts = prompts(body, maxTokens);
    OptionalInt logprobs = body.integer("logprobs");
    prompts.forEach(prompt -> context.checkMinTokens(sampling.minTokens(), maxTokens, prompt));
    checkLate(prompts, logprobs, body);
    Constraint constraint = Constraint.of(body, "");
    AnswerShape shape =
        new AnswerShape(
            "assistant",
            echo ? prompts.stream().map(tokenizer::decode).toList() : List.of(),
            echoOnly,
            body.flag("return_token_ids", false),
            false,
            new RequestedLogprobs(
                logprobs,
                echo && !streaming.on() && !body.has("prompt_logprobs")
                    ? logprobs
                    : body.integer("prompt_logprobs"),
                body.flag("return_tokens_as_token_ids", false)),
            ToolCall.NONE);
    return new GenerationRequest(
        id("cmpl-", body, headers),
        target.name(),
        prompts,
        sampling.withFixedText(constraint.text()),
        shape,
        streaming,
        body.flag("use_beam_search", false));
  }

  private static void checkTruncation(Fields body) {
    var _ = body.literal("truncation_side", "left", "right");
    if (body.integer("truncate_prompt_tokens").orElse(0) < -1) {
      throw ApiError.validation(
          Violation.below(
              body.location("truncate_prompt_tokens"), -1, body.get("truncate_prompt_tokens")));
    }
  }

  private void checkPromptLogprobs(Fields body, Streaming streaming) {
    checkTruncation(body);
    if (body.get("prompt_logprobs").isTextual()) {
      throw ApiError.badValue(
          "prompt_logprobs",
          body.get("prompt_logprobs").textValue(),
          "`prompt_logprobs` must be an integer.");
    }
    int wanted = body.integer("prompt_logprobs").orElse(0);
    if (streaming.on() && (wanted > 0 || wanted == -1)) {
      throw ApiError.badParameter(
          "prompt_logprobs", "`prompt_logprobs` are not available when `stream=True`.");
    }
    if (wanted < -1) {
      throw ApiError.badValue(
          "prompt_logprobs", wanted, "`prompt_logprobs` must be a positive value or -1.");
    }
  }

  /** Returns the logprobs of the prompt. An echo shows as many alternatives as the answer. */
  private static OptionalInt chatPromptLogprobs(Fields body) {
    boolean echo = body.flag("echo", false) && !body.has("prompt_logprobs");
    return echo
        ? OptionalInt.of(body.integer("top_logprobs").orElse(0))
        : body.integer("prompt_logprobs");
  }

  private static boolean isEmptyText(JsonNode prompt) {
    return prompt.isTextual() && prompt.textValue().isEmpty();
  }

  private static void checkTopLogprobs(Fields body) {
    int wanted = body.integer("top_logprobs").orElse(0);
    if (wanted < -1) {
      throw ApiError.badValue(
          "top_logprobs", wanted, "`top_logprobs` must be a positive value or -1.");
    }
  }

  /** Checks what vLLM detects only after the answer has begun. */
  private void checkLate(List<TokenIds> prompts, OptionalInt logprobs, Fields body) {
    prompts.forEach(context::checkLate);
    checkLogprobs("logprobs", "sample", logprobs);
    checkLogprobs("prompt_logprobs", "prompt", body.integer("prompt_logprobs"));
  }

  private void checkLogprobs(String param, String kind, OptionalInt wanted) {
    // -1 means all tokens of the vocabulary.
    int value = wanted.orElse(0) == -1 ? Tokenizer.VOCABULARY_SIZE : wanted.orElse(0);
    if (value < 0) {
      throw ApiError.badValue(param, value, "`" + param + "` must be a positive value.");
    }
    if (value > options.maxLogprobs()) {
      throw ApiError.badValue(
              param,
              value,
              "Requested %s logprobs of %s, which is greater than max allowed: %s"
                  .formatted(kind, value, options.maxLogprobs()))
          .lazily();
    }
  }

  private static OptionalInt priority(Function<String, Optional<String>> headers) {
    Optional<String> header = headers.apply("x-vllm-priority");
    if (header.isEmpty()) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(Integer.parseInt(header.get().trim()));
    } catch (NumberFormatException e) {
      // Ignored, as if the header were absent.
      return OptionalInt.empty();
    }
  }

  private List<TokenIds> prompts(Fields body, OptionalInt maxTokens) {
    JsonNode prompt = body.object().get("prompt");
    if (prompt.isTextual()) {
      return List.of(encode(body, prompt.textValue(), maxTokens));
    }
    PromptForm.check(prompt);
    if (prompt.get(0).isInt()) {
      return List.of(accept(body, prompt, maxTokens));
    }
    List<TokenIds> prompts = new ArrayList<>();
    boolean ofTexts = prompt.get(0).isTextual();
    for (JsonNode item : prompt) {
      prompts.add(
          ofTexts ? encode(body, item.textValue(), maxTokens) : accept(body, item, maxTokens));
    }
    return prompts;
  }

  private TokenIds encode(Fields body, String prompt, OptionalInt maxTokens) {
    return body.has("truncate_prompt_tokens")
        ? context.accept(truncated(body, tokenizer.encode(prompt)), maxTokens)
        : context.encode(prompt, maxTokens);
  }

  private TokenIds accept(Fields body, JsonNode ids, OptionalInt maxTokens) {
    return context.accept(truncated(body, Fields.tokenIds("body.prompt", ids, true)), maxTokens);
  }

  /**
   * Applies {@code truncate_prompt_tokens}. It keeps the end of a prompt, or the beginning if
   * requested.
   */
  private TokenIds truncated(Fields body, TokenIds prompt) {
    int wanted = body.integer("truncate_prompt_tokens").orElse(prompt.size());
    int most = wanted == -1 ? model.maxModelLen() : wanted;
    if (most > model.maxModelLen() && most != prompt.size()) {
      throw ApiError.badValue(
          "truncate_prompt_tokens",
          wanted,
          "truncate_prompt_tokens=%s cannot be greater than max_model_len = %s. Please request a smaller truncation size."
              .formatted(wanted, model.maxModelLen()));
    }
    if (prompt.size() <= most) {
      return prompt;
    }
    return body.literal("truncation_side", "left", "right").orElse("left").equals("right")
        ? prompt.first(most)
        : prompt.last(most);
  }

  private static String id(String prefix, Fields body, Function<String, Optional<String>> headers) {
    return prefix
        + headers
            .apply("x-request-id")
            .or(() -> body.string("request_id"))
            .orElseGet(() -> HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
  }
}
