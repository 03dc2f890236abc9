package io.sluice.bench.torture.pool;

import io.sluice.standalone.backend.LocalPort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command lines of a pool's processes. */
final class PoolCommands {
  private static final String MAIN = "io.sluice.standalone.Main";

  /** Less than the fault {@code memory pressure} sends to each of two routers. */
  private static final int MOST_WAITING_BYTES = 16 * 1024 * 1024;

  private final PoolSetup setup;
  private final Wiring wiring;
  private final Path folder;
  private final String clusterId;

  PoolCommands(PoolSetup setup, Wiring wiring, Path folder, String clusterId) {
    this.setup = setup;
    this.wiring = wiring;
    this.folder = folder;
    this.clusterId = clusterId;
  }

  /** Returns the class that a process runs. */
  static String main(Target target) {
    return target.role() == Target.Role.BROKER ? BrokerMain.class.getName() : MAIN;
  }

  static String maxHeap(Target target) {
    return switch (target.role()) {
      case BROKER -> "384m";
      case ROUTER, GATEWAY -> "256m";
      case REDIS, ENGINE, WORKER -> "160m";
    };
  }

  /** Returns the settings that are passed as environment variables. */
  static Map<String, String> environment(Target target) {
    return target.role() == Target.Role.ROUTER
        ? Map.of("SLUICE_MAX_PENDING_BYTES", Integer.toString(MOST_WAITING_BYTES))
        : Map.of();
  }

  List<String> arguments(Target target, ClockFile clock) {
    return switch (target.role()) {
      case BROKER -> broker(target, clock);
      case ENGINE -> engine(target);
      case ROUTER -> router(target);
      case WORKER -> worker(target);
      case GATEWAY -> gateway(target);
      case REDIS -> throw new IllegalArgumentException("Redis is not a Java process");
    };
  }

  private List<String> broker(Target target, ClockFile clock) {
    List<String> arguments = new ArrayList<>(List.of(clusterId, clock.path().toString()));
    Path data = folder.resolve("data-" + target.id());
    arguments.addAll(BrokerProperties.of(target, wiring, data));
    return arguments;
  }

  private List<String> engine(Target target) {
    return List.of(
        "simulator",
        "--profile=l4",
        "--model=" + setup.modelOf(target.number()),
        "--max-model-len=" + setup.engines().maxModelLen(),
        "--port=" + wiring.port(target),
        "--admin-port=" + wiring.secondPort(target),
        "--boot-after-death=3",
        "--seed=" + target.number());
  }

  private List<String> router(Target target) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "router",
                "--models=" + models(),
                // No request is refused for its wait, so that one without an answer is found.
                "--max-wait=3600"));
    arguments.addAll(common(target));
    return arguments;
  }

  private String models() {
    Engines engines = setup.engines();
    String served =
        Stream.of(engines.model(), engines.otherModel())
            .distinct()
            .map(model -> model + "=" + engines.maxModelLen())
            .collect(Collectors.joining(","));
    return served + "," + PoolSetup.ABSENT_MODEL + "=" + PoolSetup.ABSENT_MODEL_LEN;
  }

  private List<String> worker(Target target) {
    int engine = wiring.portFor(target, Target.engine(target.number()));
    List<String> arguments =
        new ArrayList<>(
            List.of("worker", "--engine-url=http://%s:%s".formatted(LocalPort.HOST, engine)));
    arguments.addAll(common(target));
    return arguments;
  }

  private List<String> gateway(Target target) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "gateway",
                "--access-log=false",
                "--files=folder:" + folder.resolve("files"),
                "--keep-alive-seconds=" + PoolSetup.KEEP_ALIVE.toSeconds(),
                // Shorter than many answers, so that a gateway that stops has to end some.
                "--drain-grace-millis=3000"));
    arguments.addAll(connected(target));
    return arguments;
  }

  private List<String> common(Target target) {
    List<String> arguments = new ArrayList<>(List.of("--id=" + target.id()));
    arguments.addAll(connected(target));
    return arguments;
  }

  private List<String> connected(Target target) {
    return List.of(
        "--port=" + wiring.port(target),
        "--kafka=" + wiring.kafkaFor(target),
        "--redis=redis://%s:%s".formatted(LocalPort.HOST, wiring.portFor(target, Target.redis())),
        "--partitions=" + PoolSetup.PARTITIONS,
        "--replication=" + PoolSetup.REPLICATION);
  }
}
