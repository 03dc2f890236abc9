package io.sluice.standalone.pool;

/**
 * Where a local pool listens, on 127.0.0.1; 0 stands for a free port.
 *
 * @param firstWorker the first worker's; the others follow it
 */
public record Ports(int kafka, int redis, int router, int firstWorker) {

  /** The fixed ports under which the local stack is found. */
  public static Ports standard() {
    return new Ports(19092, 16379, 8090, 8081);
  }

  /** Whatever is free. */
  public static Ports free() {
    return new Ports(0, 0, 0, 0);
  }

  /** The port of one worker, counted from 0. */
  int worker(int index) {
    return firstWorker == 0 ? 0 : firstWorker + index;
  }
}
