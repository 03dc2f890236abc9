package io.sluice.bench.torture.pool;

/**
 * The mark in a prompt that kills its worker or engine, by which it is found in the bytes of a
 * connection.
 */
public final class PoisonMark {
  static final String PREFIX = "poison-for-workers:";
  static final char END = ';';

  private PoisonMark() {}

  /** Returns the mark, with the id of the request in whose prompt it is. */
  public static String of(String requestId) {
    return PREFIX + requestId + END;
  }
}
