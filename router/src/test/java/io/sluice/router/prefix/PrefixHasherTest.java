package io.sluice.router.prefix;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PrefixHasherTest {
  private static final String TEXT = "abcdefghij".repeat(200);

  @Property(tries = 200)
  void promptsThatDifferAtOneByteShareTheBlocksBeforeIt(
      @ForAll @IntRange(max = 1_999) int position) {
    // Given
    String other = TEXT.substring(0, position) + "X" + TEXT.substring(position + 1);

    // When
    PrefixChain a = new PrefixHasher().text(TEXT).chain(500);
    PrefixChain b = new PrefixHasher().text(other).chain(500);

    // Then
    for (int block = 0; block < a.blocks(); block++) {
      assertThat(a.hash(block) == b.hash(block))
          .isEqualTo(block < position / PrefixHasher.BLOCK_BYTES);
    }
  }

  @Test
  void whereAPartEndsCounts() {
    // When
    PrefixChain a = new PrefixHasher().text("ab").text("c" + TEXT).chain(500);
    PrefixChain b = new PrefixHasher().text("a").text("bc" + TEXT).chain(500);

    // Then
    assertThat(a.hash(0)).isNotEqualTo(b.hash(0));
  }

  @Test
  void aBlockHasTheTokensThatTheWholePromptHasOnAverage() {
    // When
    PrefixChain chain = new PrefixHasher().text("x".repeat(2_559)).chain(1_000);

    // Then
    assertThat(chain.blocks()).isEqualTo(10);
    assertThat(chain.tokensPerBlock()).isEqualTo(100);
  }

  @Test
  void whatIsNotTextCountsAsLittleAsItsDigestHoweverLongItIs() {
    // When
    String picture = "iVBORw0KGgo".repeat(100_000);
    PrefixChain one = new PrefixHasher().digest(picture).text(TEXT).chain(500);
    PrefixChain other = new PrefixHasher().digest(picture + "A").text(TEXT).chain(500);

    // Then
    assertThat(one.blocks()).isEqualTo(7);
    assertThat(one.tokensPerBlock()).isEqualTo(63);
    assertThat(one.hash(0)).isNotEqualTo(other.hash(0));
  }

  @Test
  void tokenIdsAreHashedByTheirNumbers() {
    // When
    PrefixHasher ids = new PrefixHasher();
    for (int id = 0; id < 130; id++) {
      ids.tokenId(id);
    }

    // Then
    assertThat(ids.chain(130).blocks()).isEqualTo(2);
    assertThat(ids.chain(130).tokensPerBlock()).isEqualTo(64);
  }

  @Test
  void aShortPromptHasNoBlocks() {
    assertThat(new PrefixHasher().text("hello").chain(1)).isSameAs(PrefixChain.NONE);
  }

  @Test
  void theHashesStayWhatTheyAreForRoutersTellEachOtherOfThem() {
    assertThat(new PrefixHasher().text(TEXT).chain(500).hash(0)).isEqualTo(8058494335383146867L);
  }
}
