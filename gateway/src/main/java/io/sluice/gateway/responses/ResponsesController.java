package io.sluice.gateway.responses;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.openapi.ApiErrors;
import io.sluice.gateway.openapi.NeedsApiKey;
import io.sluice.gateway.openapi.PoolErrors;
import io.sluice.gateway.openapi.PoolOptions;
import io.sluice.gateway.openapi.Retryable;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.DeletedResponse;
import io.sluice.gateway.responses.record.StoredResponse;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;

/** {@code /v1/responses}. */
@Tag(name = "Responses")
@NeedsApiKey
@ApiErrors
@Controller("/v1/responses")
@Produces(MediaType.ALL)
@ExecuteOn(TaskExecutors.BLOCKING)
final class ResponsesController {
  private final Responses responses;
  private final StoredResponses stored;
  private final Retrieval retrieval;
  private final Cancellation cancellation;
  private final JsonMemory memory;

  ResponsesController(
      Responses responses,
      StoredResponses stored,
      Retrieval retrieval,
      Cancellation cancellation,
      JsonMemory memory) {
    this.responses = responses;
    this.stored = stored;
    this.retrieval = retrieval;
    this.cancellation = cancellation;
    this.memory = memory;
  }

  /**
   * Creates a response: whole, with {@code stream} as events, or, with {@code background}, at once.
   * A background response continues when its client leaves; ask for it by its id.
   */
  @Post
  @RequestBody(ref = "Response")
  @PoolOptions
  @Retryable
  @ApiResponse(responseCode = "200", ref = "Response")
  @PoolErrors
  @ApiResponse(responseCode = "410", ref = "Truncated")
  HttpResponse<?> createResponse(HttpRequest<?> request, @Body byte[] body)
      throws InterruptedException {
    return responses.create(request, body);
  }

  /**
   * Returns a response as it is now, or, with {@code stream}, its events up to its end.
   *
   * @param id the id of the response
   */
  @Get(value = "/{id}", headRoute = false)
  @ApiResponse(responseCode = "200", ref = "StreamableResponse")
  @ApiResponse(responseCode = "404", ref = "ResponseNotFound")
  @ApiResponse(responseCode = "410", ref = "Truncated")
  HttpResponse<?> getResponse(
      HttpRequest<?> request,
      String id,
      @Parameter(ref = "Stream") @QueryValue(defaultValue = "false") boolean stream,
      @Parameter(ref = "StartingAfter") @QueryValue(value = "starting_after", defaultValue = "-1")
          int startingAfter)
      throws InterruptedException {
    StoredResponse found = stored.find(id, Caller.of(request));
    return stream ? retrieval.events(request, found, startingAfter) : retrieval.whole(found);
  }

  /**
   * Cancels a background response. One that has ended is returned as it is.
   *
   * @param id the id of the response
   */
  @Post("/{id}/cancel")
  @ApiResponse(responseCode = "200", ref = "StoredResponse")
  @ApiResponse(responseCode = "404", ref = "ResponseNotFound")
  @ApiResponse(responseCode = "410", ref = "Truncated")
  HttpResponse<?> cancelResponse(HttpRequest<?> request, String id) throws InterruptedException {
    return ResponseBodies.of(cancellation.cancel(stored.find(id, Caller.of(request))));
  }

  /**
   * Deletes a response, and cancels it if it is still made.
   *
   * @param id the id of the response
   */
  @Delete("/{id}")
  @ApiResponse(responseCode = "200", ref = "ResponseDeleted")
  @ApiResponse(responseCode = "404", ref = "ResponseNotFound")
  HttpResponse<?> deleteResponse(HttpRequest<?> request, String id) throws InterruptedException {
    CreatedResponse created = stored.find(id, Caller.of(request)).withoutContent();
    // First, because no client can ask for it any more once the deletion is stored.
    cancellation.abandon(created);
    stored.append(new DeletedResponse(created.requestId()));
    return ResponseBodies.of(
        Json.mapper()
            .createObjectNode()
            .put("id", id)
            .put("object", "response")
            .put("deleted", true));
  }

  /**
   * Lists a response's own input, without that of the responses before it.
   *
   * @param id the id of the response
   */
  @Get("/{id}/input_items")
  @ApiResponse(responseCode = "200", ref = "InputItems")
  @ApiResponse(responseCode = "404", ref = "ResponseNotFound")
  HttpResponse<?> listInputItems(
      HttpRequest<?> request,
      String id,
      @Parameter(ref = "Limit") @QueryValue(defaultValue = "20") int limit,
      @Parameter(ref = "Order") @QueryValue(defaultValue = "desc") String order,
      @Parameter(ref = "AfterItem") @Nullable @QueryValue String after)
      throws InterruptedException {
    StoredResponse found = stored.find(id, Caller.of(request));
    try (TenantShares.Share _ = memory.take(found.tenant(), found.json())) {
      return ResponseBodies.of(InputItems.page(found.whole(), limit, order, after));
    }
  }
}
