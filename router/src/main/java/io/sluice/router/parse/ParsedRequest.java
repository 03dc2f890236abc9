package io.sluice.router.parse;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;

/**
 * What became of reading a request's record; there are facts in any case, so that the caller can be
 * answered.
 */
public sealed interface ParsedRequest {
  RequestMetadata metadata();

  /**
   * The request is in order.
   *
   * @param prefix what its prompt begins with
   */
  record Accepted(RequestMetadata metadata, PrefixChain prefix) implements ParsedRequest {}

  /**
   * The request can never be served.
   *
   * @param message for the caller: what is wrong and what to do
   */
  record Refused(RequestMetadata metadata, ErrorKind kind, String message)
      implements ParsedRequest {}
}
