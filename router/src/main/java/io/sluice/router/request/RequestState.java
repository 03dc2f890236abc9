package io.sluice.router.request;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where a request stands: {@code pending -> leased -> started} and then {@linkplain EndedRequest
 * ended}, back to {@code pending} whenever a lease ends without an answer, and {@code -> ending}
 * and then ended when the router itself has to write a terminal record or a dead letter.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "state")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RequestState.Pending.class, name = "pending"),
  @JsonSubTypes.Type(value = RequestState.Leased.class, name = "leased"),
  @JsonSubTypes.Type(value = RequestState.Started.class, name = "started"),
  @JsonSubTypes.Type(value = RequestState.Ending.class, name = "ending")
})
public sealed interface RequestState {

  /**
   * Waits for a worker.
   *
   * @param notBeforeMillis not to be sent before, epoch milliseconds
   * @param last the lease it had before, whose late completion still counts
   */
  record Pending(long notBeforeMillis, Optional<LeaseRef> last) implements RequestState {}

  /** Sent to a worker. */
  record Leased(LeaseRef lease) implements RequestState {}

  /** Generating; its reply is in the log from {@code History.firstReplyOffset} on. */
  record Started(LeaseRef lease) implements RequestState {}

  /**
   * It ends with an error; what is left to write of that is on its way.
   *
   * @param lease under which the error is told: the router's own, or that of the worker that did it
   * @param unwritten what is not known to be in the log
   */
  record Ending(
      LeaseRef lease,
      ErrorKind kind,
      String message,
      OptionalLong retryAfterMillis,
      List<EndRecord> unwritten)
      implements RequestState {
    public Ending {
      Objects.requireNonNull(kind);
      unwritten = List.copyOf(unwritten);
    }

    /** The same, now that a record is in the log. */
    public Ending without(EndRecord written) {
      List<EndRecord> left = unwritten.stream().filter(record -> record != written).toList();
      return new Ending(lease, kind, message, retryAfterMillis, left);
    }
  }

  /** The lease under which a worker has it. */
  default Optional<LeaseRef> held() {
    return switch (this) {
      case Leased leased -> Optional.of(leased.lease());
      case Started started -> Optional.of(started.lease());
      case Pending ignored -> Optional.empty();
      case Ending ignored -> Optional.empty();
    };
  }
}
