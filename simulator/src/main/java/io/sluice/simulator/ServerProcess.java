package io.sluice.simulator;

import io.sluice.simulator.endpoint.Api;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.fault.Effect;
import io.sluice.simulator.fault.FaultBoard;
import io.sluice.simulator.http.HttpServer;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.openai.request.LoraAdapters;
import io.sluice.simulator.openai.request.ServedModel;
import io.sluice.simulator.release.Release;
import io.sluice.simulator.serving.EngineDriver;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One run of the simulated server process, from boot to end. A restart creates another one.
 * Thread-safe.
 */
final class ServerProcess {

  private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

  private final SimulatorConfig config;
  private final FaultBoard faults;
  private final EngineDriver driver;
  private final Api api;
  private final HttpServer server;
  private final int port;
  private final MemoryLeak leak;

  private ServerProcess(
      SimulatorConfig config,
      FaultBoard faults,
      EngineDriver driver,
      Api api,
      HttpServer server,
      int port) {
    this.config = config;
    this.faults = faults;
    this.driver = driver;
    this.api = api;
    this.server = server;
    this.port = port;
    this.leak = new MemoryLeak(config);
  }

  /** Boots on a port; 0 for a free one. */
  static ServerProcess boot(
      SimulatorConfig config, int port, Tokenizer tokenizer, FaultBoard faults) throws IOException {
    EngineConfig engine = config.engine();
    String model = config.models().getFirst();
    ServerMetrics metrics =
        new ServerMetrics(model, engine, config.version(), ServerProcess::nowSeconds);
    EngineDriver driver = new EngineDriver(engine, tokenizer, model, metrics);
    ServerOptions options = config.server();
    Api api =
        new Api(
            new ServedModel(
                config.models(),
                config.maxModelLen(),
                config.version(),
                fingerprint(config),
                new LoraAdapters(options.loras())),
            options.api(),
            options.format(),
            tokenizer,
            driver,
            metrics,
            faults);
    // Newer servers allow no origin by default.
    boolean anyOrigin = Release.of(config.version()).before(32);
    HttpServer server =
        new HttpServer("http-" + model, api, options.http(), anyOrigin, metrics::httpAnswered);
    int bound = server.listen(config.host(), port);
    driver.start();
    ServerProcess process = new ServerProcess(config, faults, driver, api, server, bound);
    process.applyFaults();
    return process;
  }

  int port() {
    return port;
  }

  boolean isDead() {
    return driver.isDead();
  }

  boolean isBusy() {
    return driver.pendingWork().unfinished() > 0;
  }

  int lostBlocks() {
    return leak.lostBlocks();
  }

  /** Applies the active faults to the engine. */
  void applyFaults() {
    double factor =
        faults.engine(Effect.EngineSlow.class).map(Effect.EngineSlow::factor).orElse(1.0);
    driver.slowBy(factor * leak.slowdown());
    if (faults.engine(Effect.RefuseConnections.class).isPresent()) {
      server.refuse();
    } else if (!server.isListening()) {
      try {
        server.listen(config.host(), port);
      } catch (IOException e) {
        throw new IllegalStateException(e.getMessage(), e);
      }
    }
  }

  /**
   * Advances the active leak by some time.
   *
   * @return whether so many blocks are lost that the engine runs out of memory
   */
  boolean age(Duration elapsed) {
    Optional<Effect.Leak> fault = faults.engine(Effect.Leak.class);
    if (fault.isEmpty() || driver.isDead()) {
      return false;
    }
    int lost = leak.lose(fault.get().blocksPerMinute(), elapsed);
    if (lost > 0) {
      driver.leakBlocks(lost);
      applyFaults();
    }
    return leak.isOut();
  }

  /**
   * Makes the engine die. The server continues until it is stopped.
   *
   * @param onFailedRequest runs when a request gets 500 because of the death; newer servers notice
   *     the death this way
   */
  void die(Runnable onFailedRequest) {
    if (!Release.of(config.version()).before(32)) {
      api.onEngineDead(onFailedRequest);
    }
    driver.die();
  }

  /**
   * Does what vLLM does on SIGTERM. Since release 0.32, that is: refuse new connections, let
   * running requests finish within the shutdown timeout, and then send nothing more and not end as
   * long as a client waits for an answer. Earlier releases do the same as {@link #close}.
   *
   * @return completes when the process can end
   */
  CompletableFuture<Void> terminate() {
    if (Release.of(config.version()).before(32)) {
      close();
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> left = server.whenClientsLeft();
    Duration drain = config.server().shutdown().timeout();
    if (drain.isPositive()) {
      var _ =
          driver
              .drain()
              .orTimeout(drain.toNanos(), TimeUnit.NANOSECONDS)
              .whenCompleteAsync((_, _) -> driver.halt());
    } else {
      driver.halt();
    }
    return left;
  }

  /** Stops in an orderly way: drains if configured, aborts the remaining requests, and closes. */
  void close() {
    Duration drain = config.server().shutdown().timeout();
    if (drain.isPositive()) {
      try {
        driver.drain().get(drain.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | ExecutionException e) {
        // The remaining requests are aborted below.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    driver.shutDown();
    server.stop(CLOSE_GRACE);
    driver.halt();
  }

  /** Stops like a killed process. */
  void kill() {
    driver.halt();
    server.stop(Duration.ZERO);
  }

  private static double nowSeconds() {
    return System.currentTimeMillis() / 1000.0;
  }

  private static String fingerprint(SimulatorConfig config) {
    int hash =
        (config.models() + config.timing().profile().wireName() + config.maxModelLen()).hashCode();
    return "vllm-" + config.version() + "-" + HexFormat.of().toHexDigits(hash);
  }
}
