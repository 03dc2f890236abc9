package io.sluice.gateway.completion;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.common.protocol.Endpoint;
import io.sluice.gateway.openapi.ApiErrors;
import io.sluice.gateway.openapi.NeedsApiKey;
import io.sluice.gateway.openapi.PoolErrors;
import io.sluice.gateway.openapi.PoolOptions;
import io.sluice.gateway.openapi.Retryable;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/chat/completions} and {@code /v1/completions}. The body, not the header {@code
 * Accept}, decides whether the answer is streamed.
 */
@Tag(name = "Completions")
@NeedsApiKey
@ApiErrors
@Controller(produces = MediaType.ALL)
@ExecuteOn(TaskExecutors.BLOCKING)
final class CompletionController {
  private final Completions completions;

  CompletionController(Completions completions) {
    this.completions = completions;
  }

  /** Creates a chat completion, whole or, with {@code stream}, as events. */
  @Post("/v1/chat/completions")
  @RequestBody(ref = "ChatCompletion")
  @PoolOptions
  @Retryable
  @ApiResponse(responseCode = "200", ref = "ChatCompletion")
  @PoolErrors
  HttpResponse<?> createChatCompletion(HttpRequest<?> request, @Body byte @Nullable [] body)
      throws InterruptedException {
    return completions.complete(Endpoint.CHAT_COMPLETIONS, request, body);
  }

  /** Continues a prompt, whole or, with {@code stream}, as events. */
  @Post("/v1/completions")
  @RequestBody(ref = "Completion")
  @PoolOptions
  @Retryable
  @ApiResponse(responseCode = "200", ref = "Completion")
  @PoolErrors
  HttpResponse<?> createCompletion(HttpRequest<?> request, @Body byte @Nullable [] body)
      throws InterruptedException {
    return completions.complete(Endpoint.COMPLETIONS, request, body);
  }
}
