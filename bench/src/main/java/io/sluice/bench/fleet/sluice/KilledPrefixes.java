package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.fleet.peers.SentHistory;
import io.sluice.router.peers.PeerBatch;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.Sending;
import io.sluice.router.prefix.CachedPrefixes;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.prefix.PrefixIndex;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What routers know that infer the engines' caches from what they send, and are all killed in the
 * middle of the trace. They are there again at once, with all that waits and runs, but know of no
 * cache, unless they recall it from the messages that {@link SentHistory} keeps. Each request is a
 * message of its own. Counts the choices without knowledge. Not thread-safe.
 */
final class KilledPrefixes implements PrefixSource, CachedPrefixes {
  private static final PeerBatch.Share NOTHING = new PeerBatch.Share(0, 0, 0);

  private final FleetRun run;

  /** What the engines really have. */
  private final ExactPrefixes cached;

  private final PeerBatch batch = new PeerBatch();
  private final Map<String, Deque<AtWorker>> history = new HashMap<>();
  private PrefixIndex index = new PrefixIndex();
  private boolean wereKilled;

  KilledPrefixes(FleetRun run, boolean isRecalled) {
    this.run = run;
    this.cached = new ExactPrefixes(run.engines());
    run.time()
        .at(
            run.middleNanos(),
            () -> {
              index = new PrefixIndex();
              wereKilled = true;
              if (isRecalled) {
                history.values().forEach(entries -> entries.forEach(this::recall));
              }
            });
  }

  @Override
  public Experience experience() {
    return Experience.toldOf(this);
  }

  @Override
  public PrefixChain arrived(FleetRequest request) {
    return cached.arrived(request);
  }

  @Override
  public void sent(LeaseRef lease, FleetRequest request) {
    PrefixChain chain = cached.chain(request);
    if (most(cached.match(chain)) > 0) {
      run.scorecard().chosen(most(index.match(chain)) > 0, wereKilled);
    }
    cached.sent(lease, request);
    int known = hold(lease.worker(), lease.incarnation(), chain);
    batch.add(new Sending(lease.worker(), lease.incarnation(), chain, known));
    batch.take(SluiceFront.ROUTER, any -> NOTHING).workers().forEach(this::keep);
  }

  private int most(Match match) {
    return IntStream.range(0, run.engines().size())
        .map(engine -> match.blocks(VirtualWorker.idOf(engine)))
        .max()
        .orElse(0);
  }

  private void keep(AtWorker entry) {
    if (!entry.blocks().isEmpty()) {
      Deque<AtWorker> entries =
          history.computeIfAbsent(entry.worker(), any -> new ArrayDeque<>(SentHistory.MOST));
      if (entries.size() == SentHistory.MOST) {
        entries.removeFirst();
      }
      entries.addLast(entry);
    }
  }

  private void recall(AtWorker entry) {
    var _ =
        hold(
            entry.worker(),
            entry.incarnation(),
            new PrefixChain(entry.hashes(), entry.tokensPerBlock()));
  }

  private int hold(String worker, String incarnation, PrefixChain chain) {
    var engine = run.engines().get(VirtualWorker.indexOf(worker)).config();
    long tokens = (long) engine.kvBlocks() * engine.blockTokens();
    return index.hold(worker, incarnation, tokens, chain);
  }

  @Override
  public void settled(LeaseRef lease) {
    cached.settled(lease);
  }

  @Override
  public Match match(PrefixChain chain) {
    return index.match(chain);
  }
}
