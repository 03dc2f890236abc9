package io.sluice.bench.kills;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Runs the rows of the table one after the other, on one pool. */
final class KillsRun {
  private static final Duration FROZEN = Duration.ofSeconds(15);
  static final int STREAMS = 8;
  static final int TOKENS = 200;
  private static final int ASKED_OF_BAD_ENGINES = 30;
  private static final int TOKENS_OF_BAD_ENGINES = 40;
  private static final int CHOICES = 16;
  private static final long SLOW = 400_000;

  /** With all choices and their log probabilities, an answer of 15 MB. */
  private static final int TOKENS_OF_SLOW_READER = 520;

  private final PoolProcesses pool;
  private final Gateways gateways;
  private final String model;
  private final Victims victims;
  private final Judge judge;
  private final Clients clients;
  private final Consumer<String> progress;

  KillsRun(
      PoolProcesses pool, Gateways gateways, String model, Judge judge, Consumer<String> progress) {
    this.pool = pool;
    this.gateways = gateways;
    this.model = model;
    this.victims = new Victims(pool);
    this.judge = judge;
    this.clients = new Clients(gateways, model);
    this.progress = progress;
  }

  /** What is done to the pool in mid-stream. */
  private interface Injection {
    void hit(Target victim) throws IOException, InterruptedException;
  }

  List<KillRow> rows() throws IOException, InterruptedException {
    List<KillRow> rows = new ArrayList<>();
    var roles =
        List.of(Target.Role.ENGINE, Target.Role.WORKER, Target.Role.ROUTER, Target.Role.GATEWAY);
    for (Target.Role role : roles) {
      rows.add(row("kill -9 " + name(role), role, pool::kill, pool::startAgain));
    }
    for (Target.Role role : roles) {
      rows.add(row(name(role) + " frozen for 15 s", role, this::freeze, victim -> {}));
    }
    for (int status : List.of(503, 500, 429)) {
      rows.add(badEngines(status));
    }
    rows.add(slowReader());
    rows.addAll(new LeavingClients(pool.gateways().getFirst(), model, victims, progress).rows());
    return rows;
  }

  private static String name(Target.Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }

  private void freeze(Target victim) throws IOException, InterruptedException {
    pool.freeze(victim);
    Thread.sleep(FROZEN);
    pool.thaw(victim);
  }

  private KillRow row(String what, Target.Role role, Injection fault, Injection recovery)
      throws IOException, InterruptedException {
    progress.accept(what);
    victims.awaitIdle();
    Streams streams = clients.start(STREAMS, TOKENS);
    streams.awaitUnderWay();
    Target victim = victims.busiest(role);
    fault.hit(victim);
    List<Sighting> seen = streams.await();
    KillRow row = judge.row(what, streams, seen);
    recovery.hit(victim);
    return row;
  }

  private KillRow badEngines(int status) throws IOException, InterruptedException {
    String what = "30 %% of the engines' answers are %d".formatted(status);
    progress.accept(what);
    victims.awaitIdle();
    victims.faults("{\"faults\":[\"status=%s@0.3\"]}".formatted(status));
    Streams streams = clients.start(ASKED_OF_BAD_ENGINES, TOKENS_OF_BAD_ENGINES);
    List<Sighting> seen = streams.await();
    victims.faults("{\"faults\":[]}");
    return judge.row(what, streams, seen);
  }

  private KillRow slowReader() throws IOException, InterruptedException {
    progress.accept("slow reader");
    victims.awaitIdle();
    ObjectNode body = clients.chat("slow-reader", TOKENS_OF_SLOW_READER);
    body.put("n", CHOICES).put("temperature", 1).put("seed", 5);
    body.put("logprobs", true).put("top_logprobs", 20);
    Streams streams = new Streams(gateways);
    streams.start(body, 0, SLOW);
    List<Sighting> seen = streams.await();
    String what = String.format(Locale.ROOT, "slow reader of %.1f MB", streams.bytes() / 1e6);
    return judge.row(what, streams, seen);
  }
}
