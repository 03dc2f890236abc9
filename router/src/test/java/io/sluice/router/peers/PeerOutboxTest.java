package io.sluice.router.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.fleet.peers.PeerMessage;
import io.sluice.router.policy.Sending;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.thread.BackgroundThreads;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PeerOutboxTest {
  private final BlockingQueue<PeerMessage> channel = new LinkedBlockingQueue<>();
  private final PeerTraffic traffic = new PeerTraffic();
  private volatile CompletionStage<Void> answer = CompletableFuture.completedFuture(null);
  private volatile int leases = 1;
  private final AtomicBoolean isBroken = new AtomicBoolean();
  private final BackgroundThreads threads = new BackgroundThreads();
  private final PeerOutbox outbox =
      new PeerOutbox(
          "us",
          worker -> {
            if (isBroken.getAndSet(false)) {
              throw new IllegalStateException("a bug");
            }
            return new PeerBatch.Share(leases, 0, 0);
          },
          message -> {
            // Taken first: a test that has seen the message may go on to the next answer.
            CompletionStage<Void> now = answer;
            channel.add(message);
            return now;
          },
          System::nanoTime,
          traffic,
          threads);

  @AfterEach
  void close() {
    outbox.close();
  }

  @Test
  void whatIsSentTogetherIsToldTogetherAsItIsThen() throws InterruptedException {
    // Given
    for (int sent = 0; sent < PeerBatch.FULL_SENDINGS; sent++) {
      outbox.add(sending("w" + sent % 2));
    }
    leases = 32;

    // When
    outbox.start();

    // Then
    PeerMessage told = next();
    assertThat(told.workers()).hasSize(2).allMatch(share -> share.leases() == 32);
    await().until(() -> traffic.published() == 1);
    assertThat(channel).isEmpty();
  }

  @Test
  void aRouterThatSendsNothingMoreTellsAllTheSame() throws InterruptedException {
    // Given
    outbox.start();

    // When
    outbox.add(sending("w1"));

    // Then
    assertThat(next().workers()).hasSize(1);
  }

  @Test
  void whileRedisDoesNotAnswerNothingWaitsAndTheExcessIsDropped() throws InterruptedException {
    // Given
    CompletableFuture<Void> unanswered = new CompletableFuture<>();
    answer = unanswered;
    outbox.start();
    outbox.add(sending("w1"));
    next();

    // When
    for (int sent = 0; sent < 5_000; sent++) {
      outbox.add(sending("w1"));
    }

    // Then
    assertThat(traffic.dropped()).isEqualTo(5_000 - 4_096);
    assertThat(channel).isEmpty();

    // When
    answer = CompletableFuture.completedFuture(null);
    unanswered.completeExceptionally(new IOException("away"));

    // Then
    assertThat(next().workers()).hasSize(1);
    assertThat(traffic.dropped()).isEqualTo(5_000 - 4_096 + 1);
  }

  @Test
  void whatFailsCostsOneMessageAndThoseAfterItAreTold() throws InterruptedException {
    // Given
    isBroken.set(true);
    outbox.start();

    // When
    outbox.add(sending("w1"));
    await().until(() -> !isBroken.get());
    outbox.add(sending("w2"));

    // Then
    assertThat(next().workers()).extracting(PeerMessage.AtWorker::worker).containsExactly("w2");
    assertThat(threads.failed()).isEmpty();
  }

  @Test
  void whatFailsWhileItIsGatheredIsCountedAsDropped() throws InterruptedException {
    // Given
    outbox.add(sending("w1"));
    outbox.add(new Sending("w2", "first", PrefixChain.NONE, -1));
    outbox.start();
    await().until(() -> traffic.dropped() == 2);

    // When
    outbox.add(sending("w3"));

    // Then
    assertThat(next().workers()).extracting(PeerMessage.AtWorker::worker).containsExactly("w3");
    assertThat(traffic.dropped()).isEqualTo(2);
  }

  private PeerMessage next() throws InterruptedException {
    PeerMessage next = channel.poll(10, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  private static Sending sending(String worker) {
    return new Sending(worker, "first", PrefixChain.NONE, 0);
  }
}
