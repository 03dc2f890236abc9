package io.sluice.bench.torture.pool;

/**
 * A process of the pool, on which faults can act.
 *
 * @param number counted from 1; worker 2 uses engine 2
 */
public record Target(Role role, int number) {
  public enum Role {
    BROKER,
    REDIS,
    ENGINE,
    ROUTER,
    WORKER,
    GATEWAY
  }

  public static Target worker(int number) {
    return new Target(Role.WORKER, number);
  }

  public static Target router(int number) {
    return new Target(Role.ROUTER, number);
  }

  public static Target broker(int number) {
    return new Target(Role.BROKER, number);
  }

  public static Target engine(int number) {
    return new Target(Role.ENGINE, number);
  }

  public static Target gateway(int number) {
    return new Target(Role.GATEWAY, number);
  }

  public static Target redis() {
    return new Target(Role.REDIS, 1);
  }

  /** Returns a unique name that is valid for a Kafka listener, a file and a topic. */
  public String id() {
    return switch (role) {
      case BROKER -> "b" + number;
      case REDIS -> "redis";
      case ENGINE -> "e" + number;
      case ROUTER -> "r" + number;
      case WORKER -> "w" + number;
      case GATEWAY -> "g" + number;
    };
  }
}
