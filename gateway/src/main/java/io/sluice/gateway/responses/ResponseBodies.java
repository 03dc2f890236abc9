package io.sluice.gateway.responses;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.pool.Served;
import io.sluice.gateway.responses.event.ResponseEvents;

/** HTTP responses with the objects of this API. */
final class ResponseBodies {
  private ResponseBodies() {}

  /** Returns a response as it is at present. */
  static MutableHttpResponse<byte[]> of(ResponseEvents events) {
    return of(events.response());
  }

  /** Returns a response as it is at present, with the id of its request in the head. */
  static MutableHttpResponse<byte[]> of(ResponseEvents events, String requestId) {
    MutableHttpResponse<byte[]> response = of(events);
    Served.identify(response, requestId);
    return response;
  }

  /** Returns an object. */
  static MutableHttpResponse<byte[]> of(ObjectNode json) {
    return HttpResponse.ok(Json.bytes(json)).contentType(MediaType.APPLICATION_JSON_TYPE);
  }
}
