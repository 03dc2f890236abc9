package io.sluice.bench.upgrade;

import io.sluice.bench.process.EngineKind;
import io.sluice.bench.process.EngineProcess;
import io.sluice.bench.process.FreePorts;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Two gateways, two workers with simulated engines, and two routers, each a process of a build that
 * can be replaced. Kafka and Redis run in this process, and keep their data over all upgrades. Used
 * by one thread.
 */
final class UpgradePool implements AutoCloseable {
  static final EngineKind ENGINES = EngineKind.simulated();
  private static final int OF_EACH = 2;
  private static final String PARTITIONS = "8";

  private final EmbeddedKafka kafka;
  private final EmbeddedRedis redis;
  private final List<EngineProcess> engines = new ArrayList<>();
  private final List<Member> gateways = new ArrayList<>();
  private final List<Member> workers = new ArrayList<>();
  private final List<Member> routers = new ArrayList<>();
  private final List<URI> uris = new ArrayList<>();
  private final Path folder;

  /** Prepares the processes, with their data and logs in a folder. */
  UpgradePool(Path folder) throws IOException {
    this.folder = folder;
    kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.of(folder.resolve("kafka"))));
    redis = EmbeddedRedis.start(0);
    String model = ENGINES.model();
    for (int number = 1; number <= OF_EACH; number++) {
      EngineProcess engine = ENGINES.process("engine-" + number, List.of("--profile=l4"), folder);
      engines.add(engine);
      routers.add(
          member(
              "router",
              number,
              "--id=r" + number,
              "--models=" + model + "=" + ENGINES.maxModelLen()));
      workers.add(member("worker", number, "--id=w" + number, "--engine-url=" + engine.uri("")));
      gateways.add(
          member(
              "gateway",
              number,
              "--access-log=false",
              "--files=folder:" + folder.resolve("files")));
    }
  }

  private Member member(String service, int number, String... options) {
    int port = FreePorts.next();
    List<String> arguments = new ArrayList<>(List.of(service));
    arguments.addAll(List.of(options));
    arguments.add("--port=" + port);
    arguments.add("--kafka=" + kafka.bootstrapServers());
    arguments.add("--redis=" + redis.uri());
    arguments.add("--partitions=" + PARTITIONS);
    arguments.add("--replication=1");
    if (service.equals("gateway")) {
      uris.add(URI.create("http://127.0.0.1:" + port));
    }
    return new Member(service + " " + number, arguments, folder);
  }

  /** Starts everything with a build; returns when it serves requests. */
  void start(Build build) throws IOException, InterruptedException {
    for (EngineProcess engine : engines) {
      engine.start();
    }
    for (EngineProcess engine : engines) {
      engine.awaitReady(ENGINES.startWithin());
    }
    // A gateway does not start before a router has created the topics.
    for (List<Member> some : List.of(routers, workers, gateways)) {
      for (Member member : some) {
        member.start(build);
      }
      for (Member member : some) {
        member.awaitReady();
      }
    }
  }

  /** Returns the services in the order of their upgrade: gateways, workers, routers. */
  List<Member> members() {
    List<Member> all = new ArrayList<>(gateways);
    all.addAll(workers);
    all.addAll(routers);
    return all;
  }

  /** Returns the addresses of the gateways. */
  List<URI> gateways() {
    return List.copyOf(uris);
  }

  /** Kafka's address. */
  String kafka() {
    return kafka.bootstrapServers();
  }

  @Override
  public void close() {
    members().forEach(Member::close);
    engines.forEach(EngineProcess::close);
    redis.close();
    kafka.close();
  }
}
