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
import io.sluice.producer.ClientException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads what is there of an answer, and sends requests whose answers others read. */
class SnapshotTest {
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

  private List<ReplyEvent> read(String requestId) throws Exception {
    return pool.client.read(requestId).get(10, TimeUnit.SECONDS);
  }
}
