package io.sluice.router.parse;

import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.tokens.TokenEstimate;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.classify.Classification;
import io.sluice.router.classify.Classifier;
import io.sluice.router.prefix.PrefixChain;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the router needs to know of a request's body. Anything that only an engine can judge
 * (sampling options, tools and so on) is left to the engine.
 */
record ParsedBody(
    String model,
    long promptTokens,
    long estimatedTokens,
    long outputTokens,
    Classification classification,
    PrefixChain prefix) {

  /** A body that was not read. */
  static final ParsedBody NONE = new ParsedBody("", 0, 0, 0, Classification.NONE, PrefixChain.NONE);

  /** A body cannot be served. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    private final ErrorKind kind;

    Refused(ErrorKind kind, String message) {
      super(message);
      this.kind = kind;
    }

    ErrorKind kind() {
      return kind;
    }
  }

  /** Reads bodies for one pool. Thread-safe. */
  record Reader(
      ServedModels served,
      TokenEstimate estimate,
      PromptFactors factors,
      Classifier classifier,
      int assumedOutputTokens) {

    private static final int MAX_NAME_LENGTH = 256;

    ParsedBody read(byte @Nullable [] value, Endpoint endpoint, Optional<String> tier)
        throws Refused {
      OpenAiRequest body = new OpenAiRequest(endpoint, parse(value));
      String model = model(body);
      long requested = requestedOutput(body);
      long longest = served.longest(model).orElse(Integer.MAX_VALUE);
      long estimated = longestPrompt(body);
      boolean isText = isText(body);
      long likely = (long) Math.ceil(estimated * (isText ? factors.of(model) : 1));
      long prompt = Math.min(likely, truncation(body, longest - requested));
      // If either way of counting accepts the prompt, the engine may judge.
      long least = Math.min(prompt, estimated);
      checkLength(model, least, requested);
      long output =
          requested > 0
              ? clampedOutput(requested, least, longest)
              : Math.clamp(assumedOutputTokens, 1, Math.max(1, longest - prompt));
      // If the estimate may be too high, the workers with the longest context decide.
      boolean mayFit = (least + output) * (1 - ServedModels.ESTIMATE_ERROR) <= longest;
      long load = body.prompts() == 1 ? prompt : estimate.ofPrompt(body);
      long fitting = mayFit ? Math.min(load, Math.max(1, longest - output)) : prompt;
      return new ParsedBody(
          model,
          fitting,
          isText && prompt == likely && body.prompts() == 1 ? estimated : 0,
          output,
          classifier.classify(body, requested, tier),
          PromptPrefix.of(body.json(), model, fitting));
    }

    private static ObjectNode parse(byte @Nullable [] value) throws Refused {
      if (value == null || value.length == 0) {
        throw invalid("the body is empty; send an OpenAI request as JSON");
      }
      try {
        if (Json.callersTree(value) instanceof ObjectNode body) {
          return body;
        }
        throw invalid("the body must be a JSON object, an OpenAI request");
      } catch (StreamConstraintsException e) {
        throw invalid(
            "the body is nested too deeply, or has too many or too long values; simplify it");
      } catch (IOException e) {
        throw invalid("the body is not JSON; send an OpenAI request as JSON");
      }
    }

    private String model(OpenAiRequest body) throws Refused {
      JsonNode model = body.get("model");
      if (model.isMissingNode() || model.isNull()) {
        return served
            .configured()
            .defaultModel()
            .orElseThrow(() -> invalid("'model' is missing; name a model"));
      }
      if (!model.isTextual()
          || model.asText().isBlank()
          || model.asText().length() > MAX_NAME_LENGTH) {
        throw invalid(
            "'model' must be a model's name, of at most " + MAX_NAME_LENGTH + " characters");
      }
      if (served.refuses(model.asText())) {
        throw new Refused(
            ErrorKind.MODEL_NOT_FOUND,
            "this pool does not serve the model '%s'; available models: %s"
                .formatted(
                    abbreviated(model.asText()),
                    String.join(", ", served.configured().maxModelLen().keySet())));
      }
      return model.asText();
    }

    /** Of several prompts, each has a context of its own, and all of them are load. */
    private long longestPrompt(OpenAiRequest body) throws Refused {
      switch (body.endpoint()) {
        case CHAT_COMPLETIONS -> checkMessages(body.messages());
        case COMPLETIONS -> checkPrompt(body.prompt());
      }
      return estimate.ofLongestPrompt(body);
    }

    /**
     * Returns whether the whole prompt is text. Token ids and images are not counted by the
     * tokenizer.
     */
    private static boolean isText(OpenAiRequest body) {
      JsonNode prompt = body.prompt();
      boolean hasIds = prompt.isArray() && !stream(prompt).allMatch(JsonNode::isTextual);
      // Each template shows tools and documents in its own way.
      boolean hasMore = body.hasTools() || !body.get("documents").isEmpty();
      return !hasIds
          && !hasMore
          && stream(body.messages())
              .flatMap(message -> stream(message.path("content")))
              .allMatch(part -> part.path("text").isTextual());
    }

    private static Stream<JsonNode> stream(JsonNode array) {
      return StreamSupport.stream(array.spliterator(), false);
    }

    private static void checkPrompt(JsonNode prompt) throws Refused {
      if (!(prompt.isTextual() || prompt.isArray()) || (prompt.isArray() && prompt.isEmpty())) {
        throw invalid("'prompt' must be a text, or a non-empty array of texts or token ids");
      }
    }

    private static void checkMessages(JsonNode messages) throws Refused {
      if (!messages.isArray() || messages.isEmpty()) {
        throw invalid("'messages' must be a non-empty array");
      }
      for (JsonNode message : messages) {
        if (!message.isObject() || !message.path("role").isTextual()) {
          throw invalid("each of 'messages' must be an object with a 'role' and a 'content'");
        }
      }
    }

    /**
     * Returns the number of tokens to which the engine cuts the prompt, from the left. -1 means
     * whatever the output leaves of the context.
     */
    private static long truncation(OpenAiRequest body, long room) throws Refused {
      JsonNode limit = body.get("truncate_prompt_tokens");
      if (limit.isMissingNode() || limit.isNull()) {
        return Long.MAX_VALUE;
      }
      if (!limit.isIntegralNumber() || !limit.canConvertToInt() || limit.asInt() < -1) {
        throw invalid("'truncate_prompt_tokens' must be a whole number, at least -1");
      }
      return limit.asInt() < 0 ? Math.max(1, room) : limit.asInt();
    }

    /** 0 if the request does not say. */
    private static long requestedOutput(OpenAiRequest body) throws Refused {
      OptionalInt limit = body.maxTokens();
      boolean isUnreadable = limit.isEmpty() && !body.limit().isMissingNode();
      if (isUnreadable || limit.orElse(0) < 0) {
        throw invalid("'max_tokens' must be a whole number, at least 1");
      }
      return limit.orElse(0);
    }

    /**
     * Returns what is made at most: engines cut a limit to what the prompt leaves of the context.
     * One that is itself over the context they refuse.
     */
    private static long clampedOutput(long requested, long prompt, long longest) {
      return isLimitTooHigh(requested, prompt, longest)
          ? requested
          : Math.min(requested, Math.max(1, longest - prompt));
    }

    private static boolean isLimitTooHigh(long requested, long prompt, long longest) {
      return requested > longest
          && (prompt + requested) * (1 - ServedModels.ESTIMATE_ERROR) > longest;
    }

    private void checkLength(String model, long prompt, long requested) throws Refused {
      int longest = served.configured().longest(model).orElse(Integer.MAX_VALUE);
      if (prompt * (1 - ServedModels.ESTIMATE_ERROR) > longest
          || isLimitTooHigh(requested, prompt, longest)) {
        throw new Refused(
            ErrorKind.CONTEXT_LENGTH_EXCEEDED,
            "the longest context of '%s' is %d tokens, but the request needs about %d for the prompt and %d for the output; shorten the prompt, lower max_tokens, or set truncate_prompt_tokens to cut the prompt from the left"
                .formatted(model, longest, prompt, requested));
      }
    }

    private static Refused invalid(String message) {
      return new Refused(ErrorKind.INVALID_REQUEST, message);
    }

    private static String abbreviated(String text) {
      return text.length() > 80 ? text.substring(0, 80) + "..." : text;
    }
  }
}
