package io.sluice.producer.client;

import static io.sluice.producer.client.MockPool.chunk;
import static io.sluice.producer.client.MockPool.drain;
import static io.sluice.producer.client.MockPool.streamed;
import static io.sluice.producer.client.MockPool.textOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads the answer to a request of which only the id is known. */
@Tag("slow")
class AttachTest {
  private final MockPool pool = new MockPool(ClientConfig.at("kafka:1").withBufferedEvents(4));
  private final ReplyStream sent = pool.submit(streamed());

  @AfterEach
  void close() {
    pool.client.close();
  }

  @Test
  void anyNumberOfReadersReadTheSameAfterTheEnd() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "one ", "two ");
    pool.tokens(sent, 1, 2, "three");
    pool.finish(sent, 1, 3);

    // When
    ReplyStream first = attach(AttachOptions.standard());
    ReplyStream second = attach(AttachOptions.standard());

    // Then
    assertThat(textOf(drain(first))).isEqualTo("one two three");
    assertThat(textOf(drain(second))).isEqualTo("one two three");
    Answer answer = first.answer().get(10, TimeUnit.SECONDS);
    assertThat(answer.text()).isEqualTo("one two three");
    assertThat(answer.usage().completionTokens()).isEqualTo(3);
    assertThat(answer.json()).contains("\"object\":\"chat.completion\"");
  }

  @Test
  void aReaderFollowsWhatIsStillWritten() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "one ");
    ReplyStream attached = attach(AttachOptions.standard());
    assertThat(attached.next(Duration.ofSeconds(10))).isPresent();

    // When
    pool.passTime(Duration.ofDays(1));
    pool.tokens(sent, 1, 1, "two");
    pool.finish(sent, 1, 2);

    // Then
    assertThat(textOf(drain(attached))).isEqualTo("two");
    assertThat(attached.answer().get(10, TimeUnit.SECONDS).text()).isEqualTo("one two");
  }

  @Test
  void manyReadersFollowAtOnceWithOneConsumer() throws Exception {
    // Given answers on two partitions
    pool.tokens(sent, 1, 0, "one ");
    ReplyStream other = pool.submit(streamed());
    List<ReplyStream> readers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      readers.add(attach(AttachOptions.standard()));
      readers.add(pool.client.attach(other.requestId(), elsewhere()));
    }
    for (int i = 0; i < readers.size(); i += 2) {
      assertThat(readers.get(i).next(Duration.ofSeconds(10))).isPresent();
    }

    // When
    pool.write(
        pool.elsewhere(),
        MockPool.headers(other, ReplyKind.TOKENS, 1, "lease-1", 0, 1),
        chunk("another "));
    pool.tokens(sent, 1, 1, "two");
    pool.finish(sent, 1, 2);

    // Then
    for (int i = 0; i < readers.size(); i += 2) {
      assertThat(textOf(drain(readers.get(i)))).isEqualTo("two");
      assertThat(readers.get(i + 1).next(Duration.ofSeconds(10))).isPresent();
    }
    assertThat(pool.rereading).hasSize(1);
    assertThat(pool.following).hasSize(1);
  }

  @Test
  void anErrorOfTheCommonReadingEndsNoStreamThatCanBeRead() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "one ");
    ReplyStream attached = attach(AttachOptions.standard());
    assertThat(attached.next(Duration.ofSeconds(10))).isPresent();

    // When
    await().until(() -> !pool.following.isEmpty());
    pool.following.getFirst().setPollException(new KafkaException("another partition is corrupt"));
    pool.tokens(sent, 1, 1, "two");
    pool.finish(sent, 1, 2);

    // Then
    assertThat(textOf(drain(attached))).isEqualTo("two");
  }

  @Test
  void aReadingEndsWhenKafkaGoesAwayInTheMiddle() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "one ");
    pool.isSilent = true;

    // When
    ReplyStream attached = attach(AttachOptions.standard());
    var snapshot = pool.client.read(sent.requestId());
    await()
        .until(
            () -> {
              pool.passTime(Duration.ofSeconds(20));
              return MockPool.folded(attached).isEnded() && snapshot.isDone();
            });

    // Then
    ReplyEvent.Failed failed = (ReplyEvent.Failed) drain(attached).getFirst();
    assertThat(failed.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    assertThat(failed.message()).isEqualTo("the answer cannot be read: Kafka does not answer");
    assertThatThrownBy(snapshot::join).hasCauseInstanceOf(RequestFailedException.class);
  }

  @Test
  void aTimeBeforeTheEpochIsTheBeginning() throws Exception {
    pool.tokens(sent, 1, 0, "one");
    pool.finish(sent, 1, 1);

    ReplyStream attached = attach(AttachOptions.standard().since(Instant.MIN));

    assertThat(textOf(drain(attached))).isEqualTo("one");
  }

  private AttachOptions elsewhere() {
    return AttachOptions.standard()
        .on(Optional.empty(), OptionalInt.of(pool.elsewhere().partition()));
  }

  @Test
  void aReaderThatHasTheBeginningReadsFromTheRecordThatHoldsItsIndex() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "a", "b");
    pool.tokens(sent, 1, 2, "c", "d");
    pool.claim(sent, 2, ClaimMode.RESUME);
    pool.tokens(sent, 2, 4, "e");
    pool.finish(sent, 2, 5);

    // Then
    assertThat(textOf(drain(attach(AttachOptions.standard().from(2))))).isEqualTo("cde");
    assertThat(textOf(drain(attach(AttachOptions.standard().from(3))))).isEqualTo("cde");
    assertThat(textOf(drain(attach(AttachOptions.standard().from(4))))).isEqualTo("e");
    ReplyStream behindTheEnd = attach(AttachOptions.standard().from(5));
    assertThat(drain(behindTheEnd)).singleElement().isInstanceOf(ReplyEvent.Completed.class);
    assertThat(behindTheEnd.answer().get().text()).isEqualTo("abcde");
  }

  @Test
  void aRestartVoidsTheBeginningThatTheReaderHas() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "void");
    pool.claim(sent, 2, ClaimMode.RESTART);
    pool.tokens(sent, 2, 0, "a", "b");
    pool.finish(sent, 2, 2);

    // When
    List<ReplyEvent> events = drain(attach(AttachOptions.standard().from(1)));

    // Then
    assertThat(events.getFirst()).isInstanceOf(ReplyEvent.Restarted.class);
    assertThat(textOf(events)).isEqualTo("ab");
  }

  @Test
  void aSlowReaderMissesNothing() throws Exception {
    // Given
    for (int i = 0; i < 200; i++) {
      pool.tokens(sent, 1, i, "t" + i + " ");
    }
    pool.finish(sent, 1, 200);

    // When
    ReplyStream attached = attach(AttachOptions.standard().from(50));
    String whole = attached.answer().get(10, TimeUnit.SECONDS).text();

    // Then
    assertThat(textOf(drain(attached))).isEqualTo(whole.substring(whole.indexOf("t50 ")));
  }

  @Test
  void anAnswerThatWasNotStreamedIsReadWholeAndItsTextOnce() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "begun ");
    String json =
        "{\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"content\":\"begun and done\"}}]}";
    pool.write(MockPool.headers(sent, ReplyKind.FINAL, 1, "lease-1", 1, 0), json);

    // When
    ReplyStream attached = attach(AttachOptions.standard());

    // Then
    assertThat(textOf(drain(attached))).isEqualTo("begun and done");
    assertThat(attached.answer().get().json()).isEqualTo(json);
  }

  @Test
  void completionsAreToldFromChatsByTheirRecords() throws Exception {
    // Given
    String format =
        "{\"object\":\"text_completion\",\"choices\":[{\"index\":0,\"text\":\"%s\",\"finish_reason\":%s}]}";
    pool.write(
        MockPool.headers(sent, ReplyKind.TOKENS, 1, "l", 0, 1), format.formatted("one", "null"));
    pool.write(
        MockPool.headers(sent, ReplyKind.FINAL, 1, "l", 1, 0), format.formatted("", "\"stop\""));

    // When
    Answer answer = attach(AttachOptions.standard()).answer().get(10, TimeUnit.SECONDS);

    // Then
    assertThat(answer.text()).isEqualTo("one");
    assertThat(answer.json()).contains("text_completion");
    assertThat(answer.finishReason()).isEqualTo("stop");
  }

  @Test
  void anErrorEndsTheStreamAsItEndedTheRequest() throws Exception {
    // Given
    pool.error(sent, 1, "{\"error\":{\"code\":\"model_not_found\",\"message\":\"no such model\"}}");

    // Then
    assertThat(failure(attach(AttachOptions.standard())).kind())
        .isEqualTo(ErrorKind.MODEL_NOT_FOUND);
  }

  @Test
  void anAnswerWhoseBeginningIsGoneIsTruncated() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "gone ");
    pool.tokens(sent, 1, 1, "left");
    pool.forgetBefore(101);

    // Then
    assertThat(failure(attach(AttachOptions.standard())).kind())
        .isEqualTo(ErrorKind.REPLY_TRUNCATED);
  }

  @Test
  void theAnswerOfAnotherTenantIsAsUnknownAsNone() throws Exception {
    // Given
    pool.write(tokens(0).ofTenant("acme"), chunk("one "));
    pool.write(tokens(1), chunk("two"));
    pool.write(end(2).ofTenant("acme"), "{\"choices\":[]}");

    // When
    ReplyStream own = attach(AttachOptions.standard().ofTenant("acme"));
    ReplyStream anyones = attach(AttachOptions.standard());
    ReplyStream foreign = attach(AttachOptions.standard().ofTenant("globex"));
    String text = textOf(drain(own));
    drain(anyones);
    boolean isFoundEarly = foreign.answer().isDone();
    pool.passTime(Duration.ofSeconds(66));

    // Then
    assertThat(text).isEqualTo("one two");
    assertThat(isFoundEarly).isFalse();
    ReplyEvent.Failed failed = failure(foreign);
    assertThat(failed.kind()).isEqualTo(ErrorKind.REQUEST_NOT_FOUND);
    assertThat(failed.message()).startsWith("no reply to request " + sent.requestId());
  }

  @Test
  void anAnswerThatNamesNoTenantIsThatOfTheDefaultTenant() throws Exception {
    // Given
    pool.tokens(sent, 1, 0, "one");
    pool.finish(sent, 1, 1);

    // When
    ReplyStream own = attach(AttachOptions.standard().ofTenant("default"));
    ReplyStream foreign = attach(AttachOptions.standard().ofTenant("acme"));
    pool.passTime(Duration.ofSeconds(66));

    // Then
    assertThat(textOf(drain(own))).isEqualTo("one");
    assertThat(failure(foreign).kind()).isEqualTo(ErrorKind.REQUEST_NOT_FOUND);
  }

  @Test
  void theEndTellsWhoseAnswerItWasWhoseBeginningIsGone() throws Exception {
    // Given
    pool.write(tokens(0).ofTenant("acme"), chunk("gone "));
    pool.write(tokens(1), chunk("left"));
    pool.write(end(2).ofTenant("acme"), "{\"choices\":[]}");
    pool.forgetBefore(101);

    // When
    ReplyStream own = attach(AttachOptions.standard().ofTenant("acme"));
    ReplyStream foreign = attach(AttachOptions.standard().ofTenant("default"));
    ErrorKind ofOwn = failure(own).kind();
    pool.passTime(Duration.ofSeconds(66));

    // Then
    assertThat(ofOwn).isEqualTo(ErrorKind.REPLY_TRUNCATED);
    assertThat(failure(foreign).kind()).isEqualTo(ErrorKind.REQUEST_NOT_FOUND);
  }

  @Test
  void anAttachedReaderIsNotEndedByTheRefusalOfItsTenantsOtherRequest() throws Exception {
    // Given
    pool.write(tokens(0).ofTenant("acme"), chunk("one"));
    pool.refuse(sent, "acme");
    pool.write(end(1).ofTenant("acme"), "{\"choices\":[]}");

    // Then
    assertThat(textOf(drain(attach(AttachOptions.standard().ofTenant("acme"))))).isEqualTo("one");
  }

  @Test
  void aStreamHasCaughtUpWhenItHasEverythingThatTheLogHeld() throws Exception {
    // Given
    for (int i = 0; i < 200; i++) {
      pool.tokens(sent, 1, i, "t" + i + " ");
    }

    // When a reader attaches whose buffer does not hold all that
    ReplyStream attached = attach(AttachOptions.standard());
    List<ReplyEvent> events = new ArrayList<>();
    await().until(() -> isReadToTheStoredEnd(attached, events));

    // Then
    assertThat(events).hasSize(200);
  }

  /** Reads what is there; returns whether it was all that the log held. */
  private static boolean isReadToTheStoredEnd(ReplyStream attached, List<ReplyEvent> events)
      throws Exception {
    while (true) {
      boolean isAll = attached.isCaughtUp();
      try {
        attached.next(Duration.ZERO).ifPresent(events::add);
      } catch (TimeoutException e) {
        return isAll;
      }
    }
  }

  private ReplyHeaders tokens(int index) {
    return MockPool.headers(sent, ReplyKind.TOKENS, 1, "lease-1", index, 1);
  }

  private ReplyHeaders end(int index) {
    return MockPool.headers(sent, ReplyKind.FINAL, 1, "lease-1", index, 0);
  }

  @Test
  void anUnknownIdIsSaidToBeUnknownOncePatienceIsOver() throws Exception {
    // Given
    ReplyStream attached =
        pool.client.attach(
            "no-such-request", AttachOptions.standard().waiting(Duration.ofSeconds(3)));

    // When
    pool.passTime(Duration.ofSeconds(4));

    // Then
    ReplyEvent.Failed failed = failure(attached);
    assertThat(failed.kind()).isEqualTo(ErrorKind.REQUEST_NOT_FOUND);
    assertThat(failed.message())
        .startsWith("no reply to request no-such-request on partition ")
        .contains("of sluice.replies: check the id");
  }

  @Test
  void anIdOfTheFarFutureIsSaidToBeUnknownOncePatienceIsOver() throws Exception {
    // Given
    ReplyStream attached =
        pool.client.attach("ffffffff-ffff-7fff-bfff-ffffffffffff", AttachOptions.standard());

    // When
    pool.passTime(Duration.ofSeconds(66));

    // Then
    assertThat(failure(attached).kind()).isEqualTo(ErrorKind.REQUEST_NOT_FOUND);
  }

  @Test
  void aReaderWaitsForARequestThatStillWaits() throws Exception {
    // Given
    ReplyStream attached = attach(AttachOptions.standard().waiting(Duration.ofMinutes(1)));
    pool.passTime(Duration.ofSeconds(50));

    // When
    pool.tokens(sent, 1, 0, "late");
    pool.finish(sent, 1, 1);

    // Then
    assertThat(textOf(drain(attached))).isEqualTo("late");
  }

  @Test
  void aPointerIsFollowed() throws Exception {
    // Given
    var elsewhere = pool.elsewhere();
    pool.write(
        ReplyHeaders.of(sent.requestId(), ReplyKind.POINTER, 0, "none", 0),
        "{\"reply_to\":\"sluice.replies\",\"reply_partition\":%d}"
            .formatted(elsewhere.partition()));
    pool.write(
        elsewhere, MockPool.headers(sent, ReplyKind.TOKENS, 1, "l", 0, 1), chunk("over there"));
    pool.write(
        elsewhere,
        MockPool.headers(sent, ReplyKind.ERROR, 1, "l", 1, 0),
        "{\"error\":{\"code\":\"cancelled\",\"message\":\"enough\"}}");

    // Then
    assertThat(textOf(drain(attach(AttachOptions.standard())))).isEqualTo("over there");
  }

  @Test
  void aReplyAddressThatCannotBeIsRefused() {
    assertThatThrownBy(
            () ->
                attach(AttachOptions.standard().on(Optional.of("elsewhere"), OptionalInt.empty())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'elsewhere' is not a reply topic");
    assertThatThrownBy(
            () -> attach(AttachOptions.standard().on(Optional.empty(), OptionalInt.of(4))))
        .hasMessage("topic sluice.replies has no partition 4: it has 4");
    assertThatThrownBy(
            () ->
                attach(
                    AttachOptions.standard()
                        .on(Optional.of("sluice.replies.other"), OptionalInt.empty())))
        .hasMessage("reply topic 'sluice.replies.other' does not exist");
    assertThatThrownBy(() -> AttachOptions.standard().from(-1)).hasMessageContaining("index 0");
  }

  @Test
  void anAttachedStreamEndsWithItsClient() throws Exception {
    // Given
    ReplyStream attached = attach(AttachOptions.standard());

    // When
    pool.client.close();

    // Then
    assertThat(failure(attached).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
  }

  @Test
  void anAttachedStreamThatIsClosedIsReadNoMore() {
    // Given
    ReplyStream attached = attach(AttachOptions.standard());

    // When
    attached.close();

    // Then
    assertThat(MockPool.folded(attached).isEnded()).isTrue();
    await().until(() -> attached.answer().isCompletedExceptionally());
    assertThat(pool.producer.history()).hasSize(1);
  }

  private ReplyStream attach(AttachOptions options) {
    return pool.client.attach(sent.requestId(), options);
  }

  private static ReplyEvent.Failed failure(ReplyStream stream) throws Exception {
    return (ReplyEvent.Failed) drain(stream).getLast();
  }
}
