package io.sluice.bench.torture.pool;

import java.time.Duration;

/**
 * The size of a pool and its engines.
 *
 * @param workers how many workers; each has its own engine
 * @param gateways how many gateways, which may be none
 */
public record PoolSetup(int brokers, int routers, int workers, int gateways, Engines engines) {
  /** Three brokers, so that one may be down, two routers and four workers; no gateway. */
  public static final PoolSetup STANDARD = new PoolSetup(3, 2, 4, 0, Engines.simulated());

  public static final int PARTITIONS = 8;
  public static final short REPLICATION = 3;

  /** How long a gateway's stream may be silent, short enough to tell soon that it is frozen. */
  public static final Duration KEEP_ALIVE = Duration.ofSeconds(2);

  /** A model that the routers know and no worker serves. */
  public static final String ABSENT_MODEL = "sluice-sim-absent";

  /** Its context, so long that large requests wait for the model instead of being refused. */
  static final int ABSENT_MODEL_LEN = 4_000_000;

  private static final int ENOUGH_FOR_TWO_MODELS = 4;

  public PoolSetup {
    engines = workers < ENOUGH_FOR_TWO_MODELS ? engines.ofOneModel() : engines;
  }

  /** Returns the standard pool with other engines. */
  public static PoolSetup over(Engines engines, int workers) {
    return new PoolSetup(STANDARD.brokers(), STANDARD.routers(), workers, 0, engines);
  }

  /** Returns the same pool with this many gateways. */
  public PoolSetup withGateways(int count) {
    return new PoolSetup(brokers, routers, workers, count, engines);
  }

  /**
   * Returns the model that a worker and its engine serve. The last worker serves the other model.
   */
  String modelOf(int worker) {
    return worker == workers ? engines.otherModel() : engines.model();
  }
}
