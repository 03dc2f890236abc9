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
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/chat/completions} and {@code /v1/completions}. The body, not the header {@code
 * Accept}, decides whether the answer is streamed.
 */
@Controller(produces = MediaType.ALL)
@ExecuteOn(TaskExecutors.BLOCKING)
final class CompletionController {
  private final Completions completions;

  CompletionController(Completions completions) {
    this.completions = completions;
  }

  @Post("/v1/chat/completions")
  HttpResponse<?> chat(HttpRequest<?> request, @Body byte @Nullable [] body)
      throws InterruptedException {
    return completions.answer(Endpoint.CHAT_COMPLETIONS, request, body, CompletionFormat::new);
  }

  @Post("/v1/completions")
  HttpResponse<?> complete(HttpRequest<?> request, @Body byte @Nullable [] body)
      throws InterruptedException {
    return completions.answer(Endpoint.COMPLETIONS, request, body, CompletionFormat::new);
  }
}
