package io.sluice.gateway.http;

import io.micronaut.core.order.Ordered;

/**
 * The order of the gateway's filters. A request passes them from the first to the last, and its
 * response from the last to the first.
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

  /** Finds out whether there is room for an answer. */
  public static final int ANSWER_LIMIT = 5;

  /** Refuses web pages, before anything is done for them. */
  public static final int BROWSER = 6;

  /**
   * Refuses all while the gateway stops. After Micronaut's filter for CORS, so that pages see the
   * refusal.
   */
  public static final int SHUTDOWN = 9_300;

  /** Finds out who calls, and whether there is room for the body. */
  public static final int ACCESS = 9_301;

  private FilterOrder() {}
}
