package io.sluice.bench.replay;

import io.sluice.bench.replay.log.End;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.replay.model.Replayed;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What is compared of one request.
 *
 * @param ttftMillis the time to its first token; empty if it had none
 * @param cachedTokens of its prompt; empty if it had no token, or the engine does not tell
 * @param waitedMillis the time to its first assignment; empty if that is not known
 */
record Fact(
    End end, OptionalDouble ttftMillis, OptionalInt cachedTokens, OptionalLong waitedMillis) {

  /** As it was. */
  static Fact recorded(RecordedRequest request) {
    OptionalLong ttft = request.happened().ttftMillis();
    return new Fact(
        request.happened().end(),
        ttft.isPresent() ? OptionalDouble.of((double) ttft.getAsLong()) : OptionalDouble.empty(),
        request.happened().cachedTokens(),
        request.happened().waitedMillis());
  }

  /** As it was in a run. */
  static Fact replayed(Replayed run, int id) {
    return new Fact(run.end(id), run.ttftMillis(id), run.cachedTokens(id), run.waitedMillis(id));
  }
}
