package io.sluice.common.protocol;

/** The names of all consumer groups of a pool. */
public final class ConsumerGroups {
  /** Of the routers' streams; the topics of their state begin with it. */
  public static final String ROUTER = "sluice-router";

  /** Of the routers' reading of bulk. */
  public static final String BULK_FEEDER = "sluice-bulk-feeder";

  /** Of the gateways that share batches. */
  public static final String BATCHES = "sluice-gateway-batches";

  private ConsumerGroups() {}
}
