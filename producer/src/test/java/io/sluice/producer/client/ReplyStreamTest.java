package io.sluice.producer.client;

import static io.sluice.producer.client.MockPool.drain;
import static io.sluice.producer.client.MockPool.streamed;
import static io.sluice.producer.client.MockPool.textOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyStreamTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  @Test
  void tokensComeInOrderAndEndWithTheWholeAnswer() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed());
    pool.tokens(stream, 1, 0, "Hel");
    pool.tokens(stream, 1, 1, "lo", " you");
    pool.finish(stream, 1, 3);

    // When
    pool.read();

    // Then
    List<ReplyEvent> events = drain(stream);
    assertThat(events).hasSize(3);
    assertThat(textOf(events)).isEqualTo("Hello you");
    assertThat(events.get(1))
        .isInstanceOfSatisfying(
            ReplyEvent.Tokens.class,
            tokens -> {
              assertThat(tokens.index()).isEqualTo(1);
              assertThat(tokens.count()).isEqualTo(2);
              assertThat(tokens.latencyMillis()).hasValue(11);
              assertThat(tokens.worker()).contains("w1");
              assertThat(tokens.json()).contains("\"lo you\"");
            });
    Answer answer = stream.answer().get(10, TimeUnit.SECONDS);
    assertThat(events.getLast())
        .isInstanceOfSatisfying(
            ReplyEvent.Completed.class, end -> assertThat(end.answer()).isEqualTo(answer));
    assertThat(answer.text()).isEqualTo("Hello you");
    assertThat(answer.finishReason()).isEqualTo("stop");
    assertThat(answer.usage()).isEqualTo(Usage.of(3, 3));
    assertThat(answer.firstTokenMillis()).hasValue(10);
    assertThat(Json.tree(answer.json().getBytes(StandardCharsets.UTF_8)).path("object").asText())
        .isEqualTo("chat.completion");
  }

  @Test
  void aStreamWithoutTheWholeAnswerHasAllTokensAndTheUsage() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed().withoutWholeAnswer());
    pool.tokens(stream, 1, 0, "Hel");
    pool.tokens(stream, 1, 1, "lo", " you");
    pool.finish(stream, 1, 3);

    // When
    pool.read();

    // Then
    assertThat(textOf(drain(stream))).isEqualTo("Hello you");
    Answer answer = stream.answer().get(10, TimeUnit.SECONDS);
    assertThat(answer.finishReason()).isEqualTo("stop");
    assertThat(answer.usage()).isEqualTo(Usage.of(3, 3));
    assertThat(answer.worker()).contains("w1");
    assertThat(answer.json()).doesNotContain("Hello", "lo you");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStreamWithoutTheWholeAnswerDecodesTokensWhenTheirTextIsRead(boolean whole)
      throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(whole ? streamed() : streamed().withoutWholeAnswer());
    pool.tokens(stream, 1, 0, "lo", " you");

    // When
    pool.read();

    // Then
    assertThat(stream.next(Duration.ofSeconds(10)))
        .get()
        .isInstanceOfSatisfying(
            ReplyEvent.Tokens.class,
            tokens -> {
              assertThat(tokens.decodedText().isPresent()).isEqualTo(whole);
              assertThat(tokens.text()).isEqualTo("lo you");
            });
  }

  @Test
  void aStreamIsAcceptedOnceKafkaHasItsRequest() {
    // Given
    MockPool pool = new MockPool(ClientConfig.at("kafka:1"), false);
    ReplyStream stream = pool.submit(streamed());
    boolean isAcceptedAtOnce = stream.isAccepted();

    // When
    pool.producer.completeNext();

    // Then
    assertThat(isAcceptedAtOnce).isFalse();
    assertThat(stream.isAccepted()).isTrue();
  }

  @Test
  void aStreamWhoseRequestKafkaRefusesIsNeverAccepted() {
    // Given
    MockPool pool = new MockPool(ClientConfig.at("kafka:1"), false);
    ReplyStream stream = pool.submit(streamed());

    // When
    pool.producer.errorNext(new org.apache.kafka.common.errors.TimeoutException("expired"));

    // Then
    assertThat(stream.isAccepted()).isFalse();
    assertThat(MockPool.folded(stream).isEnded()).isTrue();
  }

  @Test
  void tokensAreCountedWhileTheyArriveAndRepeatsAreNot() {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed());
    pool.tokens(stream, 1, 0, "Hel");
    pool.tokens(stream, 1, 1, "lo", " you");
    pool.tokens(stream, 1, 1, "lo", " you");

    // When
    pool.read();

    // Then
    assertThat(stream.tokensRead()).isEqualTo(3);
  }

  @Test
  void interleavedStreamsDoNotMix() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream one = pool.submit(streamed());
    ReplyStream two = pool.submit(streamed());
    pool.tokens(one, 1, 0, "1a");
    pool.tokens(two, 1, 0, "2a");
    pool.tokens(one, 1, 1, "1b");
    pool.finish(one, 1, 2);
    pool.tokens(two, 1, 1, "2b");
    pool.finish(two, 1, 2);

    // When
    pool.read();

    // Then
    assertThat(textOf(drain(one))).isEqualTo("1a1b");
    assertThat(textOf(drain(two))).isEqualTo("2a2b");
  }

  @Test
  void anUnstreamedAnswerIsTheFinalRecordItself() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed().with("stream", false));
    String whole =
        "{\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
            + "\"assistant\",\"content\":\"all of it\"},\"finish_reason\":\"length\"}],"
            + "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":3},\"x\":null}";
    pool.tokens(stream, 1, 0, "all");
    pool.write(MockPool.headers(stream, ReplyKind.FINAL, 1, "lease-1", 1, 0), whole);

    // When
    pool.read();

    // Then
    Answer answer = stream.answer().get(10, TimeUnit.SECONDS);
    assertThat(answer.json()).isEqualTo(whole);
    assertThat(answer.text()).isEqualTo("all of it");
    assertThat(answer.usage().completionTokens()).isEqualTo(3);
  }

  @Test
  void aResumedStreamGoesOnAndIgnoresTheStraggler() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed());
    pool.tokens(stream, 1, 0, "a", "b");
    pool.claim(stream, 2, ClaimMode.RESUME);
    pool.tokens(stream, 1, 2, "STRAGGLER");
    pool.tokens(stream, 2, 2, "c");
    pool.finish(stream, 1, 3);
    pool.finish(stream, 2, 3);

    // When
    pool.read();

    // Then
    List<ReplyEvent> events = drain(stream);
    assertThat(textOf(events)).isEqualTo("abc");
    assertThat(events).contains(new ReplyEvent.Resumed(2, 2, java.util.Optional.of("w2")));
    assertThat(stream.answer().get(10, TimeUnit.SECONDS).attempts()).isEqualTo(2);
  }

  @Test
  void aRestartVoidsWhatCameBefore() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed());
    pool.tokens(stream, 1, 0, "old");
    pool.claim(stream, 2, ClaimMode.RESTART);
    pool.tokens(stream, 2, 0, "new");
    pool.finish(stream, 2, 1);

    // When
    pool.read();

    // Then
    List<ReplyEvent> events = drain(stream);
    assertThat(events).contains(new ReplyEvent.Restarted(2, 1, java.util.Optional.of("w2")));
    assertThat(textOf(events)).isEqualTo("new");
    assertThat(stream.answer().get(10, TimeUnit.SECONDS).text()).isEqualTo("new");
  }

  @Test
  void anErrorIsTheLastEventAndFailsTheAnswer() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed());
    pool.error(
        stream,
        1,
        new String(
            ErrorKind.OVERLOADED.toJson("all workers are busy", OptionalLong.of(1500)),
            StandardCharsets.UTF_8));
    pool.tokens(stream, 1, 0, "late");

    // When
    pool.read();

    // Then
    List<ReplyEvent> events = drain(stream);
    assertThat(events)
        .singleElement()
        .isInstanceOfSatisfying(
            ReplyEvent.Failed.class,
            failed -> {
              assertThat(failed.kind()).isEqualTo(ErrorKind.OVERLOADED);
              assertThat(failed.message()).isEqualTo("all workers are busy");
              assertThat(failed.retryAfterMillis()).hasValue(1500);
            });
    assertThatThrownBy(() -> stream.answer().get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(RequestFailedException.class)
        .hasMessageContaining("overloaded: all workers are busy");
  }

  @Test
  void aSlowReaderDetachesAndStillHasEveryTokenOnce() throws Exception {
    // Given: a buffer of four events, and nobody who reads
    MockPool pool = new MockPool(ClientConfig.at("kafka:1").withBufferedEvents(4));
    ReplyStream slow = pool.submit(streamed());
    ReplyStream neighbour = pool.submit(streamed());
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      pool.tokens(slow, 1, i, "t" + i + " ");
      expected.append("t").append(i).append(" ");
      if (i == 20) {
        pool.claim(slow, 2, ClaimMode.RESUME);
        pool.tokens(slow, 1, "straggler", i + 1, "STRAGGLER");
        pool.tokens(slow, 2, 21, "x ");
        expected.append("x ");
        break;
      }
    }
    for (int i = 22; i < 40; i++) {
      pool.tokens(slow, 2, i, "u" + i + " ");
      expected.append("u").append(i).append(" ");
    }
    pool.tokens(neighbour, 1, 0, "prompt");
    pool.finish(neighbour, 1, 1);
    pool.finish(slow, 2, 40);

    // When
    pool.read();

    // Then: the neighbour and the whole answer are there before the slow reader has read anything
    assertThat(textOf(drain(neighbour))).isEqualTo("prompt");
    assertThat(slow.answer().get(10, TimeUnit.SECONDS).text()).isEqualTo(expected.toString());
    List<ReplyEvent> events = drain(slow);
    assertThat(textOf(events)).isEqualTo(expected.toString());
    assertThat(events.getLast()).isInstanceOf(ReplyEvent.Completed.class);
    assertThat(events).filteredOn(ReplyEvent.Resumed.class::isInstance).hasSize(1);
    assertThat(pool.rereading).isNotEmpty();
    pool.client.close();
  }

  @Test
  void aReaderThatCaughtUpReadsLiveAgain() throws Exception {
    // Given: a stream that has detached
    MockPool pool = new MockPool(ClientConfig.at("kafka:1").withBufferedEvents(2));
    ReplyStream stream = pool.submit(streamed());
    for (int i = 0; i < 5; i++) {
      pool.tokens(stream, 1, i, "t" + i);
    }
    pool.read();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      text.append(((ReplyEvent.Tokens) stream.next(SOON).orElseThrow()).text());
    }
    assertThat(text).hasToString("t0t1t2t3t4");

    // When
    pool.tokens(stream, 1, 5, "live");
    pool.finish(stream, 1, 6);
    pool.read();

    // Then
    assertThat(textOf(drain(stream))).isEqualTo("live");
    pool.client.close();
  }

  @Test
  void aDetachedStreamWhoseRecordsAreGoneEndsAsTruncated() throws Exception {
    // Given: a detached stream, of which Kafka has deleted the unread part
    MockPool pool = new MockPool(ClientConfig.at("kafka:1").withBufferedEvents(1));
    ReplyStream stream = pool.submit(streamed());
    pool.tokens(stream, 1, 0, "a");
    pool.tokens(stream, 1, 1, "b");
    pool.tokens(stream, 1, 2, "c");
    pool.read();
    pool.forgetBefore(102);

    // When
    List<ReplyEvent> events = drain(stream);

    // Then
    assertThat(textOf(events)).isEqualTo("a");
    assertThat(events.getLast())
        .isInstanceOfSatisfying(
            ReplyEvent.Failed.class,
            failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.REPLY_TRUNCATED));
    pool.client.close();
  }

  @Test
  void aPointerLeadsToTheFirstRequestsAnswer() throws Exception {
    // Given: a repeat whose first request was answered on another partition
    MockPool pool = new MockPool();
    int home = pool.client.reader().home().partition();
    String id = RequestId.nextOn(home, MockPool.PARTITIONS);
    TopicPartition elsewhere = new TopicPartition("sluice.replies.other", 3);
    ReplyStream stream = pool.submit(streamed().requestId(id));
    pool.write(
        elsewhere,
        MockPool.headers(stream, ReplyKind.TOKENS, 1, "lease-1", 0, 1),
        MockPool.chunk("first"));
    pool.write(
        elsewhere,
        MockPool.headers(stream, ReplyKind.FINAL, 1, "lease-1", 1, 0),
        MockPool.chunk(""));
    ReplyPointer pointer =
        new ReplyPointer(
            new ReplyAddress(elsewhere.topic(), elsewhere.partition()),
            OptionalLong.of(100),
            OptionalLong.empty());
    pool.write(
        ReplyHeaders.of(id, ReplyKind.POINTER, 0, "-", 0),
        new String(pointer.toJson(), StandardCharsets.UTF_8));

    // When
    pool.read();

    // Then
    assertThat(textOf(drain(stream))).isEqualTo("first");
    assertThat(stream.answer().get(10, TimeUnit.SECONDS).text()).isEqualTo("first");
    pool.client.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"offset\":100}", "{\"since\":1789999000000}", "{}"})
  void whoSendsARequestAgainReadsTheWholeAnswerThoughItWasGivenBefore(String known)
      throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream first = pool.submit(streamed());
    pool.tokens(first, 1, 0, "Hel");
    pool.tokens(first, 1, 1, "lo");
    pool.finish(first, 1, 2);
    pool.read();
    drain(first);

    // When
    ReplyStream again = pool.submit(streamed().requestId(first.requestId()));
    pool.write(
        ReplyHeaders.of(again.requestId(), ReplyKind.POINTER, 0, "-", 0), pointerTo(pool, known));
    pool.read();

    // Then
    assertThat(textOf(drain(again))).isEqualTo("Hello");
    pool.client.close();
  }

  @Test
  void whoSendsARequestAgainWhileItWaitsReadsItsAnswerOnce() throws Exception {
    // Given: the pointer comes before the answer, which is read live and a second time
    MockPool pool = new MockPool();
    ReplyStream again = pool.submit(streamed());
    String pointer = pointerTo(pool, "{}");
    pool.write(ReplyHeaders.of(again.requestId(), ReplyKind.POINTER, 0, "-", 0), pointer);
    pool.write(ReplyHeaders.of(again.requestId(), ReplyKind.POINTER, 0, "-", 0), pointer);
    pool.tokens(again, 1, 0, "here");
    pool.finish(again, 1, 1);

    // When
    pool.read();

    // Then
    assertThat(textOf(drain(again))).isEqualTo("here");
    pool.client.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"offset\":100}", "{}"})
  void whoSendsARequestAgainWhileItIsAnsweredReadsTheWholeAnswer(String known) throws Exception {
    // Given a reader that left in the middle
    MockPool pool = new MockPool();
    ReplyStream first = pool.submit(streamed());
    pool.tokens(first, 1, 0, "Hel");
    pool.read();
    first.close();

    // When tokens of the same attempt come before the pointer
    ReplyStream again = pool.submit(streamed().requestId(first.requestId()));
    pool.tokens(again, 1, 1, "l");
    pool.write(
        ReplyHeaders.of(again.requestId(), ReplyKind.POINTER, 0, "-", 0), pointerTo(pool, known));
    pool.tokens(again, 1, 2, "o");
    pool.finish(again, 1, 3);
    pool.read();

    // Then
    assertThat(textOf(drain(again))).isEqualTo("Hello");
    pool.client.close();
  }

  /** Returns a pointer to the partition that the client reads. */
  private static String pointerTo(MockPool pool, String known) throws IOException {
    TopicPartition home = pool.client.reader().home();
    ObjectNode pointer = (ObjectNode) Json.tree(known.getBytes(StandardCharsets.UTF_8));
    return Json.text(
        pointer.put("reply_to", home.topic()).put("reply_partition", home.partition()));
  }

  @Test
  void aRequestWhoseIdAnotherTenantUsesIsRefusedWhateverThatOnesAnswerHolds() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed().tenant("b"));
    pool.tokens(stream, 1, 7, "not", "ours");

    // When
    pool.refuse(stream, "b");
    pool.read();

    // Then
    assertThat(drain(stream))
        .singleElement()
        .isInstanceOfSatisfying(
            ReplyEvent.Failed.class,
            failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.REQUEST_ID_IN_USE));
  }

  @Test
  void theRefusalOfAnotherTenantsRequestOfTheSameIdIsIgnored() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed().tenant("a"));

    // When
    pool.refuse(stream, "b");
    pool.tokens(stream, 1, 0, "ours");
    pool.refuse(stream, "b");
    pool.finish(stream, 1, 1);
    pool.read();

    // Then
    assertThat(textOf(drain(stream))).isEqualTo("ours");
  }

  @Test
  void theTimeOfARequestBeginsWhenKafkaHasIt() throws Exception {
    // Given a Kafka that takes 25 s
    MockPool pool = new MockPool(ClientConfig.at("kafka:1"), false);
    ReplyStream stream = pool.submit(streamed().timeout(Duration.ofSeconds(20)));
    pool.passTime(Duration.ofSeconds(25));
    pool.producer.completeNext();

    // When
    pool.passTime(Duration.ofSeconds(29));
    pool.tokens(stream, 1, 0, "late");
    pool.finish(stream, 1, 1);
    pool.read();

    // Then
    assertThat(textOf(drain(stream))).isEqualTo("late");
  }

  @Test
  void aFailureOfKafkaThatPassesEndsNoStream() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed());
    pool.consumer.setPollException(new SaslAuthenticationException("credentials are changed"));
    pool.read();

    // When
    pool.tokens(stream, 1, 0, "Hello");
    pool.finish(stream, 1, 1);
    pool.read();

    // Then
    assertThat(textOf(drain(stream))).isEqualTo("Hello");
    assertThat(pool.client.isClosed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, Long.MAX_VALUE})
  void anInvalidDeadlineIsRefused(long millis) {
    assertThatThrownBy(() -> streamed().deadline(Instant.ofEpochMilli(millis)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void silenceEndsSomeTimeAfterTheDeadline() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed().timeout(Duration.ofSeconds(20)));
    pool.passTime(Duration.ofSeconds(29));
    pool.read();
    assertThatThrownBy(() -> stream.next(Duration.ofMillis(1)))
        .isInstanceOf(TimeoutException.class);

    // When
    pool.passTime(Duration.ofSeconds(2));
    pool.read();

    // Then
    assertThat(drain(stream))
        .singleElement()
        .isInstanceOfSatisfying(
            ReplyEvent.Failed.class,
            failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED));
  }

  @Test
  void overdueStreamsAreLookedForEveryTenMilliseconds() throws Exception {
    // Given a stream that becomes overdue just after the reader has looked for such streams
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed().timeout(Duration.ofSeconds(20)));
    pool.passTime(Duration.ofMillis(29_999));
    pool.read();
    pool.passTime(Duration.ofMillis(2));
    pool.read();
    assertThatThrownBy(() -> stream.next(Duration.ofMillis(1)))
        .isInstanceOf(TimeoutException.class);

    // When
    pool.passTime(Duration.ofMillis(8));
    pool.read();

    // Then
    assertThat(stream.next(Duration.ofSeconds(10))).get().isInstanceOf(ReplyEvent.Failed.class);
  }

  @Test
  void cancellingTellsThePoolOnTheRequestsPartition() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed().conversationId("talk"));

    // When
    stream.cancel();
    assertThat(MockPool.folded(stream).tryCancel()).succeedsWithin(Duration.ofSeconds(10));

    // Then
    assertThat(pool.producer.history()).hasSize(2);
    var control = pool.lastSent();
    assertThat(control.topic()).isEqualTo(Topics.CONTROL);
    assertThat(control.partition()).isEqualTo(Partitions.of("talk", MockPool.PARTITIONS));
    assertThat(Control.parse(control.value())).contains(new Control.Cancel(stream.requestId()));
  }

  @Test
  void anUnconfirmedCancelEndsTheStreamAnyway() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed().timeout(Duration.ofHours(1)));
    assertThat(MockPool.folded(stream).tryCancel()).succeedsWithin(Duration.ofSeconds(10));

    // When
    pool.passTime(Duration.ofSeconds(11));
    pool.read();

    // Then
    assertThat(drain(stream))
        .singleElement()
        .isInstanceOfSatisfying(
            ReplyEvent.Failed.class,
            failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.CANCELLED));
  }

  @Test
  void aRequestGoesToItsLaneWithItsHeaders() {
    // Given
    MockPool pool = new MockPool();

    // When
    ReplyStream stream =
        pool.submit(
            streamed()
                .tier("fast")
                .tenant("acme")
                .timeout(Duration.ofSeconds(5))
                .sloTtft(Duration.ofMillis(1_500))
                .conversationId("c"));

    // Then
    var sent = pool.lastSent();
    assertThat(sent.topic()).isEqualTo("sluice.requests.2k");
    assertThat(sent.key()).isEqualTo("c");
    assertThat(HeaderText.get(sent.headers(), HeaderNames.REQUEST_ID)).contains(stream.requestId());
    assertThat(HeaderText.get(sent.headers(), HeaderNames.TIER)).contains("fast");
    assertThat(HeaderText.get(sent.headers(), HeaderNames.TENANT)).contains("acme");
    assertThat(HeaderText.getLong(sent.headers(), HeaderNames.TIMEOUT_MS)).hasValue(5000);
    assertThat(HeaderText.getLong(sent.headers(), HeaderNames.SLO_TTFT_MS)).hasValue(1_500);
    assertThat(HeaderText.get(sent.headers(), HeaderNames.REPLY_PARTITION)).isEmpty();
    assertThat(Partitions.of(stream.requestId(), MockPool.PARTITIONS))
        .isEqualTo(pool.client.reader().home().partition());
  }

  @Test
  void aLongPromptGoesToALongLaneAndBulkToTheBulkTopic() {
    // Given
    MockPool pool = new MockPool();
    byte[] body = Json.bytes(java.util.Map.of("model", "m", "prompt", "many words ".repeat(5_000)));

    // When, Then
    pool.submit(InferenceRequest.of(Endpoint.COMPLETIONS, body));
    assertThat(pool.lastSent().topic()).isEqualTo("sluice.requests.32k");
    ReplyStream bulk =
        pool.submit(InferenceRequest.of(Endpoint.COMPLETIONS, body).priority(Priority.BULK));
    assertThat(pool.lastSent().topic()).isEqualTo("sluice.bulk");
    assertThat(pool.lastSent().key()).isEqualTo(bulk.requestId());
    assertThat(pool.lastSent().value()).isEqualTo(body);
  }

  @Test
  void anIdOfTheCallersOwnNamesTheReplyPartition() {
    // Given
    MockPool pool = new MockPool();
    int home = pool.client.reader().home().partition();
    String foreign = RequestId.nextOn((home + 1) % MockPool.PARTITIONS, MockPool.PARTITIONS);

    // When
    pool.submit(streamed().requestId(foreign));

    // Then
    assertThat(HeaderText.getInt(pool.lastSent().headers(), HeaderNames.REPLY_PARTITION))
        .hasValue(home);
    assertThatThrownBy(() -> pool.submit(streamed().requestId(foreign)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is already in flight");
  }

  @Test
  void submittingWaitsForAPlaceAndSaysWhenThereIsNone() throws Exception {
    // Given
    MockPool pool =
        new MockPool(
            ClientConfig.at("kafka:1")
                .withMaxInFlight(1)
                .withTimeouts(SOON, Duration.ofMillis(1), SOON));
    ReplyStream first = pool.submit(streamed());
    assertThatThrownBy(() -> pool.submit(streamed()))
        .isInstanceOfSatisfying(
            ClientException.class, e -> assertThat(e.kind()).isEqualTo(ClientException.Kind.BUSY));

    // When
    pool.finish(first, 1, 0);
    pool.read();

    // Then
    ReplyStream second = pool.submit(streamed());
    assertThat(second.requestId()).isNotEqualTo(first.requestId());
  }

  @Test
  void aRequestThatKafkaDoesNotTakeFails() throws Exception {
    // Given
    MockPool pool = new MockPool(ClientConfig.at("kafka:1"), false);
    ReplyStream stream = pool.submit(streamed());

    // When
    pool.producer.errorNext(new org.apache.kafka.common.errors.TimeoutException("expired"));

    // Then
    assertThat(drain(stream))
        .singleElement()
        .isInstanceOfSatisfying(
            ReplyEvent.Failed.class,
            failed -> {
              assertThat(failed.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
              assertThat(failed.message()).contains("kafka:1", "expired");
            });
  }

  @Test
  void closingEndsWhatIsInFlightAndRefusesMore() throws Exception {
    // Given
    MockPool pool = new MockPool();
    ReplyStream stream = pool.submit(streamed());
    pool.client.reader().start();

    // When
    pool.client.close();

    // Then
    assertThat(drain(stream)).singleElement().isInstanceOf(ReplyEvent.Failed.class);
    assertThatThrownBy(() -> pool.submit(streamed()))
        .isInstanceOf(ClientException.class)
        .hasMessageContaining("closed");
  }
}
