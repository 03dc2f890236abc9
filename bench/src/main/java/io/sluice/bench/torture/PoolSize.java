package io.sluice.bench.torture;

/** How many processes there are of each kind. */
record PoolSize(int brokers, int routers, int workers) {
  /** Three brokers, so that one may be away; two routers; four workers, each with an engine. */
  static final PoolSize STANDARD = new PoolSize(3, 2, 4);

  static final int PARTITIONS = 8;
  static final short REPLICATION = 3;
  static final String MODEL = "sluice-sim-8b";
  static final int MAX_MODEL_LEN = 4_096;
}
