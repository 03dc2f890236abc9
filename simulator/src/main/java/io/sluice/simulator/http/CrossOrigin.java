package io.sluice.simulator.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;

/**
 * The CORS headers of answers.
 *
 * @param open whether pages of any origin may use the server; otherwise none may
 */
record CrossOrigin(boolean open) {

  private static final String PREFLIGHT_VARY =
      "Origin, Access-Control-Request-Method, Access-Control-Request-Headers, Access-Control-Request-Private-Network";
  private static final String METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

  /** Returns whether a request is a CORS preflight. */
  static boolean isPreflight(HttpMethod method, HttpHeaders request) {
    return method.equals(HttpMethod.OPTIONS)
        && request.contains(HttpHeaderNames.ORIGIN)
        && request.contains(HttpHeaderNames.ACCESS_CONTROL_REQUEST_METHOD);
  }

  int preflightStatus() {
    return open ? 200 : 400;
  }

  String preflightText() {
    return open ? "OK" : "Disallowed CORS origin";
  }

  void describe(HttpMethod method, HttpHeaders request, HttpHeaders answer) {
    if (!open) {
      answer.set(HttpHeaderNames.VARY, isPreflight(method, request) ? PREFLIGHT_VARY : "Origin");
    } else if (request.contains(HttpHeaderNames.ORIGIN)) {
      answer.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    }
    if (isPreflight(method, request)) {
      answer.set(
          HttpHeaderNames.ACCESS_CONTROL_ALLOW_METHODS, open ? METHODS : METHODS + ", QUERY");
      answer.set(HttpHeaderNames.ACCESS_CONTROL_MAX_AGE, "600");
      answer.set(
          HttpHeaderNames.ACCESS_CONTROL_ALLOW_HEADERS,
          request.getAll(HttpHeaderNames.ACCESS_CONTROL_REQUEST_HEADERS));
    }
  }
}
