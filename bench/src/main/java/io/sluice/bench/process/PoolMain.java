package io.sluice.bench.process;

import io.sluice.config.StopSignal;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Runs what {@code ./sluice up --engine URL ...} runs, but on other ports. Arguments: the ports of
 * Kafka and Redis, 0 for free ones, then the engines' URLs.
 */
public final class PoolMain {
  private PoolMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    var ports =
        new Ports(Integer.parseInt(arguments[0]), 0, Integer.parseInt(arguments[1]), 0, 0, 0);
    List<URI> engines = Arrays.stream(arguments).skip(2).map(URI::create).toList();
    LocalPool pool = LocalPool.start(PoolPlan.over(ports, engines, Optional.empty()));
    StopSignal stop = StopSignal.running(pool::close);
    System.out.println("pool ready");
    stop.await();
  }
}
