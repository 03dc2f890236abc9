package io.sluice.simulator.endpoint;

import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.openai.request.Fields;
import io.sluice.simulator.openai.request.JsonBody;

/** Reads the JSON object in the body of a POST request. */
final class RequestBody {

  private RequestBody() {}

  static Fields of(Exchange exchange) {
    return JsonBody.of(exchange.header("content-type"), exchange.body());
  }
}
