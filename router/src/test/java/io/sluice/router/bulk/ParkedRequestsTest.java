package io.sluice.router.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.TestWorker;
import io.sluice.router.bulk.ParkedRequest.Turn;
import io.sluice.router.demand.DemandMeter;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** The order in which parked requests enter, and what is told of it to who comes next. */
class ParkedRequestsTest {
  private final ParkedRequests parked = new ParkedRequests();
  private final ParkedPartition partition = new ParkedPartition(EnteredMark.NONE);

  @Test
  void modelsTakeTurnsHoweverManyRequestsOneHas() {
    // Given
    for (int number = 0; number < 10; number++) {
      park("llama", "a", 100 + number);
    }
    park("mini", "a", 500);
    BulkOpenings openings =
        new BulkOpenings(
            List.of(
                new BulkOpenings.Room(
                    new TestWorker("both").models("llama", "mini").snapshot(), 3)));

    // When
    List<Long> taken = takeAll(openings);

    // Then
    assertThat(taken).containsExactlyInAnyOrder(100L, 500L, 101L);
  }

  @Test
  void tenantsShareByTokensAndNotByRequests() {
    // Given
    for (int number = 0; number < 8; number++) {
      park("llama", "large", 100 + number, 4_000);
      park("llama", "small", 200 + number, 1_000);
    }

    // When
    List<Long> taken = takeAll(roomFor(5));

    // Then
    assertThat(taken).filteredOn(slack -> slack < 200).hasSize(1);
  }

  @Test
  void oneThatIsTooLongHoldsUpNoShorterOneOfItsTenant() {
    // Given
    park("llama", "a", 100, 6_000);
    park("llama", "a", 200, 3_000);
    park("llama", "a", 300, 3_000);
    BulkOpenings openings =
        new BulkOpenings(
            List.of(new BulkOpenings.Room(new TestWorker("w").maxModelLen(4_096).snapshot(), 3)));

    // Then
    assertThat(takeAll(openings)).containsExactly(200L, 300L);
    assertThat(takeAll(roomFor(3))).containsExactly(100L);
  }

  @Test
  void whatCouldNotBePassedOnCostsItsTenantNothing() {
    // Given
    for (int number = 0; number < 8; number++) {
      park("llama", "a", 100 + number, 1_000);
      park("llama", "b", 200 + number, 1_000);
    }

    // When
    for (int attempt = 0; attempt < 5; attempt++) {
      ParkedRequest refused = parked.take(roomFor(1)).orElseThrow();
      assertThat(refused.slackEndsMillis()).isEqualTo(100);
      parked.add(refused);
    }

    // Then
    assertThat(takeAll(roomFor(8))).filteredOn(slack -> slack < 200).hasSize(4);
  }

  @Test
  void whatCouldNotBePassedOnCostsNothingThoughNothingElseOfItsTenantWaits() {
    // Given
    park("llama", "a", 100, 4_000);
    for (int number = 0; number < 4; number++) {
      park("llama", "b", 200 + number, 1_000);
    }

    // When
    ParkedRequest refused = parked.take(roomFor(1)).orElseThrow();
    parked.add(refused);

    // Then
    assertThat(takeAll(roomFor(2))).containsExactly(100L, 200L);
  }

  /** Workers for bulk must start before any of it can enter. */
  @Test
  void whatIsParkedIsDemandUntilItIsTakenOrItsPartitionIsLost() {
    // Given
    park("llama", "a", 100);
    park("mini", "b", 200);
    ParkedRequest elsewhere = request(1, 7, "mini", "b", 300, 10);
    parked.add(elsewhere);
    assertThat(demandedTokens()).isEqualTo(300);

    // When one is taken and comes back
    ParkedRequest taken = parked.take(roomFor(1)).orElseThrow();
    assertThat(demandedTokens()).isEqualTo(200);
    parked.add(taken);
    assertThat(demandedTokens()).isEqualTo(300);

    // When
    parked.turn(request -> request == elsewhere ? Turn.AT_ONCE : Turn.IN_LINE);
    assertThat(demandedTokens()).isEqualTo(300);
    parked.remove(Set.of(0));
    assertThat(demandedTokens()).isEqualTo(100);
    parked.takeEnding();

    // Then
    assertThat(parked.demand().sums(0)).isEmpty();
  }

  @Test
  void whatIsDeadlineCriticalIsTakenWhateverItsLine() {
    park("llama", "a", 300);
    park("absent", "b", 100);
    park("mini", "c", 200);

    assertThat(parked.takeDeadlineCritical(99)).isEmpty();
    assertThat(slackOf(parked.takeDeadlineCritical(250))).isEqualTo(100);
    assertThat(slackOf(parked.takeDeadlineCritical(250))).isEqualTo(200);
    assertThat(parked.takeDeadlineCritical(250)).isEmpty();
    assertThat(parked.size()).isEqualTo(1);
  }

  @Test
  void whatWasTakenForItsRoomIsNotTakenAgainWhenItsTimeIsUp() {
    park("llama", "a", 100);

    takeAll(roomFor(1));

    assertThat(parked.takeDeadlineCritical(1_000)).isEmpty();
    assertThat(parked.size()).isZero();
  }

  @Test
  void whatCouldNotBePassedOnWaitsAgainInItsPlace() {
    park("llama", "a", 100);
    park("llama", "a", 200);
    ParkedRequest first = parked.take(roomFor(1)).orElseThrow();

    parked.add(first);

    assertThat(takeAll(roomFor(2))).containsExactly(100L, 200L);
  }

  @Test
  void aPartitionThatGoesTakesItsRequestsWithIt() {
    park("llama", "a", 100);
    parked.add(request(9, 0, "llama", "a", 50, 10));
    parked.add(request(9, 1, "absent", "b", 60, 10));

    parked.remove(Set.of(9));

    assertThat(parked.size()).isEqualTo(1);
    assertThat(parked.takeDeadlineCritical(99)).isEmpty();
    assertThat(takeAll(roomFor(5))).containsExactly(100L);
  }

  @Test
  void whatEndsAtOnceIsTakenFirstAsItStandsInTheTopicAndOnlyOnce() {
    // Given
    for (int number = 0; number < 4; number++) {
      park("llama", "a", 400 - 100 * number);
    }
    park("absent", "b", 500);

    // When
    parked.turn(
        request ->
            Set.of(200L, 300L, 500L).contains(request.idHash()) ? Turn.AT_ONCE : Turn.IN_LINE);
    int waiting = parked.size();
    List<Long> ending = takeEnding();

    // Then
    assertThat(waiting).isEqualTo(5);
    assertThat(ending).containsExactly(200L, 300L, 500L);
    assertThat(parked.size()).isEqualTo(2);
    assertThat(slackOf(parked.takeDeadlineCritical(1_000))).isEqualTo(100);
    assertThat(takeAll(roomFor(5))).containsExactly(400L);
    assertThat(parked.takeDeadlineCritical(1_000)).isEmpty();
    assertThat(parked.size()).isZero();
  }

  @Test
  void whatEndsAtOnceAndCouldNotBePassedOnDoesSoLater() {
    // Given
    park("llama", "a", 100);
    parked.turn(request -> Turn.AT_ONCE);
    ParkedRequest taken = parked.takeEnding().orElseThrow();

    // When
    parked.add(taken);

    // Then
    assertThat(parked.takeDeadlineCritical(1_000)).isEmpty();
    assertThat(takeAll(roomFor(1))).isEmpty();
    assertThat(takeEnding()).containsExactly(100L);
  }

  @Test
  void whatIsTooLateEndsAtOnceThoughItStandsBehindWhatIsNot() {
    // Given
    park("llama", 100, 500);
    park("llama", 200, 300);
    park("absent", 350, 400);

    // When
    parked.endLate(299);
    List<Long> before = takeEnding();
    parked.endLate(300);

    // Then
    assertThat(before).isEmpty();
    assertThat(takeEnding()).containsExactly(200L);
    assertThat(parked.size()).isEqualTo(2);
  }

  @Test
  void whatEndsAtOnceGoesWithItsPartition() {
    parked.add(request(9, 0, "llama", "a", 50, 10));
    parked.turn(request -> Turn.AT_ONCE);

    parked.remove(Set.of(9));

    assertThat(parked.size()).isZero();
    assertThat(takeEnding()).isEmpty();
  }

  @Test
  void theFirstRequestThatHasNotEnteredIsWhereTheNextOneBegins() {
    // Given
    ParkedRequest first = inPartition(10, 500);
    ParkedRequest second = inPartition(11, 400);
    ParkedRequest third = inPartition(12, 300);

    // When
    partition.entered(second);
    long behindFirst = partition.firstOpen();
    EnteredMark mark = partition.mark();
    partition.entered(first);
    partition.entered(third);

    // Then
    assertThat(behindFirst).isEqualTo(10);
    assertThat(mark.covers(10, 500)).isFalse();
    assertThat(mark.covers(11, 400)).isTrue();
    assertThat(mark.covers(12, 300)).isFalse();
    assertThat(partition.firstOpen()).isEqualTo(13);
    assertThat(partition.open()).isZero();
  }

  @Test
  void whatEnteredIsKnownFromItsPlaceOrFromItsTimeHoweverMuchThereIs() {
    // Given: every other one has entered, by its time
    List<ParkedRequest> all = new ArrayList<>();
    for (int offset = 0; offset < 10_000; offset++) {
      all.add(inPartition(offset, offset % 2 == 0 ? 1_000_000 : offset));
    }
    all.stream().filter(request -> request.offset() % 2 == 1).forEach(partition::entered);

    // When
    EnteredMark mark = EnteredMark.parse(partition.mark().toText());

    // Then
    assertThat(partition.mark().toText().length()).isLessThan(4_096);
    assertThat(all)
        .allMatch(
            request ->
                mark.covers(request.offset(), request.slackEndsMillis()) == request.hasEntered());
    assertThat(mark.covers(10_000, 0)).isFalse();
  }

  @Test
  void aFeederThatStopsBeforeItHasReadAllTellsTheNextOneWhatItWasToldOfTheRest() {
    // Given: from the first feeder 1, 2 and 4 have entered, and 5 by its time
    List<ParkedRequest> all = new ArrayList<>();
    for (int offset = 0; offset < 7; offset++) {
      all.add(inPartition(partition, offset, offset == 5 ? 100 : 500));
    }
    List.of(1, 2, 4, 5).forEach(offset -> partition.entered(all.get(offset)));

    // When: the second one reads as far as 2, and 0 enters
    var second = new ParkedPartition(partition.mark());
    ParkedRequest first = inPartition(second, 0, 500);
    second.advance(1);
    second.advance(2);
    second.entered(first);
    var third = new ParkedPartition(EnteredMark.parse(second.mark().toText()));

    // Then
    assertThat(second.firstOpen()).isEqualTo(3);
    assertThat(all)
        .filteredOn(request -> request.offset() >= 3)
        .allMatch(
            request ->
                third.hadEntered(request.offset(), request.markMillis()) == request.hasEntered());
  }

  @Test
  void whatAnEarlierFeederKnewIsToldWithWhatStillWaitsBeforeIt() {
    // Given: from the first feeder 2 and 3 have entered
    List<ParkedRequest> all = new ArrayList<>();
    for (int offset = 0; offset < 5; offset++) {
      all.add(inPartition(partition, offset, 500));
    }
    List.of(2, 3).forEach(offset -> partition.entered(all.get(offset)));

    // When: the second one reads as far as 2, and 1 enters
    var second = new ParkedPartition(partition.mark());
    inPartition(second, 0, 500);
    second.entered(inPartition(second, 1, 500));
    second.advance(2);
    EnteredMark mark = second.mark();

    // Then
    assertThat(second.firstOpen()).isZero();
    assertThat(all).filteredOn(request -> mark.covers(request.offset(), 500)).hasSize(3);
    assertThat(mark.covers(0, 500)).isFalse();
    assertThat(mark.covers(4, 500)).isFalse();

    // When: it has read all
    second.advance(3);
    inPartition(second, 4, 500);
    second.advance(5);

    // Then
    assertThat(second.mark().covers(3, 500)).isTrue();
    assertThat(second.mark().covers(5, 500)).isTrue();
  }

  @Test
  void anUnknownMarkSaysNothing() {
    assertThat(List.of("", "2 a b", "1", "1 a", "1 a b c", "1 z 5 a-", "1 z 5 -"))
        .allMatch(text -> EnteredMark.parse(text).equals(EnteredMark.NONE));
  }

  @Test
  void recordsAreKeptOnlyUpToSomeBytes() {
    var recent = new RecentRecords();
    var record = new ConsumerRecord<byte[], byte[]>("sluice.bulk", 0, 0, new byte[0], new byte[0]);
    ParkedRequest old = request(0, 0, "llama", "a", 1, 9 << 20);
    ParkedRequest late = request(0, 1, "llama", "a", 1, 8 << 20);

    recent.add(old, record);
    recent.add(late, record);

    assertThat(recent.take(old)).isEmpty();
    assertThat(recent.take(late)).isPresent();
    assertThat(recent.take(late)).isEmpty();
  }

  @Test
  void whatComesWhileItsPartitionRestsIsPassedByOthersAndCounts() {
    // Given: of the same tenant and model, and of another kind
    ParkedRequest resting = longer(1, 7, 100);
    parked.rest(Set.of(RestingPlace.sourceOf(resting)));
    parked.add(resting);
    ParkedRequest other = request(0, 8, "llama", "a", 200, 10);
    parked.add(other);

    // Then
    assertThat(parked.take(roomFor(2))).contains(other);
    assertThat(parked.take(roomFor(2))).isEmpty();
    assertThat(parked.takeDeadlineCritical(Long.MAX_VALUE)).isEmpty();
    assertThat(parked.size()).isEqualTo(1);
    assertThat(demandedTokens()).isEqualTo(100);

    // When
    parked.rest(Set.of());

    // Then
    assertThat(parked.take(roomFor(2))).contains(resting);
    assertThat(parked.size()).isZero();
    assertThat(demandedTokens()).isZero();
  }

  @Test
  void whatWaitsWhenItsPartitionBeginsToRestIsTakenOnceAfterwards() {
    // Given
    ParkedRequest first = request(1, 7, "llama", "a", 100, 10);
    ParkedRequest second = request(1, 8, "llama", "a", 200, 10);
    parked.add(first);
    parked.add(second);
    assertThat(parked.take(roomFor(1))).contains(first);

    // When
    parked.rest(Set.of(RestingPlace.sourceOf(first)));
    parked.add(first);

    // Then
    assertThat(parked.take(roomFor(2))).isEmpty();
    assertThat(parked.takeDeadlineCritical(Long.MAX_VALUE)).isEmpty();

    // When
    parked.rest(Set.of());

    // Then
    assertThat(parked.takeDeadlineCritical(Long.MAX_VALUE)).contains(first);
    assertThat(parked.take(roomFor(2))).contains(second);
    assertThat(parked.take(roomFor(2))).isEmpty();
  }

  @Test
  void aPartitionThatIsLostWhileItRestsIsForgotten() {
    // Given
    ParkedRequest first = request(1, 7, "llama", "a", 100, 10);
    parked.add(first);
    parked.rest(Set.of(RestingPlace.sourceOf(first)));
    parked.add(request(1, 8, "llama", "a", 200, 10));

    // When
    parked.remove(Set.of(1));

    // Then
    assertThat(parked.size()).isZero();
    assertThat(demandedTokens()).isZero();
    assertThat(parked.take(roomFor(2))).isEmpty();
  }

  @Test
  void aPartitionOfALaneThatRestsHoldsUpNoOtherLaneAndNoOtherPartition() {
    // Given
    ParkedRequest resting = request(1, 7, "llama", "a", 100, 10);
    ParkedRequest otherLane = longer(1, 8, 200);
    ParkedRequest otherPartition = request(2, 9, "llama", "a", 300, 10);
    List.of(resting, otherLane, otherPartition).forEach(parked::add);

    // When
    parked.rest(Set.of(RestingPlace.targetOf(resting)));

    // Then
    assertThat(takeAll(roomFor(3))).containsExactly(200L, 300L);
    assertThat(parked.size()).isEqualTo(1);
  }

  @Test
  void aLaneThatRestsDoesSoInAllPartitions() {
    // Given
    ParkedRequest resting = request(1, 7, "llama", "a", 100, 10);
    List.of(resting, request(2, 8, "llama", "a", 200, 10), longer(1, 9, 300)).forEach(parked::add);

    // When
    parked.rest(Set.of(RestingPlace.laneOf(resting)));

    // Then
    assertThat(takeAll(roomFor(3))).containsExactly(300L);
  }

  @Test
  void whatTwoPlacesHoldUpWaitsForBothAndIsTakenInItsTurn() {
    // Given
    ParkedRequest first = request(1, 7, "llama", "a", 100, 10);
    ParkedRequest second = request(1, 8, "llama", "a", 200, 10);
    ParkedRequest other = longer(1, 9, 300);
    List.of(first, second, other).forEach(parked::add);
    RestingPlace lane = RestingPlace.targetOf(first);
    RestingPlace source = RestingPlace.sourceOf(first);

    // When
    parked.rest(Set.of(lane));
    parked.rest(Set.of(lane, source));
    boolean isAnyTaken = parked.take(roomFor(3)).isPresent();
    parked.rest(Set.of(source));
    isAnyTaken |= parked.take(roomFor(3)).isPresent();
    parked.rest(Set.of(lane, source));
    parked.rest(Set.of(lane));

    // Then
    assertThat(isAnyTaken).isFalse();
    assertThat(parked.size()).isEqualTo(3);
    assertThat(takeAll(roomFor(3))).containsExactly(300L);

    // When
    parked.rest(Set.of());

    // Then
    assertThat(takeAll(roomFor(3))).containsExactly(100L, 200L);
  }

  private ParkedRequest inPartition(long offset, long slackEnds) {
    return inPartition(partition, offset, slackEnds);
  }

  private ParkedRequest inPartition(ParkedPartition of, long offset, long slackEnds) {
    of.advance(offset);
    ParkedRequest request = request(0, offset, "llama", "a", slackEnds, 10);
    of.add(request);
    return request;
  }

  private void park(String model, String tenant, long slackEnds) {
    park(model, tenant, slackEnds, 100);
  }

  private void park(String model, String tenant, long slackEnds, long tokens) {
    BulkLine line = parked.line(tenant, new BulkSize(kind(model), tokens));
    parked.add(
        new ParkedRequest(
            0, slackEnds, 10, slackEnds, slackEnds, slackEnds, tokens, line, slackEnds));
  }

  private void park(String model, long slackEnds, long deadline) {
    BulkLine line = parked.line("a", new BulkSize(kind(model), 100));
    parked.add(new ParkedRequest(0, 0, 10, slackEnds, slackEnds, deadline, 100, line, 0));
  }

  private ParkedRequest request(
      int inPartition, long offset, String model, String tenant, long slackEnds, int bytes) {
    BulkLine line = parked.line(tenant, new BulkSize(kind(model), 100));
    return new ParkedRequest(
        inPartition, offset, bytes, slackEnds, slackEnds, slackEnds, 100, line, offset);
  }

  /** Returns one for another lane. */
  private ParkedRequest longer(int inPartition, long offset, long slackEnds) {
    BulkLine line =
        parked.line("a", new BulkSize(new RequestKind("llama", "8k", List.of(), List.of()), 100));
    return new ParkedRequest(
        inPartition, offset, 10, slackEnds, slackEnds, slackEnds, 100, line, offset);
  }

  private List<Long> takeAll(BulkOpenings openings) {
    List<Long> taken = new ArrayList<>();
    for (var next = parked.take(openings); next.isPresent(); next = parked.take(openings)) {
      taken.add(next.get().slackEndsMillis());
    }
    return taken;
  }

  private List<Long> takeEnding() {
    List<Long> taken = new ArrayList<>();
    for (var next = parked.takeEnding(); next.isPresent(); next = parked.takeEnding()) {
      taken.add(next.get().slackEndsMillis());
    }
    return taken;
  }

  private long demandedTokens() {
    return parked.demand().sums(0).values().stream().mapToLong(DemandMeter.Sum::tokens).sum();
  }

  private static long slackOf(Optional<ParkedRequest> request) {
    return request.orElseThrow().slackEndsMillis();
  }

  private static BulkOpenings roomFor(int requests) {
    return new BulkOpenings(
        List.of(new BulkOpenings.Room(new TestWorker("w").snapshot(), requests)));
  }

  private static RequestKind kind(String model) {
    return new RequestKind(model, "2k", List.of(), List.of());
  }
}
