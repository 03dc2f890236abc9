package io.sluice.bench.torture;

/**
 * A process of the pool.
 *
 * @param number from 1 on; worker 2 uses engine 2
 */
record Target(Role role, int number) {
  enum Role {
    BROKER,
    REDIS,
    ENGINE,
    ROUTER,
    WORKER
  }

  static Target worker(int number) {
    return new Target(Role.WORKER, number);
  }

  static Target router(int number) {
    return new Target(Role.ROUTER, number);
  }

  static Target broker(int number) {
    return new Target(Role.BROKER, number);
  }

  static Target engine(int number) {
    return new Target(Role.ENGINE, number);
  }

  static Target redis() {
    return new Target(Role.REDIS, 1);
  }

  /** Unique, and fit for a Kafka listener, a file and a topic. */
  String id() {
    return switch (role) {
      case BROKER -> "b" + number;
      case REDIS -> "redis";
      case ENGINE -> "e" + number;
      case ROUTER -> "r" + number;
      case WORKER -> "w" + number;
    };
  }
}
