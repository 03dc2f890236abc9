package io.sluice.gateway.http;

import io.micronaut.context.annotation.Replaces;
import io.micronaut.core.bind.annotation.Bindable;
import io.micronaut.core.convert.exceptions.ConversionErrorException;
import io.micronaut.core.type.Argument;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import io.sluice.common.topic.PoolTopics;
import jakarta.inject.Singleton;

/** Gives the errors of the HTTP server OpenAI's format. */
@Singleton
@Replaces(ErrorResponseProcessor.class)
final class OpenAiErrorProcessor implements ErrorResponseProcessor<byte[]> {

  static final String TOO_LARGE =
      "the request is too large: a body has at most %d MiB, unless it is a file; all headers at most 32 KiB"
          .formatted(PoolTopics.MAX_REQUEST_BYTES >> 20);

  @Override
  public MutableHttpResponse<byte[]> processResponse(
      ErrorContext context, MutableHttpResponse<?> response) {
    HttpRequest<?> request = context.getRequest();
    HttpStatus status = response.status();
    ApiError error =
        context.getRootCause().orElse(null) instanceof ConversionErrorException wrong
            ? notConverted(status, wrong)
            : ApiError.of(status, message(status, request));
    MutableHttpResponse<byte[]> answer = error.toResponse();
    String allow = response.getHeaders().get(HttpHeaders.ALLOW);
    return allow == null ? answer : answer.header(HttpHeaders.ALLOW, allow);
  }

  /** Returns the error of a parameter that is of another type. */
  private static ApiError notConverted(HttpStatus status, ConversionErrorException wrong) {
    Argument<?> parameter = wrong.getArgument();
    String name =
        parameter.getAnnotationMetadata().stringValue(Bindable.class).orElse(parameter.getName());
    Object given = wrong.getConversionError().getOriginalValue().orElse("");
    String problem =
        parameter.getType() == int.class ? "must be a whole number, not '%s'" : "cannot be '%s'";
    return ApiError.of(status, name + " " + problem.formatted(given)).onParam(name);
  }

  private static String message(HttpStatus status, HttpRequest<?> request) {
    return switch (status) {
      case NOT_FOUND -> "there is no " + request.getMethodName() + " " + request.getPath();
      case METHOD_NOT_ALLOWED -> request.getPath() + " takes no " + request.getMethodName();
      case REQUEST_ENTITY_TOO_LARGE -> TOO_LARGE;
      case UNSUPPORTED_MEDIA_TYPE -> "the content type must be application/json";
      case INTERNAL_SERVER_ERROR -> "internal error of the gateway; see its log";
      default -> status.getReason();
    };
  }
}
