package io.sluice.router.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.peers.PeerMessage;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.router.policy.Sending;
import io.sluice.router.prefix.PrefixChain;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PeerBatchTest {
  private final PeerBatch batch = new PeerBatch();

  @Test
  void aWorkerIsToldOfOnceWithTheBlocksThatAreNewToIt() {
    // Given
    batch.add(new Sending("w1", "i", chain(1, 10), 7));
    batch.add(new Sending("w2", "i", chain(1, 2), 0));
    batch.add(new Sending("w1", "i", chain(100, 3), 1));
    batch.add(new Sending("w1", "i", chain(100, 3), 3));

    // When
    PeerMessage message = take();

    // Then
    assertThat(message.router()).isEqualTo("us");
    assertThat(message.workers()).extracting(AtWorker::worker).containsExactly("w1", "w2");
    assertThat(message.workers().getFirst().hashes()).containsExactly(8, 9, 10, 101, 102);
    assertThat(message.workers().getFirst().leases()).isEqualTo(2);
    assertThat(take().workers()).isEmpty();
  }

  @Test
  void twoLivesOfAWorkerAreToldApart() {
    // When
    batch.add(new Sending("w1", "first", chain(1, 1), 0));
    batch.add(new Sending("w1", "second", chain(1, 1), 0));

    // Then
    assertThat(take().workers())
        .extracting(AtWorker::incarnation)
        .containsExactly("first", "second");
  }

  @Test
  void oneInSeventeenIsToldAsAWhole() {
    // Given
    int[] told = new int[3 * PeerBatch.WHOLE_EVERY];

    // When
    for (int sent = 0; sent < told.length; sent++) {
      batch.add(new Sending("w1", "i", chain(1, 10), 10));
      told[sent] = take().workers().getFirst().hashes().length;
    }

    // Then
    assertThat(IntStream.of(told).filter(blocks -> blocks == 10)).hasSize(3);
    assertThat(IntStream.of(told).sum()).isEqualTo(30);
  }

  @Test
  void ofALongPromptTheBeginningIsTold() {
    // When
    batch.add(new Sending("w1", "i", chain(1, 600), 20));

    // Then
    assertThat(take().workers().getFirst().hashes())
        .containsExactly(LongStream.range(21, 21 + 512).toArray());
  }

  @Test
  void aBatchIsFullAtTheLimitOfSendingsOrBlocks() {
    // Given
    for (int sent = 1; sent < 64; sent++) {
      batch.add(new Sending("w" + sent, "i", PrefixChain.NONE, 0));
      assertThat(batch.isFull()).isFalse();
    }

    // When
    batch.add(new Sending("w", "i", PrefixChain.NONE, 0));

    // Then
    assertThat(batch.isFull()).isTrue();

    // When
    take();
    IntStream.range(0, 8).forEach(i -> batch.add(new Sending("w", "i", chain(1, 512), 0)));

    // Then
    assertThat(batch.isFull()).isTrue();
    assertThat(take().toJson().length()).isLessThan(45_000);
  }

  @Test
  void aMessageTakesFewBytes() {
    // Given: 64 prompts of which 12 blocks are new, some 800 tokens, on eight workers
    Random random = new Random(1);
    for (int sent = 0; sent < 64; sent++) {
      long[] hashes = random.longs(12).toArray();
      String incarnation = "0199c3a2-6f0e-7d44-9c55-0c2f7a5d8e1" + sent % 8;
      batch.add(new Sending("gpu-" + sent % 8, incarnation, new PrefixChain(hashes, 64), 0));
    }

    // When
    int bytes = take().toJson().length();

    // Then
    assertThat(bytes).isBetween(9_000, 9_999);
  }

  private PeerMessage take() {
    return batch.take("us", worker -> new PeerBatch.Share(2, 900, 300));
  }

  private static PrefixChain chain(long first, int blocks) {
    return new PrefixChain(LongStream.range(first, first + blocks).toArray(), 64);
  }
}
