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
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.openapi.ApiErrors;
import io.sluice.gateway.openapi.NeedsApiKey;
import io.sluice.gateway.openapi.PoolErrors;
import io.sluice.gateway.openapi.PoolOptions;
import io.sluice.gateway.openapi.Retryable;
import io.sluice.gateway.pool.ReaderSlots;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.DeletedResponse;
import io.sluice.producer.client.ReplyStream;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** {@code /v1/responses}. */
@Tag(name = "Responses")
@NeedsApiKey
@ApiErrors
@Controller("/v1/responses")
@Produces(MediaType.ALL)
@ExecuteOn(TaskExecutors.BLOCKING)
final class ResponsesController {
  /**
   * A stream whose response has begun continues for this long, or until its deadline has passed.
   */
  private static final Duration LONGEST = Duration.ofHours(1);

  /** A reader finds a reply that is stored within this time after it has reached the end. */
  private static final Duration AT_ONCE = Duration.ofMillis(1);

  private final Responses responses;
  private final StoredResponses stored;
  private final ResponseReader reader;
  private final Cancellation cancellation;
  private final Replies replies;
  private final ReaderSlots slots;
  private final GatewayConfig config;
  private final Clock clock;

  ResponsesController(
      Responses responses,
      StoredResponses stored,
      ResponseReader reader,
      Cancellation cancellation,
      Replies replies,
      ReaderSlots slots,
      GatewayConfig config,
      Clock clock) {
    this.responses = responses;
    this.stored = stored;
    this.reader = reader;
    this.cancellation = cancellation;
    this.replies = replies;
    this.slots = slots;
    this.config = config;
    this.clock = clock;
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
    CreatedResponse created = stored.find(id, Caller.of(request));
    // Also before a stream, because an error has a status only then.
    ResponseEvents present = reader.read(created);
    if (!stream) {
      return Responses.ok(present);
    }
    checkPosition(startingAfter, present);
    return follow(request, created.withoutInput(), startingAfter);
  }

  /** Of a response that is still made, any number may be that of a coming event. */
  private static void checkPosition(int startingAfter, ResponseEvents present) {
    if (startingAfter < -1) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST,
          "starting_after must be the number of an event, or -1 for all, not " + startingAfter,
          "starting_after");
    }
    if (present.isEnded() && startingAfter > present.lastNumber()) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST,
          "starting_after is %d, but the response has ended with event %d"
              .formatted(startingAfter, present.lastNumber()),
          "starting_after");
    }
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
    return Responses.ok(cancellation.cancel(stored.find(id, Caller.of(request))));
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
    CreatedResponse created = stored.find(id, Caller.of(request));
    // First, because no client can ask for it any more once the deletion is stored.
    cancellation.abandon(created);
    stored.append(new DeletedResponse(created.requestId()));
    return Responses.ok(
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
    return Responses.ok(InputItems.page(stored.find(id, Caller.of(request)), limit, order, after));
  }

  private HttpResponse<?> follow(
      HttpRequest<?> request, CreatedResponse created, int startingAfter) {
    // The events of a client that leaves at once are never written.
    TenantShares.Share slot = slots.take(created.tenant()).until(request);
    Duration left =
        Duration.between(clock.instant(), created.deadline()).plus(Recovery.REFUSED_WITHIN);
    Duration patience = left.isPositive() ? left : AT_ONCE;
    Duration longest = patience.compareTo(LONGEST) > 0 ? patience : LONGEST;
    return EventStream.respond(
        HttpResponse.ok().header("x-request-id", created.requestId()),
        events -> {
          try (slot;
              ReplyStream reply = replies.follow(created.requestId(), patience)) {
            new StreamedResponse(
                    reply,
                    new ResponseEvents(created),
                    startingAfter,
                    events,
                    Optional.empty(),
                    config.keepAlive(),
                    () -> reader.resume(created))
                .write(Optional.empty(), longest);
          }
        });
  }
}
