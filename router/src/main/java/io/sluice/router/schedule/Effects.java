package io.sluice.router.schedule;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.ReplyAddress;

/** What the scheduler does to the world. Calls return at once; nothing here may block. */
public interface Effects {

  /** Sends a request to a worker. */
  void assign(Assignment assignment, RequestBody body);

  /** Tells a worker what has changed of a request that it is at. */
  void amend(Amendment amendment);

  /** Tells a worker that a lease is no longer its own. */
  void revoke(LeaseRef lease);

  /**
   * Writes what is left to write of a request that ends: the terminal error record, unless a worker
   * has told it, and the dead letter, if it is lost, which operators find. {@link
   * Scheduler#endWritten} is to be called once all of it is acknowledged.
   */
  void end(TrackedRequest tracked, RequestState.Ending ending, RequestBody body);

  /** Tells the sender of a repeat where the answer is. */
  void pointer(String requestId, ReplyAddress sender, ReplyAddress answer);
}
