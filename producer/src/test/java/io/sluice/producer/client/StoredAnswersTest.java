package io.sluice.producer.client;

import static io.sluice.producer.client.MockPool.streamed;
import static io.sluice.producer.client.MockPool.textOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyKind;
import io.sluice.producer.ClientException;
import io.sluice.producer.reply.AnswerPlace;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.StoredAnswer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads what is there of an answer, and sends requests whose answers others read. */
class StoredAnswersTest {
  private final MockPool pool = new MockPool();

  @AfterEach
  void close() {
    pool.client.close();
  }

  @Test
  void aReadingOfARunningAnswerEndsAtThePresentEndOfTheLog() throws Exception {
    // Given
    ReplyStream sent = pool.submit(streamed());
    pool.tokens(sent, 1, 0, "one ", "two ");
    pool.tokens(sent, 1, 2, "three");

    // When
    List<ReplyEvent> events = read(sent.requestId());

    // Then
    assertThat(textOf(events)).isEqualTo("one two three");
    assertThat(events).hasSize(2).noneMatch(ReplyEvent.Terminal.class::isInstance);
  }

  @Test
  void aReadingOfAnEndedAnswerHasTheEventsOfAnAttachedReader() throws Exception {
    // Given
    ReplyStream sent = pool.submit(streamed());
    pool.tokens(sent, 1, 0, "lost");
    pool.claim(sent, 2, ClaimMode.RESTART);
    pool.tokens(sent, 2, 0, "one ");
    pool.claim(sent, 3, ClaimMode.RESUME);
    pool.tokens(sent, 3, 1, "two");
    pool.finish(sent, 3, 2);
    ReplyStream other = pool.submit(streamed());
    pool.tokens(other, 1, 0, "of another request");

    // When
    List<ReplyEvent> events = read(sent.requestId());

    // Then
    ReplyStream attached = pool.client.attach(sent.requestId(), AttachOptions.standard());
    assertThat(events).isEqualTo(MockPool.drain(attached));
    assertThat(events.getLast()).isInstanceOf(ReplyEvent.Completed.class);
  }

  @Test
  void theEndTellsWhatTheTokensLackOfAnAnswerThatWasNotStreamed() throws Exception {
    // Given
    ReplyStream sent = pool.submit(streamed());
    pool.tokens(sent, 1, 0, "begun ");
    String json =
        "{\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"content\":\"begun and done\"}}]}";
    pool.write(MockPool.headers(sent, ReplyKind.FINAL, 1, "lease-1", 1, 0), json);

    // When
    ReplyEvent.Completed end = (ReplyEvent.Completed) read(sent.requestId()).getLast();

    // Then
    assertThat(end.json()).isEqualTo(json);
    assertThat(end.asStreamed().json())
        .isEqualTo(
            "{\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"and done\"}}]}");
  }

  @Test
  void anAnswerWithoutRecordsHasNoEvents() throws Exception {
    assertThat(read(RequestId.next())).isEmpty();
  }

  @Test
  void anAnswerWhoseBeginningIsGoneIsTruncated() throws Exception {
    // Given
    ReplyStream sent = pool.submit(streamed());
    pool.tokens(sent, 1, 0, "one ");
    pool.tokens(sent, 1, 1, "two");
    pool.forgetBefore(101);

    // When
    List<ReplyEvent> events = read(sent.requestId());

    // Then
    assertThat(events)
        .singleElement()
        .isInstanceOfSatisfying(
            ReplyEvent.Failed.class,
            failed -> {
              assertThat(failed.kind()).isEqualTo(ErrorKind.REPLY_TRUNCATED);
              assertThat(failed.isLocal()).isTrue();
            });
  }

  @Test
  void anAnswerIsReadAgainAtThePlaceWhereItWasFound() throws Exception {
    // Given
    ReplyStream sent = pool.submit(streamed());
    pool.tokens(sent, 1, 0, "one ");
    ReplyStream other = pool.submit(streamed());
    pool.tokens(other, 1, 0, "of another request");
    pool.finish(sent, 1, 1);
    StoredAnswer found = pool.client.read(sent.requestId()).get(10, TimeUnit.SECONDS);

    // When
    Optional<StoredAnswer> again = readAt(sent.requestId(), found.place());

    // Then
    assertThat(found.place())
        .isEqualTo(new AnswerPlace(OptionalLong.of(100), OptionalLong.of(102)));
    assertThat(again).contains(found);
  }

  @Test
  void anAnswerThatHasNotEndedIsReadFromItsPlaceToTheEndOfTheLog() throws Exception {
    // Given
    AnswerPlace place = pool.client.nextPlace();
    ReplyStream sent = pool.submit(streamed());
    pool.tokens(sent, 1, 0, "one ");

    // When
    StoredAnswer found = readAt(sent.requestId(), place).orElseThrow();

    // Then
    assertThat(textOf(found.events())).isEqualTo("one ");
    assertThat(found.place())
        .isEqualTo(new AnswerPlace(OptionalLong.of(100), OptionalLong.empty()));
  }

  @Test
  void anAnswerIsNotTakenForWholeAtAWrongPlace() throws Exception {
    // Given
    ReplyStream sent = pool.submit(streamed());
    pool.tokens(sent, 1, 0, "one ");
    pool.tokens(sent, 1, 1, "two");
    pool.finish(sent, 1, 2);

    // Then
    assertThat(readAt(sent.requestId(), place(101, 102))).isEmpty();
    assertThat(readAt(sent.requestId(), place(100, 1_000))).isPresent();
    assertThat(readAt(RequestId.next(), place(100, 102))).isEmpty();
  }

  @Test
  void aSentRequestKnowsWhereItsAnswerEnds() {
    // Given
    ReplyStream sent = pool.submit(streamed());
    pool.tokens(sent, 1, 0, "one ");
    pool.read();
    assertThat(sent.endOffset()).isEmpty();

    // When
    pool.finish(sent, 1, 1);
    pool.read();

    // Then
    assertThat(sent.endOffset()).hasValue(101);
    assertThat(pool.client.nextPlace().from()).hasValue(102);
  }

  @Test
  void aPostedRequestIsAnsweredWhereItsIdLeads() throws Exception {
    // Given an id of a partition that the client does not read
    String id = RequestId.nextOn(pool.elsewhere().partition(), MockPool.PARTITIONS);

    // When
    String posted = pool.client.post(streamed().requestId(id).build()).get(10, TimeUnit.SECONDS);

    // Then
    ProducerRecord<String, byte[]> record = pool.lastSent();
    assertThat(posted).isEqualTo(id);
    assertThat(record.topic()).startsWith("sluice.requests.");
    assertThat(record.headers().lastHeader("reply-to")).isNull();
    assertThat(record.headers().lastHeader("reply-partition")).isNull();
  }

  @Test
  void aNewIdLeadsToThePartitionThatTheClientReads() {
    assertThat(Partitions.of(pool.client.newRequestId(), MockPool.PARTITIONS))
        .isEqualTo(pool.client.reader().home().partition());
    assertThat(pool.client.reader().home().topic()).isEqualTo(Topics.REPLIES);
  }

  @Test
  void aClosedClientReadsAndPostsNothing() {
    pool.client.close();

    assertThatThrownBy(() -> pool.client.read("id")).isInstanceOf(ClientException.class);
    assertThatThrownBy(() -> pool.client.post(streamed().build()))
        .isInstanceOf(ClientException.class);
  }

  private static AnswerPlace place(long from, long end) {
    return new AnswerPlace(OptionalLong.of(from), OptionalLong.of(end));
  }

  private Optional<StoredAnswer> readAt(String requestId, AnswerPlace place) throws Exception {
    return pool.client.read(requestId, place).get(10, TimeUnit.SECONDS);
  }

  private List<ReplyEvent> read(String requestId) throws Exception {
    return pool.client.read(requestId).get(10, TimeUnit.SECONDS).events();
  }
}
