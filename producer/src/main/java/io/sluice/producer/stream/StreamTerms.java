package io.sluice.producer.stream;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ReplyFold;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The fixed properties of a stream.
 *
 * @param tenant the request's tenant, if this client sent it
 * @param onlyOf the only tenant whose answer may be read; empty for any
 * @param requestPartition the request's partition, if it is known
 * @param fold the state in which the reading begins
 * @param fromIndex the reader has the tokens before this one
 * @param overdueEnd how the stream ends when its time is over
 * @param isCancelledOnClose whether the request ends with its reader
 */
public record StreamTerms(
    String requestId,
    Optional<String> tenant,
    Optional<String> onlyOf,
    OptionalInt requestPartition,
    ReplyFold fold,
    int fromIndex,
    OverdueEnd overdueEnd,
    boolean isCancelledOnClose) {

  /**
   * How a stream ends when its time is over.
   *
   * @param isBrokenByFirstRecord whether any record of the request removes the time limit
   */
  public record OverdueEnd(ErrorKind kind, String message, boolean isBrokenByFirstRecord) {}

  /** Returns whether this client sent the request. */
  boolean isSentHere() {
    return tenant.isPresent();
  }

  /** Returns for whom the stream is read; empty if that is not known. */
  String reader() {
    return tenant.or(() -> onlyOf).orElse("");
  }

  /** Returns the terms of a request that this client sends. */
  public static StreamTerms ofSent(
      String requestId, String tenant, int requestPartition, boolean isCancelledOnClose) {
    OverdueEnd noAnswer =
        new OverdueEnd(
            ErrorKind.DEADLINE_EXCEEDED,
            "no answer by the deadline; check that a router and a worker for this model are running",
            false);
    return new StreamTerms(
        requestId,
        Optional.of(tenant),
        Optional.empty(),
        OptionalInt.of(requestPartition),
        ReplyFold.fromStart(),
        0,
        noAnswer,
        isCancelledOnClose);
  }

  /**
   * Returns the terms of a request that was sent elsewhere.
   *
   * @param onlyOf the only tenant whose answer may be read; empty for any
   * @param nothingFound the error message if there is no record of it in time
   */
  public static StreamTerms ofAttached(
      String requestId, Optional<String> onlyOf, int fromIndex, String nothingFound) {
    return new StreamTerms(
        requestId,
        Optional.empty(),
        onlyOf,
        OptionalInt.empty(),
        ReplyFold.fromAnywhere(),
        fromIndex,
        new OverdueEnd(ErrorKind.REQUEST_NOT_FOUND, nothingFound, true),
        false);
  }
}
