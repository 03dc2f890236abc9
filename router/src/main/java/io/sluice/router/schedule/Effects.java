package io.sluice.router.schedule;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.ReplyAddress;

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
   */
  void end(TrackedRequest tracked, RequestState.Ending ending, EndRecord record, RequestBody body);

  /** Tells the sender of a repeat where the answer is. */
  void pointer(String requestId, ReplyAddress sender, ReplyAddress answer);
}
