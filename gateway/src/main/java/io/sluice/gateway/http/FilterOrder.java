package io.sluice.gateway.http;

import io.micronaut.core.order.Ordered;

/**
 * The order of the gateway's filters. A request passes them from the first to the last, and its
 * response from the last to the first. All come before Micronaut's filter for CORS.
 */
public final class FilterOrder {
  /** Sees a response after all others, to translate it. */
  public static final int TRANSLATION = Ordered.HIGHEST_PRECEDENCE;

  /** Adds headers to all responses, also to refusals. */
  public static final int RESPONSE_HEADERS = 1;

  /** Adds headers for browsers. */
  public static final int SECURITY_HEADERS = 2;

  /** Adds headers about quotas. */
  public static final int RATE_LIMIT_HEADERS = 3;

  /** Gives the room of a body back. */
  public static final int BODY_LIMIT = 4;

  /** Refuses web pages, before anything is done for them. */
  public static final int BROWSER = 5;

  /** Refuses all while the gateway stops. */
  public static final int SHUTDOWN = 6;

  /** Finds out who calls, and whether there is room for the body. */
  public static final int ACCESS = 7;

  private FilterOrder() {}
}
