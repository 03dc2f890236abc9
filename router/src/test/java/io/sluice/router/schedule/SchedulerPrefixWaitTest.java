package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.TestWorker;
import io.sluice.router.prefix.PrefixChain;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Requests that wait for a worker which has their prompt cached, although another has room. */
class SchedulerPrefixWaitTest {
  private static final PrefixChain PREFIX =
      new PrefixChain(LongStream.rangeClosed(1, 20).toArray(), 64);

  /** What a worker here computes in 1.28 s. */
  private static final long PREFIX_TOKENS = 20 * 64;

  private static final Duration MAX_WAIT = Duration.ofMillis(600);

  private final VirtualRouter router = new VirtualRouter(1_000, MAX_WAIT);
  private final VirtualTask task = router.settledTask();

  @Test
  void aRequestWaitsForTheWorkerThatHasItsPrompt() {
    // Given
    LeaseRef running = fullHolderAndOneWithRoom();
    task.request(withPrefix("waits"));
    router.pass(Duration.ofMillis(500));
    boolean waited = task.stateName("waits").equals("pending");

    // When
    task.outcome(running, VirtualTask.completed());

    // Then
    assertThat(waited).isTrue();
    assertThat(task.effects.lastLease())
        .returns("waits", LeaseRef::requestId)
        .returns("holder", LeaseRef::worker);
    assertThat(router.events.dispatched.getLast().prefixWaitMillis()).isEqualTo(500);
  }

  @Test
  void theOthersTakeTheRoomMeanwhile() {
    // Given
    fullHolderAndOneWithRoom();
    task.request(withPrefix("waits"));

    // When
    task.request(new TestRequest("passes").deadlineMillis(59_999));

    // Then
    assertThat(task.stateName("waits")).isEqualTo("pending");
    assertThat(task.effects.lastLease())
        .returns("passes", LeaseRef::requestId)
        .returns("other", LeaseRef::worker);
    assertThat(router.events.dispatched.getLast().prefixWaitMillis()).isZero();
  }

  @Test
  void aRequestWaitsNoLongerThanComputingItsPromptTakes() {
    // Given
    fullHolderAndOneWithRoom();
    task.request(withPrefix("waits"));

    // When
    router.pass(Duration.ofMillis(1_200));
    boolean waited = task.stateName("waits").equals("pending");
    router.pass(Duration.ofMillis(100));

    // Then: the maximum wait of a request that finds no room is over for long
    assertThat(waited).isTrue();
    assertThat(task.effects.lastLease())
        .returns("waits", LeaseRef::requestId)
        .returns("other", LeaseRef::worker);
  }

  @Test
  void aRequestIsDispatchedWhileItsFirstTokenIsInTime() {
    // Given: 1.3 s to compute it at the other worker
    fullHolderAndOneWithRoom();
    long now = router.now().epochMillis();
    task.request(withPrefix("waits").firstTokenBy(now + 1_800));

    // When
    router.pass(Duration.ofMillis(300));
    boolean waited = task.stateName("waits").equals("pending");
    router.pass(Duration.ofMillis(200));

    // Then
    assertThat(waited).isTrue();
    assertThat(task.effects.lastLease())
        .returns("waits", LeaseRef::requestId)
        .returns("other", LeaseRef::worker);
  }

  @Test
  void aRequestKeepsHalfOfItsTime() {
    // Given
    fullHolderAndOneWithRoom();
    task.request(withPrefix("waits").deadlineMillis(router.elapsedMillis() + 600));

    // When
    router.pass(Duration.ofMillis(320));

    // Then
    assertThat(task.effects.lastLease())
        .returns("waits", LeaseRef::requestId)
        .returns("other", LeaseRef::worker);
  }

  @Test
  void aWorkerThatLeavesIsNotWaitedFor() {
    // Given
    fullHolderAndOneWithRoom();
    task.request(withPrefix("waits"));

    // When
    router.leave("holder");
    router.pass(Duration.ofMillis(300));

    // Then: before a lease of the lost worker
    assertThat(task.effects.requests()).endsWith("waits", "running");
  }

  /** Returns what the holder of the prefix is busy with. */
  private LeaseRef fullHolderAndOneWithRoom() {
    router.join(worker("holder").slots(1));
    task.request(withPrefix("first"));
    task.outcome(task.effects.lastLease(), VirtualTask.completed());
    task.request(new TestRequest("running").promptTokens(1));
    LeaseRef running = task.effects.lastLease();
    router.join(worker("other"));
    return running;
  }

  private static TestRequest withPrefix(String id) {
    return new TestRequest(id).promptTokens(PREFIX_TOKENS).prefix(PREFIX);
  }

  private static TestWorker worker(String id) {
    return new TestWorker(id).pace(1_000, 10, 0);
  }
}
