package io.sluice.bench.fleet.run;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.LiveSequence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Runs one workload on one fleet: engines, network and callers, which are the same for all
 * contestants. It uses one thread, its own virtual clock, and random numbers that follow from the
 * seed.
 */
public final class FleetRun {
  /** How long to wait for answers after the last arrival. */
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private static final long LOOK_NANOS = 1_000_000_000L;
  private static final double NOISE = 0.03;

  private final VirtualTime time = new VirtualTime();
  private final Network network;
  private final List<EngineNode> engines = new ArrayList<>();
  private final List<EngineConfig> kinds;
  private final long seed;
  private final List<FleetRequest> requests;
  private final Scorecard scorecard;
  private Front front = new Nobody();

  /** Takes the callers' requests and gives them to engines. */
  public interface Front {
    /** Called when a caller sends a request. */
    void send(FleetRequest request);

    /** Called when an engine has generated a request's first token. */
    void started(int engine, int request, int cachedTokens);

    /** Called for each token at the start of its step, so before the two other calls. */
    default void token(int engine, LiveSequence sequence, long endNanos) {}

    /** Called when an engine has finished a request. */
    void finished(int engine, int request);

    /** Called when a caller hangs up before it has a token. */
    default void givenUp(int request) {}

    /**
     * Called when an engine has failed.
     *
     * @param requests that it had, waiting or running
     */
    default void failed(int engine, List<Integer> requests) {}

    /** Called when an engine that failed is back, with an empty cache. */
    default void cameBack(int engine) {}
  }

  private static final class Nobody implements Front {
    @Override
    public void send(FleetRequest request) {}

    @Override
    public void started(int engine, int request, int cachedTokens) {}

    @Override
    public void finished(int engine, int request) {}
  }

  /**
   * Creates a fleet of equal engines with empty caches.
   *
   * @param requests all that callers send, by id
   * @param count of the engines
   */
  public FleetRun(List<FleetRequest> requests, EngineConfig engine, int count, long seed) {
    this(requests, List.of(engine), count, seed);
  }

  /**
   * Creates a fleet of engines with empty caches.
   *
   * @param requests all that callers send, by id
   * @param kinds of engines, which they are in turn
   * @param count of the engines
   */
  public FleetRun(List<FleetRequest> requests, List<EngineConfig> kinds, int count, long seed) {
    this.requests = requests;
    this.scorecard = new Scorecard(requests);
    this.network = new Network(time, Mix.of(seed, 1));
    this.kinds = List.copyOf(kinds);
    this.seed = seed;
    for (int i = 0; i < count; i++) {
      var _ = addEngine();
    }
  }

  /** Adds an engine with empty caches. Returns its position among all that were ever there. */
  public int addEngine() {
    int i = engines.size();
    EngineConfig engine = kinds.get(i % kinds.size());
    engines.add(
        new EngineNode(
            time,
            engine.withTiming(engine.timing().withNoise(Mix.of(seed, 100 + i), NOISE, 0)),
            new Ears(i)));
    return i;
  }

  /** Returns the clock of the run. */
  public VirtualTime time() {
    return time;
  }

  /** Returns the network between all processes. */
  public Network network() {
    return network;
  }

  /** Returns all engines that were ever there, by position. */
  public List<EngineNode> engines() {
    return engines;
  }

  /** Returns what the callers see. */
  public Scorecard scorecard() {
    return scorecard;
  }

  /** Half of the time in which requests come. */
  public long middleNanos() {
    return requests.stream().mapToLong(FleetRequest::arrivalNanos).max().orElse(0) / 2;
  }

  /** Returns the request with an id. */
  public FleetRequest request(int id) {
    return requests.get(id);
  }

  /** Sends every request at its time and waits for the answers. */
  public RunResult run(Front distributor, Workload.Length length) {
    front = distributor;
    requests.forEach(request -> time.at(request.arrivalNanos(), () -> front.send(request)));
    long end = length.totalNanos() + PATIENCE_NANOS;
    while (!scorecard.isComplete() && time.nowNanos() < end) {
      time.runUntil(Math.min(end, time.nowNanos() + LOOK_NANOS));
    }
    return scorecard.result(time.nowNanos(), length.measuredNanos());
  }

  /**
   * Sends every request at its time and waits until all are answered.
   *
   * @param looking is called once a second
   */
  public void runToEnd(Front distributor, Duration atLeast, Duration atMost, Runnable looking) {
    front = distributor;
    requests.forEach(request -> time.at(request.arrivalNanos(), () -> front.send(request)));
    while (time.nowNanos() < (scorecard.isComplete() ? atLeast : atMost).toNanos()) {
      time.runUntil(time.nowNanos() + LOOK_NANOS);
      looking.run();
    }
  }

  /**
   * Like {@link #run(Front, Workload.Length)}, with callers that hang up if they have no token by
   * then.
   */
  public RunResult run(Front distributor, Workload.Length length, Duration patience) {
    for (FleetRequest request : requests) {
      time.at(request.arrivalNanos() + patience.toNanos(), () -> giveUp(request.id()));
    }
    return run(distributor, length);
  }

  private void giveUp(int request) {
    if (!scorecard.isAnswered(request)) {
      scorecard.refused(request);
      front.givenUp(request);
    }
  }

  /**
   * Keeps a number of requests in flight at all times, in the order of the workload.
   *
   * @return how many were finished per second after the warm-up
   */
  public double saturate(Front distributor, int underWay, Workload.Length length) {
    int[] next = {underWay};
    return saturate(distributor, underWay, finished -> next[0]++, length);
  }

  /**
   * Lets each user send the next request as soon as it has an answer. The requests of a user are as
   * far apart in the workload as there are users.
   */
  public void serve(Front distributor, int users, Workload.Length length) {
    saturate(distributor, users, finished -> finished + users, length);
  }

  private double saturate(
      Front distributor, int underWay, IntUnaryOperator next, Workload.Length length) {
    front = new Refilling(distributor, answered -> sendFollowing(distributor, next, answered));
    for (int i = 0; i < Math.min(underWay, requests.size()); i++) {
      sendNow(front, requests.get(i));
    }
    time.runUntil(length.warmUpNanos());
    int before = scorecard.finishedInAll();
    time.runUntil(length.totalNanos());
    if (scorecard.isComplete()) {
      throw new IllegalStateException("Saturation needs more requests.");
    }
    return (scorecard.finishedInAll() - before) * 1e9 / length.measuredNanos();
  }

  private void sendFollowing(Front to, IntUnaryOperator next, int answered) {
    int following = next.applyAsInt(answered);
    if (following < requests.size()) {
      sendNow(to, requests.get(following));
    }
  }

  private void sendNow(Front to, FleetRequest request) {
    scorecard.sent(request.id(), time.nowNanos());
    to.send(request);
  }

  private final class Ears implements EngineNode.Listener {
    private final int engine;

    Ears(int engine) {
      this.engine = engine;
    }

    @Override
    public void token(LiveSequence sequence, long endNanos) {
      boolean isFirst = sequence.outputTokens() == 1;
      scorecard.token(sequence, endNanos, isFirst ? network.latencyNanos() : 0);
      front.token(engine, sequence, endNanos);
    }

    @Override
    public void started(int request, int cachedTokens) {
      front.started(engine, request, cachedTokens);
    }

    @Override
    public void finished(int request) {
      front.finished(engine, request);
    }

    @Override
    public void failed(List<Integer> requests) {
      front.failed(engine, requests);
    }

    @Override
    public void cameBack() {
      front.cameBack(engine);
    }
  }
}
