package io.sluice.standalone.pool;

import io.sluice.fleet.redis.RedisConnection;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.text.Tokenizer;
import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running pool in this process: Kafka, Redis, a router, workers, a gateway and, unless real
 * engines are given, simulated ones. The services are the same ones that run separately in
 * production. Thread-safe.
 */
public final class LocalPool implements AutoCloseable {
  /** After a kill, much kept data may have to be read first. */
  private static final Duration READY_WITHIN = Duration.ofMinutes(3);

  /** Real engines may take minutes to load their weights; the pool is usable before that. */
  private static final Duration ENGINES_WITHIN = Duration.ofSeconds(10);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);
  private static final Logger log = LoggerFactory.getLogger(LocalPool.class);

  private final PoolPlan plan;
  private final Started started;
  private final LocalBackends backends;
  private final String kafka;
  private final String redis;
  private final Router router;
  private final List<Worker> workers;
  private final Gateway gateway;

  private LocalPool(PoolPlan plan, Started started) throws InterruptedException {
    this.plan = plan;
    this.started = started;
    backends = new LocalBackends(plan, started);
    try (ExecutorService starters = Executors.newVirtualThreadPerTaskExecutor()) {
      var kafkaStart = CompletableFuture.supplyAsync(backends::startKafka, starters);
      var redisStart = CompletableFuture.supplyAsync(backends::startRedis, starters);
      var engineStart = CompletableFuture.supplyAsync(this::startEngines, starters);
      kafka = kafkaStart.join();
      redis = redisStart.join();
      List<URI> engines = engineStart.join();
      var routerStart = CompletableFuture.supplyAsync(this::startRouter, starters);
      List<CompletableFuture<Worker>> workerStarts =
          IntStream.range(0, engines.size())
              .mapToObj(
                  index ->
                      CompletableFuture.supplyAsync(
                          () -> startWorker(index, engines.get(index)), starters))
              .toList();
      router = routerStart.join();
      workers = workerStarts.stream().map(CompletableFuture::join).toList();
    }
    awaitReady();
    gateway = startGateway();
  }

  /**
   * Starts everything and returns when the router can send requests to every worker. A worker whose
   * real engine does not respond within some seconds continues to wait for it.
   *
   * @throws BackendStartException if a part does not start; nothing is left running then
   */
  public static LocalPool start(PoolPlan plan) throws InterruptedException {
    return start(plan, new Started());
  }

  /**
   * Starts a pool that can be stopped while it starts.
   *
   * @param started gets what is started; its close stops the pool, or ends the start
   * @throws BackendStartException if a part does not start; nothing is left running then
   */
  static LocalPool start(PoolPlan plan, Started started) throws InterruptedException {
    try {
      return new LocalPool(plan, started);
    } catch (CompletionException e) {
      started.close();
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw cause instanceof BackendStartException known
          ? known
          : new BackendStartException(String.valueOf(cause.getMessage()), cause);
    } catch (RuntimeException | InterruptedException e) {
      started.close();
      throw e;
    }
  }

  /** Returns Kafka's bootstrap servers. */
  public String kafka() {
    return kafka;
  }

  /** Returns the address of Redis. */
  public String redis() {
    return redis;
  }

  /** Returns the access of other machines; empty if the pool is not open to them. */
  Optional<RemoteAccess> remote() {
    return backends.remote();
  }

  /**
   * Returns the arguments with which a worker on another machine joins, in addition to its id and
   * engine; none if the pool is not open to other machines.
   *
   * @param directory where that machine has the files of {@link RemoteAccess}
   */
  List<String> joinArguments(String directory) {
    return remote()
        .map(access -> access.arguments(directory, URI.create(redis).getPort(), plan.partitions()))
        .orElse(List.of());
  }

  /** Returns the folder of the gateway's files, which all gateways of the pool must share. */
  Path files() {
    return backends.files();
  }

  /** Returns whether the embedded Redis runs; also true with another Redis. */
  boolean isRedisAlive() {
    return backends.isRedisAlive();
  }

  /** Returns the addresses at which the services say whether a restart would help. */
  List<URI> livenessProbes() {
    return Stream.concat(
            Stream.of(gatewayUrl(), local(router.port())),
            workers.stream().map(worker -> local(worker.httpPort())))
        .map(base -> URI.create(base + "/health/liveness"))
        .toList();
  }

  private static String local(int port) {
    return "http://" + LocalPort.HOST + ":" + port;
  }

  /** Returns the gateway. */
  Gateway gateway() {
    return gateway;
  }

  /** Returns the port of the gateway. */
  public int gatewayPort() {
    return gateway.port();
  }

  /** Returns the address of the gateway, without {@code /v1}. */
  String gatewayUrl() {
    String host =
        plan.exposure().keys().flatMap(keys -> plan.exposure().host()).orElse(LocalPort.HOST);
    return "http://" + RemoteAccess.inUrl(host) + ":" + gateway.port();
  }

  /** Returns the port of the router's {@code /health} and {@code /prometheus}. */
  public int routerPort() {
    return router.port();
  }

  /** Returns the workers, in the order of the plan. */
  public List<Worker> workers() {
    return workers;
  }

  public PoolPlan plan() {
    return plan;
  }

  /**
   * Stops everything, the services before their backends. Running requests are finished or handed
   * over within a few seconds.
   */
  @Override
  public void close() {
    started.close();
  }

  private List<URI> startEngines() {
    Tokenizer tokenizer = new Tokenizer();
    List<URI> engines = new ArrayList<>();
    for (WorkerPlan worker : plan.workers()) {
      engines.add(
          switch (worker.engine()) {
            case WorkerPlan.Engine.External external -> external.url();
            case WorkerPlan.Engine.Simulated simulated ->
                started.start(() -> startEngine(simulated.config(), tokenizer)).uri();
          });
    }
    return engines;
  }

  private static SimulatedEngine startEngine(SimulatorConfig config, Tokenizer tokenizer) {
    try {
      return SimulatedEngine.start(config, tokenizer);
    } catch (IOException e) {
      throw new BackendStartException("a simulated engine did not start: " + e.getMessage(), e);
    }
  }

  private Router startRouter() {
    LocalPort.settle(plan.ports().router(), "The router");
    return started.start(() -> Router.start(RouterConfig.of(settings().router())));
  }

  private Gateway startGateway() {
    LocalPort.settle(plan.ports().gateway(), "The gateway");
    return started.start(
        () -> Gateway.start(GatewayConfig.SCHEMA.read(settings().gateway(files()))));
  }

  private Worker startWorker(int index, URI engine) {
    LocalPort.settle(plan.ports().worker(index), "Worker " + plan.workers().get(index).id());
    return started.start(() -> Worker.start(WorkerConfig.of(settings().worker(index, engine))));
  }

  private ServiceSettings settings() {
    return new ServiceSettings(plan, kafka, redis, remote());
  }

  private void awaitReady() throws InterruptedException {
    if (!router.awaitReady(READY_WITHIN)) {
      throw new BackendStartException(
          "the router was not ready within %d s".formatted(READY_WITHIN.toSeconds()));
    }
    boolean isSimulated =
        plan.workers().stream()
            .allMatch(worker -> worker.engine() instanceof WorkerPlan.Engine.Simulated);
    Duration bound = isSimulated ? READY_WITHIN : ENGINES_WITHIN;
    if (!awaitWorkers(bound) && isSimulated) {
      throw new BackendStartException(
          "the pool was not ready within %d s: %d of %d workers are reachable"
              .formatted(bound.toSeconds(), router.reachableWorkers(), workers.size()));
    }
    log.info(
        "event=pool_ready kafka={} redis={} workers={} reachable={}",
        kafka,
        RedisConnection.shown(redis),
        workers.size(),
        router.reachableWorkers());
  }

  /** Returns whether all workers were reachable in time. */
  private boolean awaitWorkers(Duration atMost) throws InterruptedException {
    long start = System.nanoTime();
    while (router.reachableWorkers() < workers.size()) {
      if (System.nanoTime() - start > atMost.toNanos()) {
        return false;
      }
      Thread.sleep(LOOK_AGAIN);
    }
    return true;
  }
}
