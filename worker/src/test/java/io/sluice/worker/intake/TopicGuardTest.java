package io.sluice.worker.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TopicGuardTest {
  private final CountDownLatch made = new CountDownLatch(1);
  private final AtomicInteger looks = new AtomicInteger();
  private CompletableFuture<Boolean> answer = new CompletableFuture<>();
  private final TopicGuard guard =
      new TopicGuard(
          "sluice.worker.w",
          () -> {
            looks.incrementAndGet();
            return answer;
          },
          made::countDown);

  @Test
  void aTopicThatIsGoneIsMadeAgain() throws Exception {
    // When
    guard.check();
    answer.complete(false);

    // Then
    assertThat(made.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aTopicThatIsThereOrOfWhichTheBrokersDoNotSayIsLeftAlone() {
    // Given
    guard.check();
    answer.complete(true);
    answer = CompletableFuture.failedFuture(new IllegalStateException("away"));

    // When
    guard.check();

    // Then
    assertThat(looks).hasValue(2);
    assertThat(made.getCount()).isOne();
  }

  @Test
  void oneLookAtATimeIsUnderWay() {
    // When
    guard.check();
    guard.check();

    // Then
    assertThat(looks).hasValue(1);
  }
}
