package io.sluice.standalone.pool;

import io.sluice.standalone.backend.LocalPort;

/**
 * The ports of a local pool on 127.0.0.1; 0 stands for a free port.
 *
 * @param remoteKafka Kafka's port for other machines, if the pool is open to them
 * @param firstWorker the port of the first worker; the others follow it
 */
public record Ports(
    int kafka, int remoteKafka, int redis, int gateway, int router, int firstWorker) {

  /** Returns the fixed ports of the local stack. */
  public static Ports standard() {
    return new Ports(19092, 19093, 16379, 8080, 8090, 8081);
  }

  /** Returns free ports. */
  public static Ports free() {
    return new Ports(0, 0, 0, 0, 0, 0);
  }

  /** Returns free ports, and the gateway's usual one if it is free. */
  static Ports forDemo() {
    int gateway = standard().gateway();
    return new Ports(0, 0, 0, LocalPort.isFree(gateway) ? gateway : 0, 0, 0);
  }

  /** Returns the port of a worker, counted from 0. */
  int worker(int index) {
    return firstWorker == 0 ? 0 : firstWorker + index;
  }
}
