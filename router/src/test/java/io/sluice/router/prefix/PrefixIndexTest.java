package io.sluice.router.prefix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PrefixIndexTest {
  private static final long AMPLE = 1_000_000;

  private final PrefixIndex index = new PrefixIndex();

  @Test
  void aWorkerHoldsTheLeadingBlocksThatItWasSent() {
    // Given
    PrefixChain longer = chain(20, 0, 30);
    PrefixChain shorter = chain(20, 1, 10);

    // When
    index.hold("a", "1", AMPLE, longer);
    index.hold("b", "1", AMPLE, shorter);

    // Then
    CachedPrefixes.Match match = index.match(longer);
    assertThat(match.blocks("a")).isEqualTo(50);
    assertThat(match.blocks("b")).isEqualTo(20);
    assertThat(match.blocks("c")).isZero();
  }

  @Test
  void aNewIncarnationHoldsNothing() {
    // Given
    PrefixChain chain = TestChain.chain(1, 10);
    index.hold("a", "1", AMPLE, chain);

    // When
    index.hold("a", "2", AMPLE, TestChain.chain(2, 3));

    // Then
    assertThat(index.match(chain).blocks("a")).isZero();
    assertThat(index.blocks()).isEqualTo(3);
  }

  @Test
  void whoeverIsNotRetainedIsForgotten() {
    // Given
    PrefixChain chain = TestChain.chain(1, 10);
    index.hold("a", "1", AMPLE, chain);
    index.hold("b", "1", AMPLE, chain);

    // When
    index.retain(Set.of("b"));

    // Then
    assertThat(index.match(chain).blocks("a")).isZero();
    assertThat(index.match(chain).blocks("b")).isEqualTo(10);
  }

  @Test
  void aThousandWorkersAreToldApart() {
    // Given
    PrefixChain chain = TestChain.chain(1, 10);
    IntStream.range(0, 1_000)
        .forEach(worker -> index.hold("w" + worker, "1", AMPLE, first(chain, worker % 11)));

    // When
    CachedPrefixes.Match match = index.match(chain);

    // Then
    assertThat(IntStream.range(0, 1_000).filter(w -> match.blocks("w" + w) != w % 11)).isEmpty();
  }

  @Property(tries = 50)
  void holdersComeInTheOrderOfWhatTheyHold(@ForAll long seed) {
    // Given
    PrefixChain chain = TestChain.chain(1, 40);
    IntStream.range(0, 200)
        .forEach(worker -> index.hold("w" + worker, "1", AMPLE, first(chain, worker % 41)));
    index.forget("w40");

    // When
    List<String> holders = new ArrayList<>();
    index.match(chain).forEachHolder(new Random(seed), holders::add);

    // Then
    assertThat(holders)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 200)
                .filter(worker -> worker % 41 > 0 && worker != 40)
                .mapToObj(worker -> "w" + worker)
                .toList())
        .isSortedAccordingTo(Comparator.comparingInt(index.match(chain)::blocks).reversed());
  }

  @Test
  void equalHoldersAlternate() {
    // Given
    PrefixChain chain = TestChain.chain(1, 10);
    IntStream.range(0, 8).forEach(worker -> index.hold("w" + worker, "1", AMPLE, chain));

    // When
    Set<String> first = new HashSet<>();
    Random random = new Random(1);
    for (int i = 0; i < 1_000; i++) {
      index
          .match(chain)
          .forEachHolder(
              random,
              worker -> {
                first.add(worker);
                return false;
              });
    }

    // Then
    assertThat(first).hasSize(8);
  }

  @Test
  void aPromptThatNoWorkerHasFindsNoHolder() {
    // Given
    index.hold("a", "1", AMPLE, TestChain.chain(1, 10));
    List<String> holders = new ArrayList<>();

    // When
    index.match(TestChain.chain(2, 10)).forEachHolder(new Random(1), holders::add);
    index.match(PrefixChain.NONE).forEachHolder(new Random(1), holders::add);

    // Then
    assertThat(holders).isEmpty();
  }

  @Test
  void recentlyUsedBlocksOutliveOthers() {
    // Given
    PrefixChain kept = TestChain.chain(1, 16);
    index.hold("a", "1", 64 * 256, kept);

    // When
    for (int other = 2; other < 200; other++) {
      index.hold("a", "1", 64 * 256, TestChain.chain(other, 16));
      index.hold("a", "1", 64 * 256, kept);
    }

    // Then
    assertThat(index.match(kept).blocks("a")).isEqualTo(16);
    assertThat(index.match(TestChain.chain(2, 16)).blocks("a")).isZero();
  }

  @Test
  void longPromptsAreKeptWholeWhileTheyFillMostOfTheMemory() {
    // Given
    int memory = 64 * 6_000;

    // When
    for (int prompt = 1; prompt <= 14; prompt++) {
      index.hold("a", "1", memory, TestChain.chain(prompt, 300));
    }

    // Then
    assertThat(IntStream.rangeClosed(1, 14))
        .allMatch(prompt -> index.match(TestChain.chain(prompt, 300)).blocks("a") == 300);
  }

  @Property(tries = 200)
  void theIndexIsBoundedByWhatItsWorkersHold(
      @ForAll @Size(max = 200) List<@IntRange(max = 40) Integer> prompts,
      @ForAll @IntRange(min = 1, max = 400) int capacity) {
    // Given
    PrefixIndex bounded = new PrefixIndex();

    // When
    prompts.forEach(
        prompt ->
            bounded.hold(
                "w" + prompt % 3, "1", 64L * capacity, TestChain.chain(prompt, 1 + prompt)));

    // Then
    assertThat(bounded.blocks()).isLessThanOrEqualTo(3L * capacity);
  }

  @Test
  void aFirstPromptWithFewTokensPerBlockMakesRoomForLittleMoreThanText() {
    // Given
    index.hold("a", "1", 32_000, new PrefixChain(new long[] {7, 8, 9}, 1));

    // When
    for (int prompt = 1; prompt <= 100; prompt++) {
      index.hold("a", "1", 32_000, TestChain.chain(prompt, 100));
    }

    // Then
    assertThat(index.blocks()).isBetween(500L, 1_000L);
  }

  @Property(tries = 200)
  void theTableOfHoldersIsAMapOfSets(
      @ForAll @Size(max = 400) List<@IntRange(max = 4_000) Integer> steps) {
    // Given
    HolderTable table = new HolderTable();
    Map<Long, Set<Integer>> model = new HashMap<>();

    // When
    for (int step : steps) {
      long hash = step % 50 + 1;
      int worker = step / 50 % 40;
      if (step % 3 == 0) {
        table.remove(hash, 1L << worker);
        model.computeIfAbsent(hash, any -> new HashSet<>()).remove(worker);
      } else {
        table.add(hash, 1L << worker);
        model.computeIfAbsent(hash, any -> new HashSet<>()).add(worker);
      }
    }

    // Then
    model.forEach(
        (hash, workers) ->
            assertThat(table.holders(hash))
                .isEqualTo(workers.stream().mapToLong(worker -> 1L << worker).sum()));
    assertThat(table.size())
        .isEqualTo((int) model.values().stream().filter(workers -> !workers.isEmpty()).count());
  }

  @Test
  void manyThreadsMayUseItAtOnce() throws Exception {
    // Given
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      // When
      List<Callable<Void>> tasks =
          IntStream.range(0, 8).<Callable<Void>>mapToObj(task -> () -> useHeavily(task)).toList();
      for (Future<Void> done : threads.invokeAll(tasks)) {
        done.get();
      }
    }

    // Then
    index.retain(Set.of());
    assertThat(index.blocks()).isZero();
  }

  private Void useHeavily(int task) {
    for (int round = 0; round < 2_000; round++) {
      PrefixChain chain = TestChain.chain(round % 20, 20);
      String worker = "w" + (round + task) % 70;
      index.hold(worker, "1", 64 * 128, chain);
      assertThat(index.match(chain).blocks(worker)).isBetween(0, 20);
      if (round % 50 == 0) {
        index.forget(worker);
      }
    }
    return null;
  }

  /** Two parts in one chain: what is common, and what is a chain's own. */
  private static PrefixChain chain(int common, long own, int more) {
    PrefixChain head = TestChain.chain(7, common);
    PrefixChain tail = TestChain.chain(1_000 + own, more);
    long[] hashes = new long[common + more];
    for (int block = 0; block < hashes.length; block++) {
      hashes[block] = block < common ? head.hash(block) : tail.hash(block - common);
    }
    return new PrefixChain(hashes, 64);
  }

  private static PrefixChain first(PrefixChain chain, int blocks) {
    return new PrefixChain(IntStream.range(0, blocks).mapToLong(chain::hash).toArray(), 64);
  }
}
