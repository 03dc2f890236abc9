package io.sluice.simulator.endpoint;

import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.OutputListener;

/**
 * The answer to a generation request. Outputs arrive on the driver's thread; all other methods are
 * called on the connection's event loop.
 */
sealed interface Reply extends OutputListener permits StreamReply, WholeReply {

  /** Ends with an error: a frame in a stream, otherwise a status. */
  void fail(ApiError error);

  /** Closes the connection inside the frame of an output or inside a whole answer. */
  void cutWithin(ChoiceOutput output);

  /** Breaks the JSON of an output's frame or of a whole answer. */
  void garble(ChoiceOutput output);

  /** Omits the end marker of a stream. */
  void withoutMarker();
}
