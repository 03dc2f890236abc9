package io.sluice.bench.torture.pool;

/**
 * What a pool is made of.
 *
 * @param workers each with an engine of its own
 */
public record PoolSetup(int brokers, int routers, int workers, Engines engines) {
  /** Three brokers, so that one may be away; two routers; four workers. */
  public static final PoolSetup STANDARD = new PoolSetup(3, 2, 4, Engines.simulated());

  public static final int PARTITIONS = 8;
  public static final short REPLICATION = 3;

  /** Known to the routers, and served by nobody. */
  public static final String ABSENT_MODEL = "sluice-sim-absent";

  /** Large requests wait for it instead of being refused as too long. */
  static final int ABSENT_MODEL_LEN = 4_000_000;

  private static final int ENOUGH_FOR_TWO_MODELS = 4;

  public PoolSetup {
    engines = workers < ENOUGH_FOR_TWO_MODELS ? engines.ofOneModel() : engines;
  }

  /** The standard pool over other engines. */
  public static PoolSetup over(Engines engines, int workers) {
    return new PoolSetup(STANDARD.brokers(), STANDARD.routers(), workers, engines);
  }

  /** What a worker, and its engine, serves; the last of many is alone with its own. */
  String modelOf(int worker) {
    return worker == workers ? engines.otherModel() : engines.model();
  }
}
