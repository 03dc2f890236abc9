package io.sluice.bench.fleet.compare;

import io.sluice.bench.fleet.balancer.Balancer;
import io.sluice.bench.fleet.balancer.Balancers;
import io.sluice.bench.fleet.balancer.FlowControl;
import io.sluice.bench.fleet.balancer.HashRing;
import io.sluice.bench.fleet.balancer.KvRouter;
import io.sluice.bench.fleet.balancer.Oracle;
import io.sluice.bench.fleet.balancer.Proxy;
import io.sluice.bench.fleet.balancer.WeightedScorers;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.Scorecard;
import io.sluice.bench.fleet.sluice.CacheKnowledge;
import io.sluice.bench.fleet.sluice.FrontSettings;
import io.sluice.bench.fleet.sluice.SluiceFront;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A way to distribute requests. Two are equal if they have the same name. */
public final class Contestant {
  private static final String MAXCONN = "maxconn-";

  /** The limits that are tried; the best one is only known afterwards. */
  private static final List<Integer> MAXCONN_LIMITS = List.of(8, 12, 16, 24, 32, 48, 64);

  /** What the oracle keeps for the network, out of the time to the first token. */
  private static final double NETWORK_MILLIS = 8;

  /** So that a first token can come within {@link Scorecard#TTFT_MILLIS}. */
  private static final Duration WITHIN_TTFT = Duration.ofSeconds(1);

  static final Contestant ROUND_ROBIN =
      forwarding("round-robin", (run, seed) -> new Balancers.RoundRobin(engines(run)));
  static final Contestant LEAST_REQUESTS =
      forwarding("least-requests", (run, seed) -> new Balancers.LeastRequests(engines(run)));
  static final Contestant CONSISTENT_HASH =
      forwarding("consistent-hash", (run, seed) -> new HashRing(engines(run)));
  static final Contestant SLUICE = sluice("sluice", UnaryOperator.identity());

  /** Sluice with its default {@code max-wait}. */
  static final Contestant SLUICE_PATIENT =
      new Contestant(
          "sluice-patient", (run, seed) -> new SluiceFront(run, seed, FrontSettings.STANDARD));

  /** Sluice with its default {@code max-wait}, told by its callers how soon they want a token. */
  private static final Contestant SLUICE_SLO =
      new Contestant(
          "sluice-slo",
          (run, seed) ->
              new SluiceFront(
                  run,
                  seed,
                  FrontSettings.STANDARD.withSlo(
                      Duration.ofMillis((long) (Scorecard.TTFT_MILLIS - NETWORK_MILLIS)))));

  private static final List<Contestant> ALL =
      Stream.of(
              Stream.of(
                  ROUND_ROBIN,
                  forwarding("random", (run, seed) -> new Balancers.AnyOf(engines(run), seed)),
                  LEAST_REQUESTS,
                  CONSISTENT_HASH,
                  forwarding("weighted-scorers", Contestant::scorers),
                  forwarding(
                      "scorers-flow",
                      (run, seed) -> new FlowControl(scorers(run, seed), engines(run))),
                  forwarding("kv-router", (run, seed) -> new KvRouter(run.engines(), seed))),
              MAXCONN_LIMITS.stream().map(Contestant::maxConn),
              Stream.of(
                  oracle("oracle", Double.MAX_VALUE),
                  oracle("oracle-shed", Scorecard.TTFT_MILLIS - NETWORK_MILLIS),
                  SLUICE,
                  SLUICE_PATIENT,
                  SLUICE_SLO,
                  sluice("sluice-lengths", FrontSettings::withMaxTokens),
                  sluice("sluice-exact", like -> like.withKnowledge(CacheKnowledge.EXACT)),
                  sluice("sluice-blind", like -> like.withKnowledge(CacheKnowledge.LOST)),
                  sluice("sluice-recall", like -> like.withKnowledge(CacheKnowledge.RECALLED))))
          .flatMap(contestants -> contestants)
          .toList();

  private final String label;
  private final Maker maker;

  private interface Maker {
    FleetRun.Front make(FleetRun run, long seed);
  }

  private interface BalancerMaker {
    Balancer make(FleetRun run, long seed);
  }

  private Contestant(String label, Maker maker) {
    this.label = label;
    this.maker = maker;
  }

  /** Returns a proxy, with the patience of {@link #SLUICE} if it lets requests wait. */
  private static Contestant forwarding(String label, BalancerMaker balancer) {
    return new Contestant(
        label, (run, seed) -> new Proxy(run, balancer.make(run, seed), WITHIN_TTFT));
  }

  /** {@link #SLUICE}, set up otherwise. */
  private static Contestant sluice(String label, UnaryOperator<FrontSettings> other) {
    return new Contestant(
        label,
        (run, seed) -> new SluiceFront(run, seed, other.apply(FrontSettings.waiting(WITHIN_TTFT))));
  }

  private static Contestant oracle(String label, double latestMillis) {
    return new Contestant(
        label,
        (run, seed) ->
            Proxy.toldOfFailures(run, new Oracle(run.engines(), latestMillis), WITHIN_TTFT));
  }

  private static Contestant maxConn(int most) {
    return forwarding(MAXCONN + most, (run, seed) -> new Balancers.MaxConn(engines(run), most));
  }

  private static Balancer scorers(FleetRun run, long seed) {
    return new WeightedScorers(
        run.engines().stream().map(engine -> engine.config().kvBlocks()).toList(),
        run.request(0).blockTokens(),
        seed);
  }

  private static int engines(FleetRun run) {
    return run.engines().size();
  }

  /** Returns all that a comparison has if none are named. */
  static List<Contestant> all() {
    return ALL;
  }

  /**
   * Returns the one of this name; {@code maxconn-N} has any N.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Contestant named(String label) {
    if (label.matches(MAXCONN + "[1-9][0-9]{0,5}")) {
      return maxConn(Integer.parseInt(label.substring(MAXCONN.length())));
    }
    return ALL.stream()
        .filter(contestant -> contestant.label.equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown policy '%s'; there are %s"
                        .formatted(label, String.join(", ", names()))));
  }

  /** Returns the names of all. */
  public static List<String> names() {
    return Stream.concat(
            ALL.stream().filter(contestant -> !contestant.isTuned()).map(Contestant::label),
            Stream.of(MAXCONN + "N"))
        .toList();
  }

  /** Returns the name in options, tables and files, such as {@code least-requests}. */
  public String label() {
    return label;
  }

  /** Returns whether it is one of several that differ in a limit that has to be tuned. */
  boolean isTuned() {
    return label.startsWith(MAXCONN);
  }

  /** Puts a new one in front of the engines of a run. */
  public FleetRun.Front front(FleetRun run, long seed) {
    return maker.make(run, Mix.of(seed, label.hashCode()));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Contestant contestant && contestant.label.equals(label);
  }

  @Override
  public int hashCode() {
    return label.hashCode();
  }

  @Override
  public String toString() {
    return label;
  }
}
