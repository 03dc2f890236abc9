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
 *
 * <p>Each state offers the transitions that are legal from it, and no others. Immutable.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "state")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RequestState.Pending.class, name = "pending"),
  @JsonSubTypes.Type(value = RequestState.Leased.class, name = "leased"),
  @JsonSubTypes.Type(value = RequestState.Started.class, name = "started"),
  @JsonSubTypes.Type(value = RequestState.Ending.class, name = "ending")
})
public sealed interface RequestState {

  /** The request waits or runs; it can still be ended. */
  sealed interface Open extends RequestState permits Pending, WithWorker {

    /** A worker has the request under a lease of a later attempt than is known here. */
    default Leased adopt(LeaseRef lease) {
      return new Leased(lease);
    }

    /**
     * The request ends with an error.
     *
     * @param lease under which the error is told: the router's own, or that of the worker that did
     *     it
     * @param unwritten the records that are to be written
     */
    default Ending end(
        LeaseRef lease,
        ErrorKind kind,
        String message,
        OptionalLong retryAfterMillis,
        List<EndRecord> unwritten) {
      return new Ending(lease, kind, message, retryAfterMillis, unwritten);
    }
  }

  /** A worker has the request. */
  sealed interface WithWorker extends Open permits Leased, Started {
    LeaseRef lease();

    /** The worker reports that it generates, which it may report more than once. */
    Started start();

    /**
     * The lease ended without an answer.
     *
     * @param last the lease, if a late completion under it still counts
     */
    default Pending requeue(long notBeforeMillis, Optional<LeaseRef> last) {
      return new Pending(notBeforeMillis, last);
    }
  }

  /**
   * Waits for a worker.
   *
   * @param notBeforeMillis not to be sent before, epoch milliseconds
   * @param last the lease it had before, whose late completion still counts
   */
  record Pending(long notBeforeMillis, Optional<LeaseRef> last) implements Open {
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Pending {
      last = last == null ? Optional.empty() : last;
    }

    /** Of a request that has just come. */
    public static Pending received() {
      return new Pending(0, Optional.empty());
    }

    /** A worker gets the request. */
    public Leased lease(LeaseRef lease) {
      return new Leased(lease);
    }

    /** The request keeps waiting, and is not to be sent before a later time. */
    public Pending postpone(long untilMillis) {
      return new Pending(untilMillis, last);
    }
  }

  /** Sent to a worker. */
  record Leased(LeaseRef lease) implements WithWorker {
    public Leased {
      Objects.requireNonNull(lease, "the state has no lease");
    }

    @Override
    public Started start() {
      return new Started(lease);
    }
  }

  /** Generating; its reply is in the log from {@code History.firstReplyOffset} on. */
  record Started(LeaseRef lease) implements WithWorker {
    public Started {
      Objects.requireNonNull(lease, "the state has no lease");
    }

    @Override
    public Started start() {
      return this;
    }
  }

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
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public Ending {
      Objects.requireNonNull(lease, "the state has no lease");
      Objects.requireNonNull(kind, "the state has no kind of error");
      Objects.requireNonNull(message, "the state has no message");
      retryAfterMillis = retryAfterMillis == null ? OptionalLong.empty() : retryAfterMillis;
      unwritten = List.copyOf(unwritten);
    }

    /** A record is in the log. */
    public Ending without(EndRecord written) {
      return withUnwritten(unwritten.stream().filter(record -> record != written).toList());
    }

    /**
     * Another message is told, and all records are written again, since the reply topic is gone.
     */
    public Ending retold(String newMessage) {
      return new Ending(
          lease,
          kind,
          newMessage,
          retryAfterMillis,
          List.of(EndRecord.DEAD_LETTER, EndRecord.TERMINAL));
    }

    private Ending withUnwritten(List<EndRecord> left) {
      return new Ending(lease, kind, message, retryAfterMillis, left);
    }
  }

  /** Returns the lease under which a worker has it. */
  default Optional<LeaseRef> activeLease() {
    return this instanceof WithWorker running ? Optional.of(running.lease()) : Optional.empty();
  }
}
