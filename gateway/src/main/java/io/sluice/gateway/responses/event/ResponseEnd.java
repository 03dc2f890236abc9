package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a response ended.
 *
 * @param incompleteReason why its output stops early
 * @param error OpenAI's error object, or null
 * @param usage OpenAI's usage object, or null
 * @param latencyMillis the time that the answer took
 * @param model the model that served instead of the requested one
 */
record ResponseEnd(
    ResponseStatus status,
    Optional<String> incompleteReason,
    JsonNode error,
    JsonNode usage,
    OptionalLong latencyMillis,
    Optional<String> model) {

  /**
   * Returns the regular end.
   *
   * @param closing the closing chunk
   */
  static ResponseEnd of(Answer answer, JsonNode closing) {
    Optional<String> reason =
        switch (answer.finishReason()) {
          case "length" -> Optional.of("max_output_tokens");
          case "content_filter" -> Optional.of("content_filter");
          default -> Optional.empty();
        };
    return new ResponseEnd(
        reason.isPresent() ? ResponseStatus.INCOMPLETE : ResponseStatus.COMPLETED,
        reason,
        NullNode.getInstance(),
        Usage.in(closing).map(ResponseEnd::json).orElseGet(NullNode::getInstance),
        answer.latencyMillis(),
        answer.fallback() ? answer.model() : Optional.empty());
  }

  /** Returns the end with an error. */
  static ResponseEnd of(ReplyEvent.Failed failed) {
    boolean isCancelled = failed.kind() == ErrorKind.CANCELLED;
    return new ResponseEnd(
        isCancelled ? ResponseStatus.CANCELLED : ResponseStatus.FAILED,
        Optional.empty(),
        isCancelled ? NullNode.getInstance() : error(failed),
        NullNode.getInstance(),
        OptionalLong.empty(),
        Optional.empty());
  }

  private static ObjectNode error(ReplyEvent.Failed failed) {
    String code =
        switch (failed.kind()) {
          case OVERLOADED, QUOTA_EXCEEDED -> "rate_limit_exceeded";
          case INVALID_REQUEST, MODEL_NOT_FOUND, CONTEXT_LENGTH_EXCEEDED, ANSWER_TOO_LARGE ->
              "invalid_prompt";
          case DEADLINE_EXCEEDED,
              ENGINE_ERROR,
              WORKER_LOST,
              REPLY_UNREADABLE,
              CANCELLED,
              REQUEST_ID_IN_USE,
              REPLY_TRUNCATED,
              REQUEST_NOT_FOUND,
              UNAVAILABLE ->
              "server_error";
        };
    return Json.mapper().createObjectNode().put("code", code).put("message", failed.message());
  }

  private static JsonNode json(Usage usage) {
    ObjectNode json = Json.mapper().createObjectNode().put("input_tokens", usage.promptTokens());
    json.putObject("input_tokens_details")
        .put("cached_tokens", usage.cachedTokens().orElse(0))
        .put("cache_write_tokens", 0);
    json.put("output_tokens", usage.completionTokens());
    json.putObject("output_tokens_details")
        .put("reasoning_tokens", usage.reasoningTokens().orElse(0));
    return json.put("total_tokens", usage.promptTokens() + usage.completionTokens());
  }
}
