package io.sluice.router.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.router.queue.PendingQueue.Waiting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FairQueueTest {
  private static final long FAR = 1_000_000;

  private final FairShare share = new FairShare();
  private final FairQueue queue = new FairQueue(share);
  private long offsets;

  @Test
  void oneRequestOfAnotherTenantDoesNotWaitBehindAFlood() {
    // Given
    for (int i = 0; i < 10_000; i++) {
      add("flood", 100, FAR);
    }
    serve(3);

    // When
    add("other", 100, FAR);

    // Then
    assertThat(serve(2)).contains("other");
  }

  @Test
  void aTenantsOwnRequestsGoByTheirDeadlines() {
    // Given
    add("a", 100, FAR + 2);
    add("a", 200, FAR + 1);

    // Then
    assertThat(queue.first(0).waiting().contextTokens()).isEqualTo(200);
  }

  @Test
  void theShareIsOfTokensNotOfRequests() {
    // Given
    for (int i = 0; i < 100; i++) {
      add("long", 1_000, FAR);
      add("short", 100, FAR);
    }

    // Then
    assertThat(serve(55)).filteredOn("short"::equals).hasSizeBetween(48, 51);
  }

  @Test
  void aNearDeadlineGoesFirstThoughItIsNotItsTenantsTurn() {
    // Given
    add("a", 100, FAR);
    add("b", 100, FAR);
    serve(1);
    add("a", 100, 4_000);

    // Then
    assertThat(queue.first(0).waiting().deadlineEpochMillis()).isEqualTo(4_000);
    assertThat(queue.first(0).urgent()).isTrue();
  }

  @Test
  void aFloodOfNearDeadlinesGetsLittleMoreThanItsShare() {
    // Given
    for (int i = 0; i < 1_000; i++) {
      add("flood", 1_000, 4_000);
      add("other", 1_000, FAR);
    }

    // When
    List<String> served = serve(200);

    // Then
    assertThat(served).filteredOn("other"::equals).hasSizeGreaterThan(85);
  }

  @Test
  void aTenantThatComesLateIsOwedNothing() {
    // Given
    for (int i = 0; i < 100; i++) {
      add("first", 100, FAR);
    }
    serve(50);
    for (int i = 0; i < 100; i++) {
      add("late", 100, FAR);
    }

    // Then
    assertThat(serve(40)).filteredOn("late"::equals).hasSizeBetween(19, 21);
  }

  @Test
  void whatCannotGoIsLookedPastTenantByTenant() {
    // Given
    add("a", 1, FAR);
    add("a", 2, FAR + 1);
    add("b", 3, FAR);

    // Then
    assertThat(walk()).containsExactly(1L, 2L, 3L);
  }

  @Test
  void behindAnUrgentRequestWhoseTurnItIsTheNextOneFollows() {
    // Given
    add("a", 1, 4_000);
    add("a", 2, FAR);
    add("b", 3, FAR);

    // Then
    assertThat(queue.first(0).urgent()).isTrue();
    assertThat(walk()).containsExactly(1L, 2L, 3L);
  }

  @Test
  void nothingIsBehindAnUrgentRequestThatIsAlone() {
    // Given
    add("a", 1, 4_000);

    // Then
    assertThat(walk()).containsExactly(1L);
  }

  @Test
  void nothingIsKeptOfManyTenantsThatAreGone() {
    // Given
    for (int i = 0; i < 20_000; i++) {
      add("tenant" + i, 1, FAR);
    }

    // When
    serve(20_000);

    // Then
    assertThat(queue.isEmpty()).isTrue();
    assertThat(share.isEmpty()).isTrue();
  }

  @Test
  void anAnswerCountsWhenItIsOver() {
    // Given
    for (int i = 0; i < 100; i++) {
      add("brief", 100, FAR);
      add("wordy", 100, FAR);
    }

    // When
    List<String> served = new ArrayList<>();
    for (int i = 0; i < 44; i++) {
      String tenant = take().tenant();
      share.settle(tenant, tenant.equals("wordy") ? 900 : 0);
      served.add(tenant);
    }

    // Then
    assertThat(served).filteredOn("brief"::equals).hasSizeBetween(39, 41);
  }

  @Test
  void anAnswerCountsAlsoIfItsTenantDoesNotWaitThen() {
    // Given
    add("a", 100, FAR);
    take();
    share.settle("a", 1_000);

    // When
    add("b", 100, FAR);
    add("a", 100, FAR);
    add("b", 100, FAR + 1);

    // Then
    assertThat(serve(3)).containsExactly("b", "b", "a");
  }

  /** Goyal, Vin and Cheng's bound: the longest request of each, whatever was asked before. */
  @Property(tries = 300)
  void tenantsThatWaitAllTheTimeDifferByNoMoreThanTheirLongestRequests(
      @ForAll @Size(min = 2, max = 60) List<@IntRange(min = 1, max = 5_000) Integer> sizes,
      @ForAll @IntRange(min = 2, max = 5) int tenants) {
    // Given
    FairQueueTest world = new FairQueueTest();
    int longest = 0;
    for (int i = 0; i < sizes.size(); i++) {
      world.add("t" + i % tenants, sizes.get(i), FAR + i);
      longest = Math.max(longest, sizes.get(i));
    }
    Map<String, Long> served = new HashMap<>();
    Set<String> all = new HashSet<>(world.waiting());
    all.forEach(tenant -> served.put(tenant, 0L));

    // When, then
    while (world.waiting().containsAll(all)) {
      Waiting next = world.take();
      served.merge(next.tenant(), next.contextTokens(), Long::sum);
      long most = served.values().stream().mapToLong(Long::longValue).max().orElseThrow();
      long least = served.values().stream().mapToLong(Long::longValue).min().orElseThrow();
      assertThat(most - least).isLessThanOrEqualTo(2L * longest);
    }
  }

  @Property(tries = 300)
  void everyRequestComesOutOnceWhateverTheOrder(
      @ForAll @Size(max = 50) List<@IntRange(min = 0, max = 40) Integer> deadlinesSeconds,
      @ForAll @IntRange(min = 1, max = 4) int tenants) {
    // Given
    FairQueueTest world = new FairQueueTest();
    for (int i = 0; i < deadlinesSeconds.size(); i++) {
      world.add("t" + i % tenants, 100, deadlinesSeconds.get(i) * 1_000L);
    }

    // When
    Set<String> seen = new HashSet<>();
    while (!world.queue.isEmpty()) {
      assertThat(seen.add(world.take().requestId())).isTrue();
    }

    // Then
    assertThat(seen).hasSameSizeAs(deadlinesSeconds);
  }

  /** Returns the tokens of all requests, in the order in which they are tried if none can go. */
  private List<Long> walk() {
    List<Long> seen = new ArrayList<>();
    var head = Optional.of(queue.first(0));
    while (head.isPresent()) {
      seen.add(head.get().waiting().contextTokens());
      head = queue.after(head.get());
    }
    return seen;
  }

  private Set<String> waiting() {
    Set<String> tenants = new HashSet<>();
    queue.forEach(waiting -> tenants.add(waiting.tenant()));
    return tenants;
  }

  private void add(String tenant, long tokens, long deadlineMillis) {
    String id = "r" + offsets;
    share.enter(tenant);
    queue.add(
        new Waiting(Priority.INTERACTIVE, tenant, deadlineMillis, offsets++, id, tokens, 100));
  }

  private List<String> serve(int requests) {
    List<String> tenants = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      tenants.add(take().tenant());
    }
    return tenants;
  }

  private Waiting take() {
    Waiting next = queue.first(0).waiting();
    var _ = share.charge(next.tenant(), next.contextTokens());
    queue.remove(next);
    share.leave(next.tenant());
    return next;
  }
}
