package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Priority;
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
  void aRequestIsDispatchedBeforeItsFirstTokenWouldBeLate() {
    // Given: 450 ms to spare, in none of whose last tries for other reasons it is in time
    fullHolderAndOneWithRoom();
    task.request(withPrefix("waits").firstTokenBy(router.now().epochMillis() + 1_740));

    // When
    router.pass(Duration.ofMillis(450));

    // Then
    assertThat(task.effects.lastLease())
        .returns("waits", LeaseRef::requestId)
        .returns("other", LeaseRef::worker);
  }

  @Test
  void bulkTakesTheRoomToo() {
    // Given
    fullHolderAndOneWithRoom();
    task.request(withPrefix("waits"));

    // When
    task.request(
        new TestRequest("bulk").priority(Priority.BULK).deadlineMillis(3_600_000).promptTokens(1));
    router.pass(Duration.ofMillis(100));

    // Then
    assertThat(task.stateName("waits")).isEqualTo("pending");
    assertThat(task.stateName("bulk")).isEqualTo("leased");
  }

  @Test
  void bulkItselfDoesNotWait() {
    // Given
    fullHolderAndOneWithRoom();

    // When
    task.request(withPrefix("bulk").priority(Priority.BULK).deadlineMillis(3_600_000));
    router.pass(Duration.ofMillis(100));

    // Then
    assertThat(task.stateName("bulk")).isEqualTo("leased");
  }

  @Test
  void aRequestThatHasAFallbackModelDoesNotWait() {
    // Given
    fullHolderAndOneWithRoom();

    // When
    task.request(withPrefix("goes").fallback("mini"));

    // Then
    assertThat(task.effects.lastLease())
        .returns("goes", LeaseRef::requestId)
        .returns("other", LeaseRef::worker);
  }

  @Test
  void ofManyRequestsOnlySomeWait() {
    // Given
    fullHolderAndOneWithRoom();
    router.join(worker("large").slots(1_000));

    // When
    for (int i = 0; i < 40; i++) {
      task.request(withPrefix("many" + i).at(i));
    }
    task.request(new TestRequest("last").at(100));

    // Then
    assertThat(task.effects.requests())
        .contains("last")
        .filteredOn(id -> id.startsWith("many"))
        .hasSize(8);
    assertThat(router.parts().backlog().pending()).isEqualTo(32);
  }

  @Test
  void aRequestKeepsHalfOfItsTime() {
    // Given
    fullHolderAndOneWithRoom();
    task.request(withPrefix("waits").deadlineMillis(router.elapsedMillis() + 600));

    // When
    router.pass(Duration.ofMillis(280));
    boolean waited = task.stateName("waits").equals("pending");
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(waited).isTrue();
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
