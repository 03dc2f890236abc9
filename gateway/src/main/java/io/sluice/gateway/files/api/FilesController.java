package io.sluice.gateway.files.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.ServerHttpRequest;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Error;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.GatewayFiles;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.http.ByteStream;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.openapi.ApiErrors;
import io.sluice.gateway.openapi.NeedsApiKey;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;

/** {@code /v1/files}. */
@Tag(name = "Files")
@NeedsApiKey
@ApiErrors
@Controller("/v1/files")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(TaskExecutors.BLOCKING)
final class FilesController {
  private static final int MOST_DOWNLOADS = 128;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  /** One of 10,000 files takes some 40 MB while it is made. */
  private static final int MOST_LISTINGS = 2;

  private final TenantShares downloads = new TenantShares(MOST_DOWNLOADS);
  private final TenantShares listings = new TenantShares(MOST_LISTINGS);
  private final GatewayFiles files;
  private final Uploads uploads;

  FilesController(GatewayFiles files, Uploads uploads) {
    this.files = files;
    this.uploads = uploads;
  }

  /** Stores a file. It exists whole or not at all. */
  @Post
  @RequestBody(ref = "Upload")
  @ApiResponse(responseCode = "200", ref = "File")
  @ApiResponse(responseCode = "404", ref = "NoFiles")
  @ApiResponse(responseCode = "413", ref = "FileTooLarge")
  @ApiResponse(responseCode = "429", ref = "TooManyRequests")
  HttpResponse<?> createFile(HttpRequest<?> request) throws IOException {
    FileStore store = store();
    // What is left of a refused upload is read and dropped, so that its client sees why.
    try (InputStream body = ((ServerHttpRequest<?>) request).byteBody().move().toInputStream()) {
      StoredFile file =
          uploads.receive(
              store,
              Caller.of(request).tenant(),
              request.getHeaders().get(HttpHeaders.CONTENT_TYPE),
              body);
      return ok(FileObjects.of(file));
    }
  }

  /** Lists the tenant's files. */
  @Get
  @ApiResponse(responseCode = "200", ref = "FileList")
  @ApiResponse(responseCode = "404", ref = "NoFiles")
  @ApiResponse(responseCode = "429", ref = "TooManyRequests")
  HttpResponse<?> listFiles(
      HttpRequest<?> request,
      @Parameter(ref = "Purpose") @Nullable @QueryValue String purpose,
      @Parameter(ref = "FileLimit") @QueryValue(defaultValue = "" + FilePage.MOST) int limit,
      @Parameter(ref = "Order") @QueryValue(defaultValue = "desc") String order,
      @Parameter(ref = "AfterFile") @Nullable @QueryValue String after)
      throws InterruptedException {
    if (limit < 1 || limit > FilePage.MOST) {
      throw FileErrors.invalid("limit must be 1 to " + FilePage.MOST, "limit");
    }
    if (!order.equals("asc") && !order.equals("desc")) {
      throw FileErrors.invalid("order must be asc or desc", "order");
    }
    var query =
        new FilePage.Query(
            Optional.ofNullable(purpose), limit, order.equals("asc"), Optional.ofNullable(after));
    String tenant = Caller.of(request).tenant();
    try (TenantShares.Share _ =
        listings.take(tenant, 1, LONGEST_WAIT).orElseThrow(FileErrors::busy)) {
      return ok(FileObjects.of(FilePage.read(store(), tenant, query)));
    }
  }

  /**
   * Returns a file's object.
   *
   * @param id the id of the file
   */
  @Get("/{id}")
  @ApiResponse(responseCode = "200", ref = "File")
  @ApiResponse(responseCode = "404", ref = "FileNotFound")
  HttpResponse<?> retrieveFile(HttpRequest<?> request, String id) {
    return ok(FileObjects.of(find(request, id)));
  }

  /**
   * Returns a file's bytes.
   *
   * @param id the id of the file
   */
  @Get(value = "/{id}/content", headRoute = false)
  @ApiResponse(responseCode = "200", ref = "FileContent")
  @ApiResponse(responseCode = "404", ref = "FileNotFound")
  @ApiResponse(responseCode = "429", ref = "TooManyRequests")
  HttpResponse<?> downloadFile(HttpRequest<?> request, String id) throws InterruptedException {
    StoredFile file = find(request, id);
    TenantShares.Share place =
        downloads
            .take(Caller.of(request).tenant(), 1, LONGEST_WAIT)
            .orElseThrow(FileErrors::busy)
            .until(request);
    return ByteStream.respond(
        HttpResponse.ok().header("x-content-type-options", "nosniff"),
        file.bytes(),
        () -> store().open(file, 0),
        place::close);
  }

  /**
   * Deletes a file.
   *
   * @param id the id of the file
   */
  @Delete("/{id}")
  @ApiResponse(responseCode = "200", ref = "FileDeleted")
  @ApiResponse(responseCode = "404", ref = "FileNotFound")
  HttpResponse<?> deleteFile(HttpRequest<?> request, String id) {
    StoredFile file = find(request, id);
    store().delete(file.id(), file.tenant());
    return ok(FileObjects.deleted(id));
  }

  @Error(StorageException.class)
  HttpResponse<?> storageFailed(StorageException e) {
    return FileErrors.storageFailed(e).error().toResponse();
  }

  private StoredFile find(HttpRequest<?> request, String id) {
    return store().find(id, Caller.of(request).tenant()).orElseThrow(() -> FileErrors.notFound(id));
  }

  private FileStore store() {
    return files.store().orElseThrow(FileErrors::notEnabled);
  }

  private static HttpResponse<?> ok(ObjectNode json) {
    return HttpResponse.ok(Json.bytes(json)).contentType(MediaType.APPLICATION_JSON_TYPE);
  }
}
