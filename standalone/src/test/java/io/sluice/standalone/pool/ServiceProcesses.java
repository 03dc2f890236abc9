package io.sluice.standalone.pool;

import io.sluice.standalone.backend.Backends;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** Starts the services of a pool, each as a process. Thread-safe. */
final class ServiceProcesses implements AutoCloseable {
  private static final int HEAP_MIB = 256;

  private final List<String> common;
  private final Queue<ServiceProcess> processes = new ConcurrentLinkedQueue<>();

  /** Services over these backends, which all get more options too. */
  ServiceProcesses(Backends backends, String... more) {
    this(backends.kafkaBootstrapServers(), backends.redisUri(), more);
  }

  ServiceProcesses(String kafka, String redis, String... more) {
    Stream<String> pool =
        Stream.of(
            "--kafka",
            kafka,
            "--redis",
            redis,
            "--partitions",
            Integer.toString(PoolPlan.LOCAL_PARTITIONS),
            "--replication",
            "1");
    common = Stream.concat(pool, Arrays.stream(more)).toList();
  }

  /** Starts a router that serves these models: {@code NAME=CONTEXT,...}. */
  ServiceProcess router(String id, int port, String models, String... more) {
    return router(HEAP_MIB, id, port, models, more);
  }

  /** Starts such a router with a heap of this size. */
  ServiceProcess router(int mebibytes, String id, int port, String models, String... more) {
    return start(mebibytes, more, "router", "--id", id, port(port), "--models=" + models);
  }

  ServiceProcess worker(String id, int port, URI engine, String... more) {
    return start(HEAP_MIB, more, "worker", "--id", id, port(port), "--engine-url=" + engine);
  }

  /** Starts a gateway. The pool's topics must exist. */
  ServiceProcess gateway(int port, String... more) {
    return start(HEAP_MIB, more, "gateway", port(port));
  }

  private static String port(int port) {
    return "--port=" + port;
  }

  private ServiceProcess start(int mebibytes, String[] more, String... options) {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(common);
    arguments.addAll(List.of(more));
    ServiceProcess started = ServiceProcess.launch(mebibytes, arguments.toArray(String[]::new));
    processes.add(started);
    started.awaitReady();
    return started;
  }

  /** Kills all of them. */
  @Override
  public void close() {
    processes.forEach(ServiceProcess::close);
  }
}
