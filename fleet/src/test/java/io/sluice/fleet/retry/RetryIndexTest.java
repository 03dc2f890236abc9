package io.sluice.fleet.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.redis.TestRedis;
import io.sluice.fleet.retry.RetryIndex.Begun;
import io.sluice.fleet.retry.RetryIndex.Try;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.client.codec.StringCodec;

class RetryIndexTest {
  private static final Duration LIFE = Duration.ofMinutes(1);
  private static final Begun OWN = new Begun.Own();

  private static TestRedis redis;

  private final RetryIndex index = new RetryIndex(redis.client(), "default");

  @BeforeAll
  static void startRedis() {
    redis = new TestRedis();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @Test
  void aRetryTakesOverTheRequestOfTheFirstTry() {
    // Given
    Try first = first("a", "try-1");
    Try retry = retry("a", "try-2");
    assertThat(begin(first, "request-1")).isEqualTo(OWN);

    // When
    leave(first);

    // Then
    assertThat(begin(retry, "request-2")).isEqualTo(following("request-1"));
    assertThat(isTakenOver(first)).isTrue();
    leave(retry);
    assertThat(isTakenOver(retry)).isFalse();
  }

  @Test
  void aRetryWithoutAnEarlierRequestBeginsItsOwn() {
    // When
    assertThat(begin(retry("b", "try-1"), "request-1")).isEqualTo(OWN);

    // Then
    assertThat(begin(retry("b", "try-2"), "request-2")).isEqualTo(following("request-1"));
  }

  @Test
  void aRetryWhoseGatewayDiedFollowsTheNewestOfThoseThatRun() {
    // Given
    begin(first("c", "try-1"), "request-1");
    begin(first("c", "try-2"), "request-2");

    // Then
    assertThat(begin(retry("c", "try-3"), "request-3")).isEqualTo(following("request-2"));
    assertThat(begin(retry("c", "try-4"), "request-4")).isEqualTo(following("request-1"));
  }

  @Test
  void aRequestWhoseAnswerWasSentIsFollowedForAWhile() throws Exception {
    // Given
    Try first = first("sent", "try-1");
    begin(first, "request-1");
    index.sent(first).toCompletableFuture().get(5, TimeUnit.SECONDS);

    // Then
    assertThat(begin(retry("sent", "try-2"), "request-2")).isEqualTo(following("request-1"));
  }

  @Test
  void aRetryPrefersTheRequestThatRunsToOneWhoseAnswerWasSent() throws Exception {
    // Given a second equal request, whose gateway died
    Try first = first("again", "try-1");
    begin(first, "request-1");
    index.sent(first).toCompletableFuture().get(5, TimeUnit.SECONDS);
    begin(first("again", "try-2"), "request-2");

    // Then
    assertThat(begin(retry("again", "try-3"), "request-3")).isEqualTo(following("request-2"));
  }

  @Test
  void whatCannotBeFollowedIsRemoved() throws Exception {
    // Given a program that sends the same request again and again
    RetryIndex impatient = new RetryIndex(redis.client(), "many", Duration.ofSeconds(-1));
    begin(impatient, first("same", "running"), "request-running");
    for (int i = 0; i < 1_500; i++) {
      Try next = first("same", "try-" + i);
      begin(impatient, next, "request-" + i);
      impatient.sent(next).toCompletableFuture().get(5, TimeUnit.SECONDS);
    }

    // Then
    String key =
        redis
            .client()
            .getKeys()
            .getKeysStream()
            .filter(k -> k.contains("many"))
            .findFirst()
            .orElseThrow();
    assertThat(redis.client().getMap(key, StringCodec.INSTANCE).size()).isLessThan(2_002);
    assertThat(begin(impatient, retry("same", "retry"), "request-retry"))
        .isEqualTo(following("request-running"));
  }

  private static Begun begin(RetryIndex index, Try attempt, String requestId) throws Exception {
    return index
        .begin(attempt, requestId, LIFE, Optional.empty())
        .toCompletableFuture()
        .get(5, TimeUnit.SECONDS);
  }

  @Test
  void aRequestWhoseAnswerWasSentLongAgoIsNotFollowed() throws Exception {
    // Given
    RetryIndex impatient = new RetryIndex(redis.client(), "default", Duration.ofSeconds(-1));
    Try first = first("old", "try-1");
    begin(first, "request-1");
    index.sent(first).toCompletableFuture().get(5, TimeUnit.SECONDS);

    // When
    Begun begun = begin(impatient, retry("old", "try-2"), "request-2");

    // Then
    assertThat(begun).isEqualTo(OWN);
  }

  @Test
  void twoRetriesTakeOverTwoRequests() {
    // Given three equal requests, two of which lost their clients
    Try one = first("d", "try-1");
    Try two = first("d", "try-2");
    Try three = first("d", "try-3");
    begin(one, "request-1");
    begin(two, "request-2");
    begin(three, "request-3");
    leave(one);
    leave(two);

    // When
    Begun first = begin(retry("d", "try-4"), "request-4");
    Begun second = begin(retry("d", "try-5"), "request-5");

    // Then
    assertThat(first).isEqualTo(following("request-2"));
    assertThat(second).isEqualTo(following("request-1"));
    assertThat(isTakenOver(one)).isTrue();
    assertThat(isTakenOver(two)).isTrue();
  }

  @Test
  void aRetryPrefersARequestWhoseClientHasLeft() {
    // Given two equal requests: only the loss of the second one's client was noticed yet
    Try two = first("m", "try-2");
    begin(first("m", "try-1"), "request-1");
    begin(two, "request-2");
    leave(two);

    // When
    Begun first = begin(retry("m", "try-3"), "request-3");
    Begun second = begin(retry("m", "try-4"), "request-4");

    // Then
    assertThat(first).isEqualTo(following("request-2"));
    assertThat(second).isEqualTo(following("request-1"));
  }

  @Test
  void eachRequestOfAProgramThatDiesIsAbandoned() {
    // Given
    Try one = first("e", "try-1");
    Try two = first("e", "try-2");
    begin(one, "request-1");
    begin(two, "request-2");

    // When
    leave(one);
    leave(two);

    // Then
    assertThat(isTakenOver(one)).isFalse();
    assertThat(isTakenOver(two)).isFalse();
    assertThat(begin(retry("e", "try-3"), "request-3")).isEqualTo(OWN);
  }

  @Test
  void whoLeftBeforeATakeoverDoesNotEndTheGraceOfWhoTookOver() {
    // Given
    Try first = first("f", "try-1");
    Try retry = retry("f", "try-2");
    begin(first, "request-1");
    leave(first);
    begin(retry, "request-2");

    // When
    leave(retry);

    // Then
    assertThat(isTakenOver(first)).isTrue();
    assertThat(begin(retry("f", "try-3"), "request-3")).isEqualTo(following("request-1"));
    assertThat(isTakenOver(retry)).isTrue();
  }

  @Test
  void aTryThatLeavesBeforeItsBeginningArrivesIsTakenOver() {
    // Given two calls that overtake each other
    Try first = first("left", "try-1");
    leave(first);
    begin(first, "request-1");

    // When
    Begun retried = begin(retry("left", "try-2"), "request-2");

    // Then
    assertThat(retried).isEqualTo(following("request-1"));
    assertThat(isTakenOver(first)).isTrue();
  }

  @Test
  void aTryThatLeftBeforeItsBeginningArrivedIsAbandoned() {
    // Given
    Try first = first("gone", "try-1");
    leave(first);
    begin(first, "request-1");

    // When
    boolean isTakenOver = isTakenOver(first);

    // Then
    assertThat(isTakenOver).isFalse();
    assertThat(begin(retry("gone", "try-2"), "request-2")).isEqualTo(OWN);
  }

  @Test
  void whatIsForgottenIsNotGivenToALaterTry() {
    // Given
    Try first = first("g", "try-1");
    begin(first, "request-1");

    // When
    TestRedis.get(index.forget(first));

    // Then
    assertThat(begin(retry("g", "try-2"), "request-2")).isEqualTo(OWN);
  }

  @Test
  void theRetryOfWhatWasRefusedIsNotGivenAnEqualRequest() {
    // Given equal requests: two that were refused, one as it began, and one that runs
    Try refused = first("equal", "try-2");
    begin(first("equal", "try-1"), "request-1");
    begin(refused, "request-2");
    TestRedis.get(index.forget(refused));
    TestRedis.get(index.forget(refused));
    TestRedis.get(index.forget(first("equal", "try-3")));

    // Then
    assertThat(begin(retry("equal", "try-4"), "request-4")).isEqualTo(OWN);
    assertThat(begin(retry("equal", "try-5"), "request-5")).isEqualTo(OWN);
    assertThat(begin(retry("equal", "try-6"), "request-6")).isInstanceOf(Begun.Following.class);
  }

  @Test
  void whatATryThatHasLeftReadStaysForOthers() {
    // Given a retry that reads what the first try began, and leaves
    Try retry = retry("left", "try-2");
    begin(first("left", "try-1"), "request-1");
    begin(retry, "request-2");
    leave(retry);

    // When its reading ends
    TestRedis.get(index.forget(retry));

    // Then
    assertThat(begin(retry("left", "try-3"), "request-3")).isEqualTo(following("request-1"));
  }

  @Test
  void aTryThatIsForgottenBeforeItsBeginningArrivesIsNotFollowed() {
    // Given two calls that overtake each other
    Try first = first("late", "try-1");

    // When
    TestRedis.get(index.forget(first));
    assertThat(begin(first, "request-1")).isEqualTo(OWN);

    // Then
    assertThat(begin(retry("late", "try-2"), "request-2")).isEqualTo(OWN);
  }

  @Test
  void whatOneOfTwoReadersForgetsStaysWithTheOther() {
    // Given
    Try first = first("h", "try-1");
    Try retry = retry("h", "try-2");
    begin(first, "request-1");
    begin(retry, "request-2");

    // When
    TestRedis.get(index.forget(first));
    leave(retry);

    // Then
    assertThat(begin(retry("h", "try-3"), "request-3")).isEqualTo(following("request-1"));
  }

  @Test
  void aRequestThatFailedIsReplacedOnce() {
    // Given
    Try one = retry("i", "try-2");
    Try two = retry("i", "try-3");
    begin(first("i", "try-1"), "request-1");
    begin(one, "request-2");
    begin(two, "request-3");

    // Then
    assertThat(replace(one, "request-2", "request-1")).isEqualTo(OWN);
    assertThat(replace(two, "request-3", "request-1")).isEqualTo(following("request-2"));
  }

  @Test
  void anotherBodyIsNotATry() {
    // Given
    begin(keyed("j", "try-1", "body-1"), "request-1");

    // Then
    assertThat(begin(keyed("j", "try-2", "body-2"), "request-2")).isEqualTo(new Begun.Reused());
    assertThat(begin(keyed("j", "try-3", "body-1"), "request-3")).isEqualTo(following("request-1"));
  }

  @Test
  void callsThatAreRepeatedHaveOneEffect() {
    // Given
    Try first = first("k", "try-1");
    Try retry = retry("k", "try-2");
    assertThat(begin(first, "request-1")).isEqualTo(OWN);
    assertThat(begin(first, "request-1")).isEqualTo(OWN);
    leave(first);
    leave(first);
    assertThat(begin(retry, "request-2")).isEqualTo(following("request-1"));
    assertThat(begin(retry, "request-2")).isEqualTo(following("request-1"));
    assertThat(isTakenOver(first)).isTrue();
    assertThat(isTakenOver(first)).isTrue();

    // When
    leave(retry);
    leave(retry);

    // Then
    assertThat(isTakenOver(retry)).isFalse();
    assertThat(isTakenOver(retry)).isFalse();
  }

  @Test
  void aRequestThatTheIndexHasForgottenIsNotTakenOver() {
    // Given
    Try forgotten = first("never", "try-1");

    // When
    leave(forgotten);

    // Then
    assertThat(isTakenOver(forgotten)).isFalse();
  }

  @Test
  void anEntryLivesAsLongAsItsLongestRequest() {
    // When
    TestRedis.get(
        index.begin(first("l", "try-1"), "request-1", Duration.ofHours(24), Optional.empty()));
    begin(first("l", "try-2"), "request-2");

    // Then
    assertThat(redis.client().getKeys().remainTimeToLive("sluice:{default}:retry:l"))
        .isGreaterThan(Duration.ofHours(23).toMillis());
  }

  private Begun begin(Try attempt, String requestId) {
    return TestRedis.get(index.begin(attempt, requestId, LIFE, Optional.empty()));
  }

  private Begun replace(Try attempt, String requestId, String failed) {
    return TestRedis.get(index.begin(attempt, requestId, LIFE, Optional.of(failed)));
  }

  private void leave(Try attempt) {
    TestRedis.get(index.leave(attempt));
  }

  private boolean isTakenOver(Try attempt) {
    return TestRedis.get(index.isTakenOver(attempt));
  }

  private static Begun following(String requestId) {
    return new Begun.Following(requestId);
  }

  private static Try first(String fingerprint, String id) {
    return new Try(fingerprint, id, false, Optional.empty());
  }

  private static Try retry(String fingerprint, String id) {
    return new Try(fingerprint, id, true, Optional.empty());
  }

  private static Try keyed(String fingerprint, String id, String body) {
    return new Try(fingerprint, id, true, Optional.of(body));
  }
}
