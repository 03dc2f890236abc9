package io.sluice.simulator.endpoint;

import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.OutputListener;

/**
 * The answer to a generation request in the making. Outputs come on the driver's thread, everything
 * else on the connection's event loop.
 */
sealed interface Reply extends OutputListener permits StreamReply, WholeReply {

  /** Ends with an error: a frame in a stream, else a status. */
  void fail(ApiError error);

  /** Closes the connection inside the frame of an output, or inside a whole answer. */
  void cutWithin(ChoiceOutput output);

  /** Breaks the JSON of an output's frame, or of a whole answer. */
  void garble(ChoiceOutput output);

  /** Leaves out the end marker, where there is one. */
  void withoutMarker();
}
