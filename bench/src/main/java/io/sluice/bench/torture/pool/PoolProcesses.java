package io.sluice.bench.torture.pool;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Launch;
import io.sluice.bench.process.Signals;
import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A pool of real processes: brokers, Redis, engines, routers, workers and gateways, each with its
 * own log file. {@link #close} ends them all; they also end with this process. Thread-safe.
 */
public final class PoolProcesses implements AutoCloseable {
  /** With 9 s for the brokers to answer each, nearly a minute. */
  private static final int MOST_STARTS = 5;

  private static final Duration HTTP_WITHIN = Duration.ofSeconds(5);

  private final PoolSetup setup;
  private final Path folder;
  private final Wiring wiring;
  private final ClockSkewing clockSkewing = ClockSkewing.here();
  private final Map<Target, ChildProcess> processes = new LinkedHashMap<>();
  private final Map<Target, ClockFile> clocks = new HashMap<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Thread onExit = new Thread(this::end, "pool-kill");
  private @Nullable EmbeddedRedis redis;

  /** Prepares the processes without starting them. */
  public PoolProcesses(PoolSetup setup, Path folder) throws IOException {
    this.setup = setup;
    this.folder = folder;
    this.wiring = new Wiring(setup);
    Files.createDirectories(folder);
    var commands = new PoolCommands(setup, wiring, folder, Uuid.randomUuid().toString());
    for (Target target : Wiring.all(setup).toList()) {
      if (target.role() != Target.Role.REDIS) {
        processes.put(target, process(target, commands));
      }
    }
  }

  private ChildProcess process(Target target, PoolCommands commands) throws IOException {
    ClockFile clock = new ClockFile(folder.resolve(target.id() + ".clock"));
    clock.set(Duration.ZERO);
    clocks.put(target, clock);
    Path log = folder.resolve(target.id() + ".log");
    if (target.role() == Target.Role.ENGINE && !setup.engines().areSimulated()) {
      Launch launch = setup.engines().command().orElseThrow().at(wiring.port(target));
      return new ChildProcess(target.id(), launch, log);
    }
    Path temporary = Files.createDirectories(folder.resolve(target.id()));
    List<String> command =
        Launch.java(
            PoolCommands.maxHeap(target),
            temporary,
            PoolCommands.main(target),
            commands.arguments(target, clock));
    Map<String, String> environment = new HashMap<>(PoolCommands.environment(target));
    environment.putAll(clockSkewing.environment(target.role(), clock));
    return new ChildProcess(target.id(), Launch.single(command, environment, " ready"), log);
  }

  /**
   * Starts all processes, the backends first; returns when the pool is ready for requests. They
   * also end when this process is told to.
   */
  public void start() throws IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(onExit);
    startRedis();
    startAll(EnumSet.of(Target.Role.BROKER, Target.Role.ENGINE));
    startAll(EnumSet.of(Target.Role.ROUTER, Target.Role.WORKER));
    startAll(EnumSet.of(Target.Role.GATEWAY));
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
      process.awaitReady(setup.engines().startWithin());
    }
  }

  public Wiring wiring() {
    return wiring;
  }

  /** Returns the URL of a process's HTTP server. It bypasses the links. */
  public URI http(Target target, String path) {
    return URI.create("http://%s:%s%s".formatted(LocalPort.HOST, wiring.port(target), path));
  }

  /** Returns the URLs of all gateways. */
  public List<URI> gateways() {
    return Wiring.all(setup)
        .filter(target -> target.role() == Target.Role.GATEWAY)
        .map(gateway -> http(gateway, ""))
        .toList();
  }

  /**
   * Sends a request to an engine's fault controls. It bypasses the links.
   *
   * @return the body of the answer
   */
  public String control(Target engine, String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://%s:%s%s".formatted(LocalPort.HOST, wiring.secondPort(engine), path)))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .timeout(HTTP_WITHIN)
            .build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  /** Makes the wall clock of a process step; it is felt within a second. */
  public void skewClock(Target target, Duration offset) throws IOException {
    Objects.requireNonNull(clocks.get(target), target.id()).set(offset);
  }

  /** Returns the names of the processes that do not run. At the end of a run all of them should. */
  public List<String> dead() {
    return processes.values().stream()
        .filter(process -> !process.isAlive())
        .map(ChildProcess::name)
        .toList();
  }

  public void kill(Target target) throws IOException, InterruptedException {
    if (target.role() == Target.Role.REDIS) {
      signalRedis("KILL");
    } else {
      child(target).kill();
    }
  }

  /** Kills the one of an engine's processes whose title contains a text. */
  public void killPart(Target engine, String title) throws IOException {
    child(engine).killPart(title);
  }

  /** Kills only the process that started an engine's other processes. */
  public void killLeader(Target engine) throws IOException, InterruptedException {
    child(engine).signalLeader("KILL");
  }

  public void freeze(Target target) throws IOException, InterruptedException {
    signal(target, "STOP");
  }

  public void thaw(Target target) throws IOException, InterruptedException {
    signal(target, "CONT");
  }

  private void signal(Target target, String signal) throws IOException, InterruptedException {
    if (target.role() == Target.Role.REDIS) {
      signalRedis(signal);
    } else {
      child(target).signal(signal);
    }
  }

  /**
   * Stops a process with SIGTERM, as an orchestrator does; returns false if it had to be killed.
   */
  public boolean terminate(Target target) throws IOException, InterruptedException {
    return child(target).terminate();
  }

  /**
   * Starts a process that has ended; returns when it is ready. One that ends at its start, because
   * no broker answers, is started again, as an orchestrator does.
   */
  public void startAgain(Target target) throws IOException, InterruptedException {
    if (target.role() == Target.Role.REDIS) {
      startRedis();
      return;
    }
    ChildProcess process = child(target);
    for (int start = 1; ; start++) {
      process.start();
      try {
        process.awaitReady(setup.engines().startWithin());
        return;
      } catch (IOException e) {
        if (process.isAlive() || start == MOST_STARTS) {
          throw e;
        }
      }
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
      Signals.send(Long.toString(redis.process().pid()), signal);
    }
  }

  private synchronized void closeRedis() {
    if (redis != null) {
      redis.process().destroyForcibly();
      redis.close();
    }
  }

  /** Kills all processes. The folder is kept. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException e) {
      // This process is about to end.
    }
    end();
  }

  private void end() {
    processes.values().forEach(ChildProcess::close);
    closeRedis();
    wiring.close();
    http.close();
  }
}
