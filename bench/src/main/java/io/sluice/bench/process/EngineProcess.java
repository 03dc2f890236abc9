package io.sluice.bench.process;

import io.sluice.simulator.fit.MetricsPage;
import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An engine in separate processes, which can be killed and started again. Thread-safe. */
public final class EngineProcess implements AutoCloseable {
  private static final Duration ASK_WITHIN = Duration.ofSeconds(5);

  /** In the title of vLLM's process that schedules. */
  public static final String CORE = "EngineCore";

  /** In the title of vLLM's process that computes. */
  private static final String WORKER = "VLLM::Worker";

  private final ChildProcess process;
  private final int port;
  private final int adminPort;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private EngineProcess(int port, LaunchAt launch, String name, Path folder) throws IOException {
    this.port = port;
    this.adminPort = FreePorts.next();
    Path log = Files.createDirectories(folder).resolve(name + ".log");
    this.process = new ChildProcess(name, launch.at(this), log);
  }

  /** How the engine is started once its ports are known. */
  private interface LaunchAt {
    Launch at(EngineProcess engine) throws IOException;
  }

  /** Returns a real engine. */
  static EngineProcess real(EngineCommand command, String name, Path folder) throws IOException {
    return new EngineProcess(FreePorts.next(), engine -> command.at(engine.port), name, folder);
  }

  /** Returns a simulated engine with additional options. */
  static EngineProcess simulated(String model, List<String> options, String name, Path folder)
      throws IOException {
    return simulated(FreePorts.next(), model, options, name, folder);
  }

  /** Returns a simulated engine at a fixed port, with additional options. */
  public static EngineProcess simulated(
      int port, String model, List<String> options, String name, Path folder) throws IOException {
    return new EngineProcess(
        port,
        engine -> {
          List<String> arguments =
              new ArrayList<>(
                  List.of(
                      "simulator",
                      "--model=" + model,
                      "--port=" + engine.port,
                      "--admin-port=" + engine.adminPort));
          arguments.addAll(options);
          Path temporary = Files.createDirectories(folder.resolve("tmp-" + name));
          return Launch.single(
              Launch.java("256m", temporary, "io.sluice.standalone.Main", arguments),
              Map.of(),
              " ready");
        },
        name,
        folder);
  }

  /** Starts the engine; does nothing if it runs. */
  public void start() throws IOException {
    process.start();
  }

  /**
   * Waits until the engine answers.
   *
   * @throws IOException if it ends before it answers, or takes too long
   */
  public void awaitReady(Duration limit) throws IOException, InterruptedException {
    process.awaitReady(limit);
  }

  public String name() {
    return process.name();
  }

  public int port() {
    return port;
  }

  /** Returns the base URL of the engine. */
  public URI uri(String path) {
    return uri(port, path);
  }

  private static URI uri(int port, String path) {
    return URI.create("http://%s:%s%s".formatted(LocalPort.HOST, port, path));
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns how many requests it is computing; 0 if it does not report it. */
  public int running() throws InterruptedException {
    try {
      return (int) metrics().sum("vllm:num_requests_running");
    } catch (IOException e) {
      return 0;
    }
  }

  /**
   * Returns what its metrics say now.
   *
   * @throws IOException if it does not tell them within some seconds
   */
  public MetricsPage metrics() throws IOException, InterruptedException {
    HttpRequest ask = HttpRequest.newBuilder(uri("/metrics")).timeout(ASK_WITHIN).build();
    return new MetricsPage(http.send(ask, BodyHandlers.ofString()).body());
  }

  public void signal(String signal) throws IOException, InterruptedException {
    process.signal(signal);
  }

  /** Kills all of its processes that still run. */
  public void kill() throws IOException, InterruptedException {
    process.kill();
  }

  /** Kills only the process that listens; the others have to detect it. */
  public void killServer() throws IOException, InterruptedException {
    process.signalLeader("KILL");
  }

  /** Stops the engine as a container is stopped: only the process that listens gets SIGTERM. */
  public void terminate() throws IOException, InterruptedException {
    process.signalLeader("TERM");
  }

  /**
   * Kills the process that schedules. The simulator has one process, and shows the death of a core
   * when it is told to.
   */
  public void killCore() throws IOException, InterruptedException {
    if (process.isGroup()) {
      process.killPart(CORE);
    } else {
      HttpRequest death =
          HttpRequest.newBuilder(uri(adminPort, "/die"))
              .POST(HttpRequest.BodyPublishers.noBody())
              .timeout(ASK_WITHIN)
              .build();
      http.send(death, BodyHandlers.discarding());
    }
  }

  /**
   * Kills the process that computes for the core. The simulator shows it as the death of its core,
   * which is what the core of a real engine makes of it.
   */
  public void killWorker() throws IOException, InterruptedException {
    if (process.isGroup()) {
      process.killPart(WORKER);
    } else {
      killCore();
    }
  }

  @Override
  public void close() {
    process.close();
    http.close();
  }
}
