package io.sluice.gateway.batch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.ListPage;
import io.sluice.gateway.openapi.ApiErrors;
import io.sluice.gateway.openapi.BatchOptions;
import io.sluice.gateway.openapi.NeedsApiKey;
import io.sluice.gateway.openapi.Retryable;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /v1/batches}. */
@Tag(name = "Batches")
@NeedsApiKey
@ApiErrors
@Controller(value = "/v1/batches", produces = MediaType.ALL)
@ExecuteOn(TaskExecutors.BLOCKING)
final class BatchesController {
  private static final int MAX_LIMIT = 100;

  private final BatchService service;
  private final BatchCreation creation;

  BatchesController(BatchService service, BatchCreation creation) {
    this.service = service;
    this.creation = creation;
  }

  /** Creates a batch: the requests of a file, run as bulk. Needs file storage. */
  @Post
  @Retryable
  @RequestBody(ref = "Batch")
  @BatchOptions
  @ApiResponse(responseCode = "200", ref = "Batch")
  @ApiResponse(responseCode = "404", ref = "NoFiles")
  @ApiResponse(responseCode = "422", ref = "Unprocessable")
  @ApiResponse(responseCode = "429", ref = "TooManyBatches")
  HttpResponse<?> createBatch(HttpRequest<?> request, @Body byte @Nullable [] body)
      throws InterruptedException {
    return ok(BatchDocument.of(creation.create(request, body)));
  }

  /**
   * Returns a batch as it is now, at most a second old while it runs.
   *
   * @param id the id of the batch
   */
  @Get("/{id}")
  @ApiResponse(responseCode = "200", ref = "Batch")
  @ApiResponse(responseCode = "404", ref = "BatchNotFound")
  HttpResponse<?> retrieveBatch(HttpRequest<?> request, String id) {
    return ok(BatchDocument.of(service.batches().find(id, Caller.of(request))));
  }

  /**
   * Cancels a batch. The results so far are kept. Repeated calls have no effect.
   *
   * @param id the id of the batch
   */
  @Post("/{id}/cancel")
  @ApiResponse(responseCode = "200", ref = "Batch")
  @ApiResponse(responseCode = "404", ref = "BatchNotFound")
  @ApiResponse(responseCode = "409", ref = "BatchEnded")
  HttpResponse<?> cancelBatch(HttpRequest<?> request, String id) {
    return ok(BatchDocument.of(service.batches().cancel(id, Caller.of(request))));
  }

  /** Lists the tenant's batches, the newest first. */
  @Get
  @ApiResponse(responseCode = "200", ref = "BatchList")
  @ApiResponse(responseCode = "404", ref = "NoFiles")
  HttpResponse<?> listBatches(
      HttpRequest<?> request,
      @Parameter(ref = "Limit") @QueryValue(defaultValue = "20") int limit,
      @Parameter(ref = "AfterBatch") @Nullable @QueryValue String after) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST, "limit must be 1 to " + MAX_LIMIT + ", not " + limit, "limit");
    }
    // Ids sort by their time, so a deleted batch still shows where to continue.
    List<Batch> rest =
        service.batches().list(Caller.of(request)).stream()
            .filter(batch -> after == null || batch.created().id().compareTo(after) < 0)
            .limit(limit + 1L)
            .toList();
    List<ObjectNode> page = rest.stream().limit(limit).map(BatchDocument::of).toList();
    return ok(ListPage.of(page, rest.size() > limit));
  }

  private static HttpResponse<?> ok(ObjectNode json) {
    return HttpResponse.ok(Json.bytes(json)).contentType(MediaType.APPLICATION_JSON_TYPE);
  }
}
