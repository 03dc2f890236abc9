package io.sluice.bench.torture.pool;

import io.sluice.bench.process.FreePorts;
import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The ports of a pool, and a link for every connection between two processes that can be cut. Every
 * broker has a separate Kafka listener for each router, worker and gateway, and advertises the link
 * as its address. So one of them can be cut off from all brokers while the others are not.
 */
public final class Wiring implements AutoCloseable {
  /** From a client to a broker, Redis or an engine. */
  private record Way(String from, String to) {}

  private final PoolSetup setup;
  private final Map<Target, Integer> ports = new HashMap<>();
  private final Map<Target, Integer> secondPorts = new HashMap<>();
  private final Map<Way, Integer> listeners = new HashMap<>();
  private final Map<Way, TcpLink> links = new HashMap<>();

  Wiring(PoolSetup setup) throws IOException {
    this.setup = setup;
    all(setup).forEach(target -> ports.put(target, FreePorts.next()));
    Stream.concat(brokers(), engines())
        .forEach(target -> secondPorts.put(target, FreePorts.next()));
    for (Target client : clients().toList()) {
      for (Target broker : brokers().toList()) {
        int listener = FreePorts.next();
        listeners.put(new Way(client.id(), broker.id()), listener);
        links.put(new Way(client.id(), broker.id()), new TcpLink().to(listener));
      }
      link(client, Target.redis());
      if (client.role() == Target.Role.WORKER) {
        link(client, Target.engine(client.number()));
      }
    }
  }

  public static Stream<Target> all(PoolSetup setup) {
    return Stream.of(
            numbered(setup.brokers(), Target::broker),
            Stream.of(Target.redis()),
            numbered(setup.workers(), Target::engine),
            numbered(setup.routers(), Target::router),
            numbered(setup.workers(), Target::worker),
            numbered(setup.gateways(), Target::gateway))
        .flatMap(targets -> targets);
  }

  private static Stream<Target> numbered(int count, IntFunction<Target> target) {
    return IntStream.rangeClosed(1, count).mapToObj(target);
  }

  private void link(Target from, Target to) throws IOException {
    links.put(new Way(from.id(), to.id()), new TcpLink().to(port(to)));
  }

  Stream<Target> brokers() {
    return numbered(setup.brokers(), Target::broker);
  }

  private Stream<Target> engines() {
    return numbered(setup.workers(), Target::engine);
  }

  private Stream<Target> clients() {
    return all(setup)
        .filter(
            target ->
                switch (target.role()) {
                  case ROUTER, WORKER, GATEWAY -> true;
                  case BROKER, REDIS, ENGINE -> false;
                });
  }

  int port(Target target) {
    return Objects.requireNonNull(ports.get(target));
  }

  /** Returns the port of a broker's controller or of an engine's fault controls. */
  int secondPort(Target target) {
    return Objects.requireNonNull(secondPorts.get(target));
  }

  /** Opens, stalls or cuts the links from a client to all processes of a role. */
  public void set(Target from, Target.Role to, LinkState state) {
    links(from, to).forEach(link -> link.set(state));
  }

  /**
   * From now on the listener gets the id of each prompt with a {@link PoisonMark} that a worker
   * sends to its engine, before the end of the prompt is forwarded.
   */
  public void listenForPoison(Target worker, Consumer<String> toRequestIds) {
    links(worker, Target.Role.ENGINE).forEach(link -> link.listen(toRequestIds));
  }

  public void stopListening(Target worker) {
    links(worker, Target.Role.ENGINE).forEach(TcpLink::stopListening);
  }

  private List<TcpLink> links(Target from, Target.Role to) {
    List<TcpLink> found = new ArrayList<>();
    all(setup)
        .filter(target -> target.role() == to)
        .map(target -> links.get(new Way(from.id(), target.id())))
        .filter(Objects::nonNull)
        .forEach(found::add);
    return found;
  }

  /** Returns the port at which a client reaches a process through its link. */
  int portFor(Target from, Target to) {
    return Objects.requireNonNull(links.get(new Way(from.id(), to.id()))).port();
  }

  /** Returns the bootstrap servers of a router, worker or gateway, through its links. */
  String kafkaFor(Target client) {
    return brokers()
        .map(broker -> LocalPort.HOST + ":" + portFor(client, broker))
        .collect(Collectors.joining(","));
  }

  /** Returns the bootstrap servers of callers, which are never cut off. */
  public String kafka() {
    return brokers()
        .map(broker -> LocalPort.HOST + ":" + port(broker))
        .collect(Collectors.joining(","));
  }

  /** Returns the server properties that give every client its own listener on a broker. */
  List<String> listenerSettings(Target broker) {
    List<String> bound = new ArrayList<>();
    List<String> advertised = new ArrayList<>();
    List<String> security = new ArrayList<>(List.of("CLIENT:PLAINTEXT", "CONTROLLER:PLAINTEXT"));
    bound.add("CLIENT://%s:%s".formatted(LocalPort.HOST, port(broker)));
    bound.add("CONTROLLER://%s:%s".formatted(LocalPort.HOST, secondPort(broker)));
    advertised.add("CLIENT://%s:%s".formatted(LocalPort.HOST, port(broker)));
    clients()
        .forEach(
            client -> {
              String name = client.id().toUpperCase(Locale.ROOT);
              Way way = new Way(client.id(), broker.id());
              bound.add("%s://%s:%s".formatted(name, LocalPort.HOST, listeners.get(way)));
              advertised.add("%s://%s:%s".formatted(name, LocalPort.HOST, portFor(client, broker)));
              security.add(name + ":PLAINTEXT");
            });
    return List.of(
        "listeners=" + String.join(",", bound),
        "advertised.listeners=" + String.join(",", advertised),
        "listener.security.protocol.map=" + String.join(",", security));
  }

  public void healAll() {
    links.values().forEach(link -> link.set(LinkState.OPEN));
  }

  @Override
  public void close() {
    links.values().forEach(TcpLink::close);
  }
}
