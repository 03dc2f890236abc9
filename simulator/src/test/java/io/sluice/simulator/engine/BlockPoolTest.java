package io.sluice.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class BlockPoolTest {

  @Test
  void theNullBlockIsNeverGivenAway() {
    BlockPool pool = new BlockPool(4, 16, BlockListener.NONE);

    assertThat(List.of(pool.take(), pool.take(), pool.take())).containsExactly(1, 2, 3);
    assertThat(pool.freeBlocks()).isZero();
    assertThat(pool.usage()).isEqualTo(1.0);
  }

  @Test
  void theCachedBlockFreedLongestAgoIsEvictedFirstAndUncachedOnesBeforeIt() {
    // Given
    BlockPool pool = new BlockPool(5, 16, BlockListener.NONE);
    int first = cached(pool, 100);
    int second = cached(pool, 200);
    int plain = pool.take();
    int unused = pool.take();
    pool.release(unused);

    // When
    pool.release(second);
    pool.release(first);
    pool.release(plain);

    // Then
    assertThat(List.of(pool.take(), pool.take(), pool.take(), pool.take()))
        .containsExactly(plain, unused, second, first);
    assertThat(pool.find(100)).isZero();
  }

  @Test
  void aHitProtectsAFreeBlockFromEviction() {
    BlockPool pool = new BlockPool(3, 16, BlockListener.NONE);
    int block = cached(pool, 100);
    pool.release(block);

    pool.share(pool.find(100));

    assertThat(pool.freeBlocks()).isEqualTo(1);
    pool.take();
    assertThat(pool.find(100)).isEqualTo(block);
  }

  @Test
  void aSharedBlockIsFreeWhenItsLastUserReleasesIt() {
    BlockPool pool = new BlockPool(3, 16, BlockListener.NONE);
    int block = cached(pool, 100);
    pool.share(block);

    pool.release(block);
    assertThat(pool.isFree(block)).isFalse();
    pool.release(block);
    assertThat(pool.isFree(block)).isTrue();
  }

  @Test
  void aResetWaitsForUsedBlocksButNotForLeakedOnes() {
    BlockPool pool = new BlockPool(10, 16, BlockListener.NONE);
    int block = cached(pool, 100);
    assertThat(pool.leak(3)).isEqualTo(3);

    assertThat(pool.reset()).isFalse();
    pool.release(block);
    assertThat(pool.reset()).isTrue();

    assertThat(pool.find(100)).isZero();
    assertThat(pool.leak(100)).isEqualTo(6);
    assertThat(pool.usage()).isEqualTo(1.0);
  }

  @Property(tries = 300)
  void theIndexBehavesLikeAMap(
      @ForAll @Size(max = 200) List<@IntRange(min = 1, max = 40) Integer> operations) {
    // Given: hashes that often fall into the same slot
    HashIndex index = new HashIndex(20);
    Map<Long, Integer> map = new HashMap<>();

    // When
    int value = 0;
    for (int operation : operations) {
      long hash = (long) (operation % 20 + 1) << 18;
      if (map.containsKey(hash)) {
        map.remove(hash);
        index.remove(hash);
      } else {
        map.put(hash, ++value);
        index.put(hash, value);
      }

      // Then
      for (long key = 1; key <= 20; key++) {
        assertThat(index.get(key << 18)).isEqualTo(map.getOrDefault(key << 18, 0));
      }
    }
  }

  private static int cached(BlockPool pool, long hash) {
    int block = pool.take();
    pool.cache(block, hash);
    assertThat(pool.find(hash)).isEqualTo(block);
    return block;
  }
}
