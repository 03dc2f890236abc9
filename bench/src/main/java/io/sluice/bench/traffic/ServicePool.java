package io.sluice.bench.traffic;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.FreePorts;
import io.sluice.bench.process.Launch;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;

/**
 * Simulated engines, and a router, a worker for each engine and a gateway, each a process. Kafka
 * and Redis run in this process. Not thread-safe.
 */
public final class ServicePool implements AutoCloseable {
  /** A model that the pool is there to serve and that no engine has: requests for it wait. */
  public static final String UNSERVED = "unserved";

  private static final Duration READY_WITHIN = Duration.ofMinutes(2);

  private final Path folder;
  private final Engines shape;
  private final Map<String, List<String>> more;
  private final EmbeddedKafka kafka;
  private final EmbeddedRedis redis;
  private final List<URI> engines = new ArrayList<>();
  private final int routerPort;
  private final int gatewayPort;
  private final List<ChildProcess> processes = new ArrayList<>();
  private volatile boolean isStarted;

  /**
   * The engines of a pool.
   *
   * @param profile the GPU that they simulate
   * @param count of the engines
   * @param places how many requests each of them computes at once
   * @param context the longest prompt with its answer, in tokens
   */
  public record Engines(String profile, int count, int places, int context) {
    private static final int SHORT_CONTEXT = 4_096;

    /** Two of them, with a short context. */
    public static Engines two(String profile, int places) {
      return of(profile, 2, places);
    }

    /** This many of them, with a short context. */
    static Engines of(String profile, int count, int places) {
      return new Engines(profile, count, places, SHORT_CONTEXT);
    }
  }

  /**
   * Prepares the processes in a temporary folder.
   *
   * @param name of the benchmark, for the name of the folder
   * @param more options by the command that gets them: a service or {@code simulator}
   */
  public ServicePool(String name, Engines shape, Map<String, List<String>> more)
      throws IOException {
    this.folder = Files.createTempDirectory("sluice-" + name + "-");
    this.shape = shape;
    kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.of(data())));
    redis = EmbeddedRedis.start(0);
    this.more = Map.copyOf(more);
    routerPort = FreePorts.next();
    String models = "%s=%d,%s=%2$d".formatted(PoolPlan.MODEL, shape.context(), UNSERVED);
    addService("router", List.of("--models=" + models, "--port=" + routerPort));
    for (int engine = 1; engine <= shape.count(); engine++) {
      int port = FreePorts.next();
      engines.add(local(port));
      prepare(
          "engine-" + engine,
          with(
              "simulator",
              List.of(
                  "--profile=" + shape.profile(),
                  "--model=" + PoolPlan.MODEL,
                  "--max-model-len=" + shape.context(),
                  "--max-num-seqs=" + shape.places(),
                  "--port=" + port)));
      addService(
          "worker",
          List.of(
              "--id=worker-" + engine,
              "--engine-url=" + local(port),
              "--port=" + FreePorts.next()));
    }
    gatewayPort = FreePorts.next();
    addService("gateway", List.of("--access-log=false", "--port=" + gatewayPort));
  }

  private void addService(String service, List<String> options) {
    List<String> arguments = with(service, options);
    arguments.add("--kafka=" + kafka.bootstrapServers());
    arguments.add("--redis=" + redis.uri());
    prepare(service + "-" + processes.size(), arguments);
  }

  private List<String> with(String command, List<String> options) {
    List<String> arguments = new ArrayList<>();
    arguments.add(command);
    arguments.addAll(options);
    arguments.addAll(more.getOrDefault(command, List.of()));
    return arguments;
  }

  private void prepare(String name, List<String> arguments) {
    Launch launch = Launch.single(Launch.launcher(arguments), Map.of(), " ready");
    processes.add(new ChildProcess(name, launch, folder.resolve(name + ".log")));
  }

  /** Starts all processes; returns when they serve requests. */
  public void start() throws IOException, InterruptedException {
    // A gateway does not start before the pool has created its topics.
    start(processes.subList(0, processes.size() - 1));
    start(processes.subList(processes.size() - 1, processes.size()));
    isStarted = true;
  }

  private static void start(List<ChildProcess> some) throws IOException, InterruptedException {
    for (ChildProcess process : some) {
      process.start();
    }
    for (ChildProcess process : some) {
      process.awaitReady(READY_WITHIN);
    }
  }

  private static URI local(int port) {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Returns the gateway's address. */
  public URI gateway() {
    return local(gatewayPort);
  }

  /** Returns the router's address. */
  public URI router() {
    return local(routerPort);
  }

  /** Returns the addresses of the engines. */
  public List<URI> engines() {
    return List.copyOf(engines);
  }

  /** Kafka's address. */
  public String kafka() {
    return kafka.bootstrapServers();
  }

  /** Returns where Kafka keeps its data. */
  public Path data() {
    return folder.resolve("kafka");
  }

  /** Returns how many requests all engines compute at once. */
  public int places() {
    return shape.count() * shape.places();
  }

  /** Returns the processes of the services and engines. */
  public List<ChildProcess> processes() {
    return List.copyOf(processes);
  }

  /** Ends all processes. Their logs are kept if they could not be started. */
  @Override
  public void close() throws IOException {
    processes.reversed().forEach(ChildProcess::close);
    redis.close();
    kafka.close();
    Utils.delete(isStarted ? folder.toFile() : data().toFile());
  }
}
