package io.sluice.gateway.messages;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.FilterOrder;
import io.sluice.gateway.messages.answer.MessageError;
import java.util.Optional;

/**
 * Gives all responses what Anthropic's clients expect: the header {@code request-id}, and errors in
 * their format, wherever they arise. It sees a response after all other filters.
 */
@ServerFilter("/v1/messages/**")
@Order(FilterOrder.TRANSLATION)
final class MessagesFilter {

  @ResponseFilter
  void translate(MutableHttpResponse<?> response) {
    Optional<String> id = Optional.ofNullable(response.getHeaders().get("x-request-id"));
    id.ifPresent(value -> response.header("request-id", value));
    ApiError.of(response).ifPresent(error -> response.body(Json.bytes(MessageError.of(error, id))));
  }
}
