package io.sluice.bench.torture;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A pool of real processes: brokers, Redis, engines, routers and workers, each with a log file of
 * its own. All of them end with {@link #close}, and with this process. Thread-safe.
 */
final class PoolProcesses implements AutoCloseable {
  private static final String MAIN = "io.sluice.standalone.Main";
  private static final Duration READY_WITHIN = Duration.ofMinutes(3);

  private final Path folder;
  private final Wiring wiring;
  private final Map<Target, ChildProcess> processes = new LinkedHashMap<>();
  private @Nullable EmbeddedRedis redis;

  /** Nothing is started yet. */
  PoolProcesses(PoolSize size, Path folder) throws IOException {
    this.folder = folder;
    this.wiring = new Wiring(size);
    String clusterId = Uuid.randomUuid().toString();
    for (Target target : Wiring.all(size).toList()) {
      if (target.role() != Target.Role.REDIS) {
        processes.put(target, process(target, clusterId));
      }
    }
  }

  private ChildProcess process(Target target, String clusterId) throws IOException {
    String main = target.role() == Target.Role.BROKER ? BrokerMain.class.getName() : MAIN;
    String heap =
        switch (target.role()) {
          case BROKER -> "384m";
          case ROUTER -> "256m";
          case REDIS, ENGINE, WORKER -> "160m";
        };
    Path temporary = Files.createDirectories(folder.resolve(target.id()));
    List<String> command = ChildProcess.java(heap, temporary, main, arguments(target, clusterId));
    return new ChildProcess(target.id(), command, folder.resolve(target.id() + ".log"), " ready");
  }

  private List<String> arguments(Target target, String clusterId) {
    List<String> arguments = new ArrayList<>();
    switch (target.role()) {
      case BROKER -> {
        arguments.add(Integer.toString(target.number()));
        arguments.add(clusterId);
        arguments.add(Integer.toString(wiring.port(target)));
        arguments.add(folder.resolve("data-" + target.id()).toString());
        arguments.add(wiring.controllers());
        arguments.addAll(wiring.listenerSettings(target));
      }
      case ENGINE ->
          arguments.addAll(
              List.of(
                  "simulator",
                  "--profile=l4",
                  "--model=" + PoolSize.MODEL,
                  "--max-model-len=" + PoolSize.MAX_MODEL_LEN,
                  "--port=" + wiring.port(target),
                  "--admin-port=" + wiring.secondPort(target),
                  "--boot-after-death=3",
                  "--seed=" + target.number()));
      case ROUTER -> {
        arguments.addAll(
            List.of(
                "router",
                "--models=" + PoolSize.MODEL + "=" + PoolSize.MAX_MODEL_LEN,
                // Nobody is refused: whoever is not answered shall be seen.
                "--max-wait=3600"));
        arguments.addAll(common(target));
      }
      case WORKER -> {
        arguments.add("worker");
        arguments.add(
            "--engine-url=http://%s:%d"
                .formatted(LocalPort.HOST, wiring.portFor(target, Target.engine(target.number()))));
        arguments.addAll(common(target));
      }
      case REDIS -> throw new IllegalArgumentException("Redis is no Java process");
    }
    return arguments;
  }

  private List<String> common(Target target) {
    return List.of(
        "--id=" + target.id(),
        "--port=" + wiring.port(target),
        "--kafka=" + wiring.kafkaFor(target),
        "--redis=redis://%s:%d".formatted(LocalPort.HOST, wiring.portFor(target, Target.redis())),
        "--partitions=" + PoolSize.PARTITIONS,
        "--replication=" + PoolSize.REPLICATION);
  }

  /** Starts everything, the backends first, and returns when requests can come. */
  void start() throws IOException, InterruptedException {
    startRedis();
    startAll(EnumSet.of(Target.Role.BROKER, Target.Role.ENGINE));
    startAll(EnumSet.of(Target.Role.ROUTER, Target.Role.WORKER));
  }

  private void startAll(Set<Target.Role> roles) throws IOException, InterruptedException {
    List<ChildProcess> wanted =
        processes.entrySet().stream()
            .filter(process -> roles.contains(process.getKey().role()))
            .map(Map.Entry::getValue)
            .toList();
    for (ChildProcess process : wanted) {
      process.start();
    }
    for (ChildProcess process : wanted) {
      process.awaitReady(READY_WITHIN);
    }
  }

  Wiring wiring() {
    return wiring;
  }

  /** Where a process answers HTTP, past all links. */
  URI http(Target target, String path) {
    return URI.create("http://%s:%d%s".formatted(LocalPort.HOST, wiring.port(target), path));
  }

  /** Where an engine's faults are controlled. */
  URI admin(Target engine, String path) {
    return URI.create("http://%s:%d%s".formatted(LocalPort.HOST, wiring.secondPort(engine), path));
  }

  void kill(Target target) throws IOException, InterruptedException {
    if (target.role() == Target.Role.REDIS) {
      signalRedis("KILL");
    } else {
      child(target).kill();
    }
  }

  void freeze(Target target) throws IOException, InterruptedException {
    signal(target, "STOP");
  }

  void thaw(Target target) throws IOException, InterruptedException {
    signal(target, "CONT");
  }

  private void signal(Target target, String signal) throws IOException, InterruptedException {
    if (target.role() == Target.Role.REDIS) {
      signalRedis(signal);
    } else {
      child(target).signal(signal);
    }
  }

  /** As an orchestrator stops it; false if it had to be killed after all. */
  boolean terminate(Target target) throws IOException, InterruptedException {
    return child(target).terminate();
  }

  /** Starts a process that has ended; returns when it can be used. */
  void startAgain(Target target) throws IOException, InterruptedException {
    if (target.role() == Target.Role.REDIS) {
      startRedis();
    } else {
      child(target).start();
      child(target).awaitReady(READY_WITHIN);
    }
  }

  private ChildProcess child(Target target) {
    return Objects.requireNonNull(processes.get(target), target.id());
  }

  private synchronized void startRedis() throws IOException {
    closeRedis();
    try {
      redis = EmbeddedRedis.start(wiring.port(Target.redis()));
    } catch (BackendStartException e) {
      throw new IOException(e);
    }
  }

  private synchronized void signalRedis(String signal) throws IOException, InterruptedException {
    if (redis != null) {
      Signals.send(redis.process().pid(), signal);
    }
  }

  private synchronized void closeRedis() {
    if (redis != null) {
      redis.process().destroyForcibly();
      redis.close();
    }
  }

  /** Kills everything; the folder stays. */
  @Override
  public void close() {
    processes.values().forEach(ChildProcess::close);
    closeRedis();
    wiring.close();
  }

  static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
