package io.sluice.router.request;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.reply.ReplyPointer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.OptionalLong;

/** The one stored value of a request that has not {@linkplain EndedRequest ended}. Immutable. */
public record TrackedRequest(RequestFacts facts, History history, RequestState state)
    implements StoredRequest {

  @Override
  public String requestId() {
    return facts.requestId();
  }

  /** Where its answer is, or will be. */
  public ReplyPointer answer() {
    return new ReplyPointer(
        facts.replyTo(),
        history.firstReplyOffset(),
        OptionalLong.of(Math.max(0, facts.appendTimeMillis())));
  }

  /** Whether it still waits or runs. */
  public boolean isOpen() {
    return switch (state) {
      case RequestState.Pending ignored -> true;
      case RequestState.Leased ignored -> true;
      case RequestState.Started ignored -> true;
      case RequestState.Ending ignored -> false;
    };
  }

  /** The lease it had before, if it waits again. */
  public Optional<LeaseRef> lastLease() {
    return state instanceof RequestState.Pending pending ? pending.last() : Optional.empty();
  }

  public TrackedRequest in(RequestState next) {
    return new TrackedRequest(facts, history, next);
  }

  public TrackedRequest in(History nextHistory, RequestState next) {
    return new TrackedRequest(facts, nextHistory, next);
  }

  /** The same, now that a lease has ended without an answer. */
  public TrackedRequest after(LeaseRef lease, AttemptEnd end, Now now) {
    return in(history.ended(lease, end, now), state);
  }

  @Override
  public byte[] toBytes() {
    return Json.bytes(this);
  }

  static TrackedRequest fromBytes(byte[] bytes) {
    try {
      return Json.mapper().readValue(bytes, TrackedRequest.class);
    } catch (IOException e) {
      throw new UncheckedIOException("a stored request cannot be read", e);
    }
  }
}
