package io.sluice.router.parse;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;

/**
 * The result of reading a request's record. It contains metadata in any case, so that the caller
 * can be answered.
 */
public sealed interface ParsedRequest {
  RequestMetadata metadata();

  /**
   * The request is valid.
   *
   * @param prefix the prefix of its prompt
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
