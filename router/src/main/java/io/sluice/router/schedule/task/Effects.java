package io.sluice.router.schedule.task;

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
import io.sluice.router.request.UnreadableRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The side effects of the scheduler. Calls return at once; implementations must not block. */
public interface Effects {

  /**
   * Sends a request to a worker. If that fails, tell the scheduler with {@code notAssigned}. The
   * assignment may be lost if the process dies.
   */
  void assign(Assignment assignment, RequestBody body);

  /** Tells a worker about a change to a request that it has. */
  void amend(Amendment amendment);

  /** Tells a worker that it no longer holds a lease. */
  void revoke(LeaseRef lease);

  /**
   * Writes one of the records with which a request ends. Tell the scheduler with {@code endWritten}
   * once it is acknowledged, or with {@code endNotWritten} if it fails.
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
   * Tells the sender of a request that another tenant already uses its id, and writes a dead
   * letter. Readers of the other tenant's answer must be able to ignore these records.
   */
  void idInUse(RequestMetadata refused, String message, RequestBody body);

  /**
   * Reports stored values that cannot be read, to operators only: where their answers would go is
   * not known.
   */
  void unreadable(List<UnreadableRequest> found);
}
