package io.sluice.router.request;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.reply.ReplyPointer;
import java.io.IOException;
import java.util.Objects;
import java.util.OptionalLong;

/** The one stored value of a request that has not {@linkplain EndedRequest ended}. Immutable. */
public record TrackedRequest(RequestMetadata metadata, History history, RequestState state)
    implements StoredRequest {

  public TrackedRequest {
    Objects.requireNonNull(metadata, "it has no facts");
    Objects.requireNonNull(history, "it has no history");
    Objects.requireNonNull(state, "it has no state");
  }

  @Override
  public String requestId() {
    return metadata.requestId();
  }

  /** Returns where its answer is, or will be. */
  public ReplyPointer answer() {
    return new ReplyPointer(
        metadata.replyTo(),
        history.firstReplyOffset(),
        OptionalLong.of(Math.max(0, metadata.appendTimeMillis())));
  }

  /** Returns whether it still waits or runs. */
  public boolean isOpen() {
    return state instanceof RequestState.Open;
  }

  /**
   * Returns its state, which must be open.
   *
   * @throws IllegalStateException if it is not
   */
  public RequestState.Open open() {
    return expect(RequestState.Open.class);
  }

  /**
   * Returns its state, which must be pending.
   *
   * @throws IllegalStateException if it is not
   */
  public RequestState.Pending pending() {
    return expect(RequestState.Pending.class);
  }

  /**
   * Returns its state, in which a worker must have it.
   *
   * @throws IllegalStateException if none has
   */
  public RequestState.WithWorker withWorker() {
    return expect(RequestState.WithWorker.class);
  }

  private <S extends RequestState> S expect(Class<S> legal) {
    if (legal.isInstance(state)) {
      return legal.cast(state);
    }
    throw new IllegalStateException(
        "request %s is in state %s, which is not %s"
            .formatted(requestId(), state, legal.getSimpleName()));
  }

  public TrackedRequest in(RequestState next) {
    return new TrackedRequest(metadata, history, next);
  }

  public TrackedRequest in(History nextHistory, RequestState next) {
    return new TrackedRequest(metadata, nextHistory, next);
  }

  /** Returns the same request, after a lease has ended without an answer. */
  public TrackedRequest after(LeaseRef lease, AttemptEnd end, TimePoint now) {
    return in(history.ended(lease, end, now), state);
  }

  /** Returns the value as it is stored. */
  public byte[] toBytes() {
    return Json.bytes(TrackedForm.of(this));
  }

  /**
   * Reads a stored value.
   *
   * @throws IOException if it is damaged, of another version, or of another request
   */
  static TrackedRequest fromBytes(String requestId, byte[] stored) throws IOException {
    TrackedRequest request = TrackedForm.fromBytes(stored).request();
    if (!request.requestId().equals(requestId)) {
      throw new IOException("it belongs to request " + request.requestId());
    }
    return request;
  }
}
