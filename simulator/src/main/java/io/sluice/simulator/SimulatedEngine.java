package io.sluice.simulator;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.http.HttpServer;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.serving.EngineDriver;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HexFormat;

/**
 * A running simulated vLLM server: two threads, both idle while there is nothing to do.
 *
 * <p>Thread-safe; closing or killing more than once is harmless.
 */
public final class SimulatedEngine implements AutoCloseable {

  private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

  private final String host;
  private final int port;
  private final EngineDriver driver;
  private final HttpServer server;

  private SimulatedEngine(String host, int port, EngineDriver driver, HttpServer server) {
    this.host = host;
    this.port = port;
    this.driver = driver;
    this.server = server;
  }

  /**
   * Starts an engine with its own copy of the vocabulary.
   *
   * @throws IOException if the address cannot be bound; the message names it
   * @throws IllegalArgumentException if the limits contradict each other
   */
  public static SimulatedEngine start(SimulatorConfig config) throws IOException {
    return start(config, new Tokenizer());
  }

  /** Starts an engine that shares a tokenizer with others of the process. */
  public static SimulatedEngine start(SimulatorConfig config, Tokenizer tokenizer)
      throws IOException {
    EngineConfig engine = config.engine();
    String model = config.models().getFirst();
    ServerMetrics metrics =
        new ServerMetrics(
            model, engine, config.version(), () -> System.currentTimeMillis() / 1000.0);
    EngineDriver driver = new EngineDriver(engine, tokenizer, model, metrics);
    HttpServer server =
        new HttpServer(
            config.models(),
            config.maxModelLen(),
            config.version(),
            fingerprint(config),
            tokenizer,
            driver,
            metrics);
    int port = server.listen(config.host(), config.port());
    driver.start();
    return new SimulatedEngine(config.host(), port, driver, server);
  }

  /** Returns the port it listens on. */
  public int port() {
    return port;
  }

  /** Returns the base address, such as {@code http://127.0.0.1:8000}. */
  public URI uri() {
    return URI.create("http://" + host + ":" + port);
  }

  /**
   * Stops as vLLM does on SIGTERM: what runs ends with {@code finish_reason:"abort"}, then the
   * sockets close. Takes some seconds at most.
   */
  @Override
  public void close() {
    driver.shutDown();
    server.stop(CLOSE_GRACE);
    driver.halt();
  }

  /** Stops like a killed process: all sockets close at once, and nobody is told anything. */
  public void kill() {
    driver.halt();
    server.stop(Duration.ZERO);
  }

  private static String fingerprint(SimulatorConfig config) {
    int hash = (config.models() + config.profile().wireName() + config.maxModelLen()).hashCode();
    return "vllm-" + config.version() + "-" + HexFormat.of().toHexDigits(hash);
  }
}
