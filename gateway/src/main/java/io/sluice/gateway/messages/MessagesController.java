package io.sluice.gateway.messages;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.completion.Completions;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.messages.chat.ChatBody;
import io.sluice.gateway.openapi.NeedsApiKey;
import io.sluice.gateway.openapi.PoolOptions;
import io.sluice.gateway.openapi.Retryable;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/messages}. The body, not the header {@code Accept}, decides whether the answer is
 * streamed. All versions of the API that clients name are answered alike.
 */
@Tag(name = "Messages")
@NeedsApiKey
@ApiResponse(responseCode = "4XX", ref = "MessageRefused")
@ApiResponse(responseCode = "5XX", ref = "MessageFailed")
@Controller(value = "/v1/messages", produces = MediaType.ALL)
@ExecuteOn(TaskExecutors.BLOCKING)
final class MessagesController {
  private final Completions completions;
  private final PromptTokens tokens;
  private final JsonMemory memory;

  MessagesController(Completions completions, PromptTokens tokens, JsonMemory memory) {
    this.completions = completions;
    this.tokens = tokens;
    this.memory = memory;
  }

  /** Creates a message, whole or, with {@code stream}, as events. */
  @Post
  @RequestBody(ref = "Message")
  @PoolOptions
  @Retryable
  @ApiResponse(responseCode = "200", ref = "Message")
  HttpResponse<?> createMessage(HttpRequest<?> request, @Body byte @Nullable [] body)
      throws InterruptedException {
    return completions.translated(
        request,
        body,
        sent -> {
          ObjectNode chat = ChatBody.of(JsonBody.parse(sent));
          return new Completions.Translated(chat, new MessageFormat(chat, tokens));
        });
  }

  /**
   * Estimates the tokens of a prompt: messages, tools and calls, without images. Takes a request as
   * it would be sent to create a message, and asks no engine.
   */
  @Post(value = "/count_tokens", produces = MediaType.APPLICATION_JSON)
  @RequestBody(ref = "CountTokens")
  @ApiResponse(responseCode = "200", ref = "TokenCount")
  byte[] countMessageTokens(HttpRequest<?> request, @Body byte @Nullable [] body)
      throws InterruptedException {
    byte[] sent = JsonBody.bytes(body);
    try (TenantShares.Share _ = memory.take(Caller.of(request).tenant(), sent)) {
      return Json.bytes(Map.of("input_tokens", tokens.of(ChatBody.ofPrompt(JsonBody.parse(body)))));
    }
  }
}
