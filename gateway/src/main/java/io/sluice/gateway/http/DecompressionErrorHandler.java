package io.sluice.gateway.http;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import io.netty.handler.codec.compression.DecompressionException;
import jakarta.inject.Singleton;

/**
 * Refuses a body that cannot be decompressed: 413 if a part of it becomes too large, otherwise 400.
 */
@Singleton
final class DecompressionErrorHandler
    implements ExceptionHandler<DecompressionException, HttpResponse<?>> {
  /** In Netty's message; it has no exception of its own for that. */
  private static final String TOO_LARGE = "maximum size";

  @Override
  @SuppressWarnings("rawtypes") // as in the interface
  public HttpResponse<?> handle(HttpRequest request, DecompressionException exception) {
    String cause = String.valueOf(exception.getMessage());
    ApiError error =
        cause.contains(TOO_LARGE)
            ? ApiError.of(HttpStatus.REQUEST_ENTITY_TOO_LARGE, OpenAiErrorProcessor.TOO_LARGE)
            : ApiError.of(
                HttpStatus.BAD_REQUEST, "the body is not what its content-encoding says: " + cause);
    return error.toResponse();
  }
}
