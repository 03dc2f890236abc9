package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.policy.Experience;
import io.sluice.router.prefix.CachedPrefixes;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.simulator.engine.BlockHashes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * What a router knows that hears every change of its engines' caches at once, as vLLM publishes
 * them. A prompt that was sent and is not computed yet will be cached, so it counts too. Not
 * thread-safe.
 */
final class ExactPrefixes implements PrefixSource, CachedPrefixes {
  private final List<EngineNode> engines;
  private final List<String> workers;

  /** Of each prompt that was looked up: the engines' hashes, by the last hash of its chain. */
  private final Map<Long, long[]> prompts = new HashMap<>();

  /** The chains of prompts on their way: how often each hash is under way to each engine. */
  private final List<Map<Long, Integer>> underWay = new ArrayList<>();

  /** The chains of requests, which may be sent more than once, by id. */
  private final Map<Integer, PrefixChain> chains = new HashMap<>();

  private final Map<String, PrefixChain> sent = new HashMap<>();

  ExactPrefixes(List<EngineNode> engines) {
    this.engines = engines;
    this.workers = IntStream.range(0, engines.size()).mapToObj(VirtualWorker::idOf).toList();
  }

  @Override
  public Experience experience() {
    return Experience.toldOf(this);
  }

  @Override
  public PrefixChain arrived(FleetRequest request) {
    PrefixChain chain = TraceRequests.prefix(request);
    chains.put(request.id(), chain);
    if (chain.blocks() > 0) {
      prompts.computeIfAbsent(
          last(chain),
          any -> BlockHashes.of(request.toSequence(), engines.getFirst().config().blockTokens()));
    }
    return chain;
  }

  @Override
  public void sent(LeaseRef lease, FleetRequest request) {
    PrefixChain chain = chain(request);
    sent.put(lease.lease(), chain);
    count(engine(lease.worker()), chain, 1);
  }

  @Override
  public void settled(LeaseRef lease) {
    PrefixChain chain = sent.remove(lease.lease());
    if (chain != null) {
      count(engine(lease.worker()), chain, -1);
    }
  }

  /** Returns the chain of a prompt that has arrived. */
  PrefixChain chain(FleetRequest request) {
    return Objects.requireNonNull(chains.get(request.id()), "not arrived");
  }

  private void count(int engine, PrefixChain chain, int by) {
    Map<Long, Integer> counts = underWay(engine);
    for (int i = 0; i < chain.blocks(); i++) {
      counts.merge(chain.hash(i), by, (known, more) -> known + more == 0 ? null : known + more);
    }
  }

  private Map<Long, Integer> underWay(int engine) {
    while (underWay.size() <= engine) {
      underWay.add(new HashMap<>());
    }
    return underWay.get(engine);
  }

  @Override
  public Match match(PrefixChain chain) {
    return Match.of(workers, worker -> chain.blocks() == 0 ? 0 : blocks(chain, engine(worker)));
  }

  private int blocks(PrefixChain chain, int engine) {
    long[] hashes = prompts.getOrDefault(last(chain), new long[0]);
    int cached =
        Math.min(chain.blocks(), engines.get(engine).cachedTokens(hashes) / chain.tokensPerBlock());
    Map<Long, Integer> coming = underWay(engine);
    while (cached < chain.blocks() && coming.containsKey(chain.hash(cached))) {
      cached++;
    }
    return cached;
  }

  private static long last(PrefixChain chain) {
    return chain.hash(chain.blocks() - 1);
  }

  private static int engine(String worker) {
    return VirtualWorker.indexOf(worker);
  }
}
