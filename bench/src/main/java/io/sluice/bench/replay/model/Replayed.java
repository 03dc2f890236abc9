package io.sluice.bench.replay.model;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.replay.log.End;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.DispatchEvent;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.simulator.engine.LiveSequence;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What happens to the requests of a run, as the records of a real pool would tell it: a first token
 * counts when it leaves the engine. Not thread-safe.
 */
public final class Replayed implements FleetRun.Front, SchedulerListener {
  private static final int NONE = -1;

  private final FleetRun run;
  private final double[] ttftMillis;
  private final int[] cachedTokens;
  private final long[] waitedMillis;
  private final End[] ends;
  private FleetRun.@Nullable Front front;

  Replayed(FleetRun run, List<FleetRequest> requests) {
    this.run = run;
    this.ttftMillis = new double[requests.size()];
    this.cachedTokens = new int[requests.size()];
    this.waitedMillis = new long[requests.size()];
    this.ends = new End[requests.size()];
    Arrays.fill(ttftMillis, Double.NaN);
    Arrays.fill(waitedMillis, NONE);
    Arrays.fill(ends, End.UNKNOWN);
  }

  /** Returns the same, with the requests distributed by this front. */
  Replayed behind(FleetRun.Front distributor) {
    front = distributor;
    return this;
  }

  /** Returns how a request ended. One that did not end in time has failed. */
  public End end(int id) {
    if (run.scorecard().isFinished(id)) {
      return End.ANSWERED;
    }
    boolean isUntold = ends[id] == End.UNKNOWN;
    // A balancer gives one kind of error: it had no room.
    return isUntold ? (run.scorecard().isRefused(id) ? End.REFUSED : End.FAILED) : ends[id];
  }

  /** Returns the time from its arrival to its first token; empty if it had none. */
  public OptionalDouble ttftMillis(int id) {
    return Double.isNaN(ttftMillis[id])
        ? OptionalDouble.empty()
        : OptionalDouble.of(ttftMillis[id]);
  }

  /** Returns how many tokens of its prompt were cached; empty if it had no token. */
  public OptionalInt cachedTokens(int id) {
    return Double.isNaN(ttftMillis[id]) ? OptionalInt.empty() : OptionalInt.of(cachedTokens[id]);
  }

  /** Returns the time to its first assignment, in milliseconds; empty if that is not known. */
  public OptionalLong waitedMillis(int id) {
    return waitedMillis[id] == NONE ? OptionalLong.empty() : OptionalLong.of(waitedMillis[id]);
  }

  private FleetRun.Front front() {
    if (front == null) {
      throw new IllegalStateException("no front distributes the requests");
    }
    return front;
  }

  @Override
  public void send(FleetRequest request) {
    front().send(request);
  }

  @Override
  public void started(int engine, int request, int cached) {
    if (Double.isNaN(ttftMillis[request])) {
      ttftMillis[request] = (run.time().nowNanos() - run.request(request).arrivalNanos()) / 1e6;
      cachedTokens[request] = cached;
    }
    front().started(engine, request, cached);
  }

  @Override
  public void token(int engine, LiveSequence sequence, long endNanos) {
    front().token(engine, sequence, endNanos);
  }

  @Override
  public void finished(int engine, int request) {
    front().finished(engine, request);
  }

  @Override
  public void dispatched(DispatchEvent dispatch) {
    if (dispatch.attempt() == 1) {
      waitedMillis[Integer.parseInt(dispatch.metadata().requestId())] = dispatch.waitedMillis();
    }
  }

  @Override
  public void ended(TrackedRequest tracked, Optional<ErrorKind> error) {
    error.ifPresent(kind -> ends[Integer.parseInt(tracked.requestId())] = End.of(kind));
  }
}
