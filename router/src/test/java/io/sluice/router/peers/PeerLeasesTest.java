package io.sluice.router.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.router.TestWorker;
import io.sluice.router.fleet.WorkerView;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerLeasesTest {
  private final PeerLeases peers = new PeerLeases();

  @ParameterizedTest(name = "told {0} at {1} ms, shown {2} at {3} ms: {5} unseen at {4} ms")
  @CsvSource({
    // told, at, shown, heard at, now, unseen
    "10, 0, 0, -200, 1, 10", // the snapshot is older
    "10, 0, 4, 100, 101, 6", // some have arrived
    "10, 0, 10, 100, 101, 0", // all have
    "10, 0, 12, 100, 101, 0", // more were sent since
    "10, 0, 4, 149, 150, 6", // they may still be on their way
    "10, 0, 4, 150, 151, 0", // it would show them: six have ended
    "10, 0, 0, -200, 999, 10", // the worker is silent
    "10, 0, 0, -200, 1000, 0", // for too long
    "0, 0, 0, -200, 1, 0"
  })
  void whatIsToldCountsBeyondWhatIsShownUntilASnapshotMustShowIt(
      int told, long toldAt, int shown, long heardAt, long now, int unseen) {
    // Given
    peers.told("other", share(told), millis(toldAt));

    // Then
    assertThat(peers.at(view(Map.of("other", shown), heardAt), millis(now)).leases())
        .isEqualTo(unseen);
  }

  @Test
  void theLastWordOfEachRouterCounts() {
    // When
    peers.told("a", share(3), millis(0));
    peers.told("b", share(5), millis(1));
    peers.told("a", share(4), millis(2));

    // Then
    assertThat(peers.at(view(Map.of("a", 1, "us", 7), -100), millis(3)))
        .isEqualTo(new PeerLeases.Unseen(3 + 5, 300 + 500, 4 * 20 + 5 * 20));
  }

  @Test
  void promptsThatTheWorkerShowsAreNotCountedTwice() {
    // Given: a holds half of what the worker holds, so half of the waiting requests count as its
    peers.told("a", share(4), millis(0));
    TestWorker worker = new TestWorker("w").held(Map.of("a", 2, "us", 2)).pace(10_000, 10, 100);

    // Then
    assertThat(peers.at(new WorkerView(worker.snapshot(), millis(50)), millis(60)).promptTokens())
        .isEqualTo(80 - 50);
  }

  @Test
  void anotherIncarnationHasNothingOnItsWay() {
    // Given
    peers.told("a", share(3), millis(0));
    WorkerView restarted =
        new WorkerView(new TestWorker("w").incarnation("second").snapshot(), millis(-10));

    // Then
    assertThat(peers.at(restarted, millis(1))).isEqualTo(PeerLeases.Unseen.NONE);
  }

  @Property(tries = 500)
  void shownAndUnseenTogetherAreNeverMoreThanWhatIsToldOrShown(
      @ForAll @Size(max = 20) List<@IntRange(max = 80) Integer> words,
      @ForAll @IntRange(max = 40) int shownOfA,
      @ForAll @IntRange(max = 40) int shownOfB,
      @ForAll @IntRange(min = -300, max = 1_500) int heardAt,
      @ForAll @IntRange(max = 1_500) int sinceLast) {
    // Given
    PeerLeases fresh = new PeerLeases();
    int[] last = new int[2];
    for (int word = 0; word < words.size(); word++) {
      last[word % 2] = words.get(word);
      fresh.told(word % 2 == 0 ? "a" : "b", share(words.get(word)), millis(word * 10L));
    }
    long now = words.size() * 10L + sinceLast;

    // When
    PeerLeases.Unseen unseen =
        fresh.at(view(Map.of("a", shownOfA, "b", shownOfB), heardAt), millis(now));

    // Then
    int most = Math.max(0, last[0] - shownOfA) + Math.max(0, last[1] - shownOfB);
    assertThat(unseen.leases()).isBetween(0, words.isEmpty() ? 0 : most);
    assertThat(unseen.contextTokens()).isEqualTo(100L * unseen.leases());
    assertThat(unseen.promptTokens()).isBetween(0L, 20L * (last[0] + last[1]));
    if (sinceLast >= 1_000) {
      assertThat(unseen).isEqualTo(PeerLeases.Unseen.NONE);
    }
  }

  private static AtWorker share(int leases) {
    return new AtWorker("w", "first", leases, 100L * leases, 20L * leases, 64, "");
  }

  private static WorkerView view(Map<String, Integer> held, long heardAtMillis) {
    return new WorkerView(new TestWorker("w").held(held).snapshot(), millis(heardAtMillis));
  }

  /** The clock's zero is anywhere. */
  private static long millis(long millis) {
    return Long.MAX_VALUE - 500_000_000L + TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
