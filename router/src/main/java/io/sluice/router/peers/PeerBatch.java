package io.sluice.router.peers;

import io.sluice.fleet.peers.PeerMessage;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.router.policy.Sending;
import io.sluice.router.prefix.PrefixChain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Gathers what was sent in a moment into one {@link PeerMessage}. For each prompt it takes the
 * blocks that are new to the worker, because the others know of the rest. One prompt in {@value
 * #WHOLE_EVERY} is sent as a whole, so that a router that started later, or whose index has dropped
 * blocks that it never saw used, knows the beginning of a frequent prompt. Not thread-safe.
 */
public final class PeerBatch {
  /** A batch is full with this many sendings. */
  static final int FULL_SENDINGS = 64;

  /** Or with this many blocks: some 44 kB. */
  static final int FULL_BLOCKS = 4_096;

  /** Of one prompt; some 32,000 tokens. */
  static final int MOST_BLOCKS = 512;

  /** A prime, so that callers that take turns do not always meet the same turn. */
  static final int WHOLE_EVERY = 17;

  /**
   * What this router has at a worker.
   *
   * @param leases requests
   * @param contextTokens their prompts and expected outputs
   * @param promptTokens what is not cached of the prompts that have no token yet
   */
  public record Share(int leases, long contextTokens, long promptTokens) {}

  private static final class Gathered {
    private long[] hashes = new long[0];
    private int tokensPerBlock = 1;

    void add(PrefixChain chain, int from) {
      int old = hashes.length;
      int more = Math.clamp(chain.blocks() - from, 0, MOST_BLOCKS);
      if (more > 0) {
        hashes = Arrays.copyOf(hashes, old + more);
        tokensPerBlock = chain.tokensPerBlock();
        for (int block = 0; block < more; block++) {
          hashes[old + block] = chain.hash(from + block);
        }
      }
    }
  }

  private record Life(String worker, String incarnation) {}

  private final Map<Life, Gathered> lives = new LinkedHashMap<>();
  private int sendings;
  private int blocks;
  private int untilWhole = WHOLE_EVERY;

  /** Adds one. */
  public void add(Sending sending) {
    untilWhole--;
    int from = untilWhole == 0 ? 0 : sending.knownBlocks();
    untilWhole = untilWhole == 0 ? WHOLE_EVERY : untilWhole;
    Gathered gathered =
        lives.computeIfAbsent(
            new Life(sending.worker(), sending.incarnation()), any -> new Gathered());
    int before = gathered.hashes.length;
    gathered.add(sending.prefix(), from);
    blocks += gathered.hashes.length - before;
    sendings++;
  }

  boolean isFull() {
    return sendings >= FULL_SENDINGS || blocks >= FULL_BLOCKS;
  }

  /**
   * Returns the message of what was added since the last one.
   *
   * @param shares what the router has at a worker by now
   */
  public PeerMessage take(String routerId, Function<String, Share> shares) {
    List<AtWorker> workers = new ArrayList<>(lives.size());
    lives.forEach(
        (life, gathered) -> {
          Share share = shares.apply(life.worker());
          workers.add(
              new AtWorker(
                  life.worker(),
                  life.incarnation(),
                  share.leases(),
                  share.contextTokens(),
                  share.promptTokens(),
                  gathered.tokensPerBlock,
                  AtWorker.encoded(gathered.hashes)));
        });
    lives.clear();
    sendings = 0;
    blocks = 0;
    return new PeerMessage(routerId, workers);
  }
}
