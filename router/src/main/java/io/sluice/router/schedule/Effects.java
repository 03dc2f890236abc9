package io.sluice.router.schedule;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.ErrorKind;
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
   * Writes a terminal error record under a lease of the router's own; {@link
   * Scheduler#terminalWritten} is to be called once it is acknowledged.
   */
  void terminal(RequestFacts facts, RequestBody body, LeaseRef lease, int tokens, byte[] reply);

  /** Tells the sender of a repeat where the answer is. */
  void pointer(String requestId, ReplyAddress sender, ReplyAddress answer);

  /** Keeps a request that could not be answered, for operators. */
  void deadLetter(
      RequestFacts facts, RequestBody body, ErrorKind kind, String message, AttemptHistory history);
}
