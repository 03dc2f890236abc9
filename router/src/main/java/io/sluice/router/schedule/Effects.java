package io.sluice.router.schedule;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.TrackedRequest;
import java.util.concurrent.CompletableFuture;

/** What the scheduler does to the world. Calls return at once; nothing here may block. */
public interface Effects {

  /**
   * Sends a request to a worker; {@link Scheduler#notAssigned} is to be called if that fails. It
   * may be lost with the process.
   */
  void assign(Assignment assignment, RequestBody body);

  /** Tells a worker what has changed of a request that it is at. */
  void amend(Amendment amendment);

  /** Tells a worker that a lease is no longer its own. */
  void revoke(LeaseRef lease);

  /**
   * Writes one of the records with which a request ends; {@link Scheduler#endWritten} is to be
   * called once it is acknowledged, or {@link Scheduler#endNotWritten}.
   *
   * @param body may have to be read from the log first
   */
  void end(
      TrackedRequest tracked,
      RequestState.Ending ending,
      EndRecord record,
      CompletableFuture<RequestBody> body);

  /** Tells the sender of a repeat where the answer is. */
  void pointer(String requestId, ReplyAddress sender, ReplyPointer answer);

  /**
   * Tells the sender of a request, and keeps for operators, that another tenant calls one of its
   * own so. What is written must mean nothing to those who read the other one's answer.
   */
  void idInUse(RequestMetadata refused, String message, RequestBody body);
}
