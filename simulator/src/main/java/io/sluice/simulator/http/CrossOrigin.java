package io.sluice.simulator.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;

/** What browsers are told: a page of any origin may do anything. */
final class CrossOrigin {

  private CrossOrigin() {}

  /** Returns whether a browser asks before it sends the request itself. */
  static boolean isPreflight(HttpMethod method, HttpHeaders request) {
    return method.equals(HttpMethod.OPTIONS)
        && request.contains(HttpHeaderNames.ORIGIN)
        && request.contains(HttpHeaderNames.ACCESS_CONTROL_REQUEST_METHOD);
  }

  static void describe(HttpMethod method, HttpHeaders request, HttpHeaders answer) {
    if (request.contains(HttpHeaderNames.ORIGIN)) {
      answer.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    }
    if (isPreflight(method, request)) {
      answer.set(
          HttpHeaderNames.ACCESS_CONTROL_ALLOW_METHODS,
          "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT");
      answer.set(HttpHeaderNames.ACCESS_CONTROL_MAX_AGE, "600");
      answer.set(
          HttpHeaderNames.ACCESS_CONTROL_ALLOW_HEADERS,
          request.getAll(HttpHeaderNames.ACCESS_CONTROL_REQUEST_HEADERS));
    }
  }
}
