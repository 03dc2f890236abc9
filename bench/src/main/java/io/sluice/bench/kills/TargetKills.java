package io.sluice.bench.kills;

import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.process.EngineProcess;
import io.sluice.bench.process.Signals;
import io.sluice.bench.process.TargetOptions;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The same kills of other servers, each in front of one engine. */
final class TargetKills {
  private static final Duration ENGINE_READY = Duration.ofSeconds(60);
  private static final Duration SERVING = Duration.ofMinutes(2);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  private final Map<String, URI> targets;
  private final TargetOptions servers;
  private final EngineProcess engine;
  private final String model;
  private final Judge judge;
  private final Consumer<String> progress;

  /**
   * @param targets the servers, by name
   * @param servers tells their processes; a server without one is not killed
   * @param engine is behind all servers
   */
  TargetKills(
      Map<String, URI> targets,
      TargetOptions servers,
      EngineProcess engine,
      String model,
      Judge judge,
      Consumer<String> progress) {
    this.targets = targets;
    this.servers = servers;
    this.engine = engine;
    this.model = model;
    this.judge = judge;
    this.progress = progress;
  }

  private interface Kill {
    void run() throws IOException, InterruptedException;
  }

  List<KillRow> rows() throws IOException, InterruptedException {
    List<KillRow> rows = new ArrayList<>();
    for (Map.Entry<String, URI> target : targets.entrySet()) {
      String name = target.getKey();
      try (Gateways server = new Gateways(List.of(target.getValue()))) {
        Clients clients = new Clients(server, model);
        rows.add(row(name + ": kill -9 engine", clients, engine::kill));
        Optional<Long> pid = servers.pid(name);
        if (pid.isPresent()) {
          String its = pid.get().toString();
          rows.add(row(name + ": kill -9", clients, () -> Signals.send(its, "KILL")));
        }
      }
    }
    return rows;
  }

  private KillRow row(String what, Clients clients, Kill kill)
      throws IOException, InterruptedException {
    progress.accept(what);
    engine.start();
    engine.awaitReady(ENGINE_READY);
    awaitServing(what, clients);
    Streams streams = clients.start(KillsRun.STREAMS, KillsRun.TOKENS);
    streams.awaitUnderWay();
    kill.run();
    return judge.row(what, streams, streams.await());
  }

  /** A server may avoid an engine for a while that was away. */
  private static void awaitServing(String what, Clients clients)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    while (clients.start(1, 1).await().getFirst().end() != Sighting.End.DONE) {
      if (System.nanoTime() - startNanos > SERVING.toNanos()) {
        throw new IOException(what + ": the server does not serve; is it running?");
      }
      Thread.sleep(LOOK_AGAIN);
    }
  }
}
