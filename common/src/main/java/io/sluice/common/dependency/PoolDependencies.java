package io.sluice.common.dependency;

/** The dependencies that all services of a pool have: Kafka and Redis. */
public final class PoolDependencies {
  private static final String KAFKA = "kafka";
  private static final String REDIS = "redis";

  /** One failure may be due to a pause of this process. */
  private static final int LOST_AFTER = 2;

  private PoolDependencies() {}

  /**
   * Returns the pool's Kafka.
   *
   * @param address the bootstrap servers
   * @param effect what the service does while it is away
   */
  public static Dependency kafka(String address, Dependency.Probe probe, String effect) {
    return new Dependency(
        KAFKA, address, effect, "check the brokers, --kafka and --kafka-config", probe, LOST_AFTER);
  }

  /**
   * Returns the pool's Redis.
   *
   * @param address without the password
   * @param effect what the service does while it is away
   */
  public static Dependency redis(String address, Dependency.Probe probe, String effect) {
    return new Dependency(
        REDIS, address, effect, "check Redis, and --redis with its password", probe, LOST_AFTER);
  }

  /**
   * Returns whether a service has what it needs to be ready: Kafka answers, and Redis has answered
   * at some time. The pool works without Redis after that.
   */
  public static boolean arePresent(DependencyWatch watch) {
    return watch.state(KAFKA).isUp() && watch.state(REDIS).wasUp();
  }
}
