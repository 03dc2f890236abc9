package io.sluice.gateway.http;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;

/** Responds with the error that ended the processing of a request. */
@Singleton
final class ApiExceptionHandler implements ExceptionHandler<ApiException, HttpResponse<?>> {

  @Override
  @SuppressWarnings("rawtypes") // as in the interface
  public HttpResponse<?> handle(HttpRequest request, ApiException exception) {
    return exception.error().toResponse();
  }
}
