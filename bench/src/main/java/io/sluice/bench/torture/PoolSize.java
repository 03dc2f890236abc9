package io.sluice.bench.torture;

/** How many processes there are of each kind. */
record PoolSize(int brokers, int routers, int workers) {
  /** Three brokers, so that one may be away; two routers; four workers, each with an engine. */
  static final PoolSize STANDARD = new PoolSize(3, 2, 4);

  static final int PARTITIONS = 8;
  static final short REPLICATION = 3;
  static final String MODEL = "sluice-sim-8b";

  /** What the last of four workers or more serves, alone. */
  static final String OTHER_MODEL = "sluice-sim-other";

  /** Known to the routers, and served by nobody. */
  static final String ABSENT_MODEL = "sluice-sim-absent";

  static final int MAX_MODEL_LEN = 4_096;

  /** Large requests wait for it instead of being refused as too long. */
  static final int ABSENT_MODEL_LEN = 4_000_000;

  private static final int ENOUGH_FOR_TWO_MODELS = 4;

  /** What a worker, and its engine, serves. */
  String modelOf(int worker) {
    return workers >= ENOUGH_FOR_TWO_MODELS && worker == workers ? OTHER_MODEL : MODEL;
  }
}
