package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ReplyFold;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What is fixed of a stream.
 *
 * @param tenant on whose behalf the request was sent, where that is known
 * @param requestPartition the partition that the request is on, where that is known
 * @param fold where the reading begins
 * @param fromIndex the reader has the tokens before this one
 * @param silence how the stream ends when its time is over
 * @param isCancelledOnClose whether the request ends with its reader
 */
record StreamTerms(
    String requestId,
    Optional<String> tenant,
    OptionalInt requestPartition,
    ReplyFold fold,
    int fromIndex,
    Silence silence,
    boolean isCancelledOnClose) {

  /**
   * How a stream ends when its time is over.
   *
   * @param isBrokenByFirstRecord whether any record of the request lets it go on without a limit
   */
  record Silence(ErrorKind kind, String message, boolean isBrokenByFirstRecord) {}

  /** Of a request that is being sent from here. */
  static StreamTerms ofSent(
      String requestId, String tenant, int requestPartition, boolean isCancelledOnClose) {
    Silence noAnswer =
        new Silence(
            ErrorKind.DEADLINE_EXCEEDED,
            "no answer came by the deadline; is a router and a worker for this model running?",
            false);
    return new StreamTerms(
        requestId,
        Optional.of(tenant),
        OptionalInt.of(requestPartition),
        ReplyFold.fromStart(),
        0,
        noAnswer,
        isCancelledOnClose);
  }

  /**
   * Of a request that somebody else sent.
   *
   * @param nothingFound what is said if there is no record of it in time
   */
  static StreamTerms ofAttached(String requestId, int fromIndex, String nothingFound) {
    return new StreamTerms(
        requestId,
        Optional.empty(),
        OptionalInt.empty(),
        ReplyFold.fromAnywhere(),
        fromIndex,
        new Silence(ErrorKind.REQUEST_NOT_FOUND, nothingFound, true),
        false);
  }
}
