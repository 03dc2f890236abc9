package io.sluice.bench.overhead;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.FreePorts;
import io.sluice.bench.process.Launch;
import io.sluice.bench.process.PoolMain;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A pool over the paced engine in one process, and a gateway as an operator starts it. */
final class OverheadPool implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);

  private static final List<String> POOL_OPTIONS =
      List.of(
          "-Xms1536m",
          "-Xmx1536m",
          "-XX:NewRatio=1",
          "-XX:+UseParallelGC",
          "-XX:MaxTenuringThreshold=2");

  private static final int STREAMS_OF_A_WORKER = 200;

  private final int kafkaPort;
  private final int gatewayPort;
  private final ChildProcess pool;
  private final ChildProcess gateway;

  /**
   * Prepares both processes.
   *
   * @param concurrent how many streams are to run at the same time
   */
  OverheadPool(URI engine, int concurrent, Path folder) throws IOException {
    List<String> arguments = new ArrayList<>();
    kafkaPort = FreePorts.next();
    gatewayPort = FreePorts.next();
    int redisPort = FreePorts.next();
    arguments.add(Integer.toString(kafkaPort));
    arguments.add(Integer.toString(redisPort));
    arguments.addAll(Collections.nCopies(1 + concurrent / STREAMS_OF_A_WORKER, engine.toString()));
    pool = poolProcess(arguments, folder);
    List<String> options =
        List.of(
            "gateway",
            "--port=" + gatewayPort,
            "--kafka=" + kafka(),
            "--redis=redis://127.0.0.1:" + redisPort);
    gateway =
        process(
            "gateway", Launch.single(Launch.launcher(options), Map.of(), "gateway ready"), folder);
  }

  /** Starts both; returns when they serve requests. */
  void start() throws IOException, InterruptedException {
    pool.start();
    pool.awaitReady(READY_WITHIN);
    gateway.start();
    gateway.awaitReady(READY_WITHIN);
  }

  String kafka() {
    return "127.0.0.1:" + kafkaPort;
  }

  URI gateway() {
    return URI.create("http://127.0.0.1:" + gatewayPort);
  }

  long gatewayPid() {
    return gateway.pid();
  }

  /**
   * Returns the process of broker, router and worker. Unlike other processes of benches, it runs
   * long enough for the second compiler. All three stop while its heap is collected, which would be
   * the p99 of everything: so that is rare, quick, and done by all cores.
   */
  private static ChildProcess poolProcess(List<String> arguments, Path folder) {
    List<String> command =
        Launch.longRunning(POOL_OPTIONS, folder, PoolMain.class.getName(), arguments);
    return process("pool", Launch.single(command, Map.of(), "pool ready"), folder);
  }

  private static ChildProcess process(String name, Launch launch, Path folder) {
    return new ChildProcess(name, launch, folder.resolve(name + ".log"));
  }

  @Override
  public void close() {
    gateway.close();
    pool.close();
  }
}
