package io.sluice.router.parse;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestFacts;

/**
 * What became of reading a request's record; there are facts in any case, so that the caller can be
 * answered.
 */
public sealed interface Reading {
  RequestFacts facts();

  /**
   * The request is in order.
   *
   * @param prefix what its prompt begins with
   */
  record Accepted(RequestFacts facts, PrefixChain prefix) implements Reading {}

  /**
   * The request can never be served.
   *
   * @param message for the caller: what is wrong and what to do
   */
  record Refused(RequestFacts facts, ErrorKind kind, String message) implements Reading {}
}
