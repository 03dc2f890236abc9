package io.sluice.bench.replay.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.classify.Classifier;
import io.sluice.router.classify.ClassifierRules;
import io.sluice.router.parse.PoolRules;
import io.sluice.router.parse.RequestReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class StoriesTest {
  private static final String LANE = "sluice.requests.8k";
  private static final long START = 1_800_000_000_000L;
  private static final int MOST = 5;
  private static final byte[] NOTHING = new byte[0];

  /** Shared, for it loads a tokenizer. */
  private static final RequestReader READER =
      RequestReader.forPool(
          Lanes.standard(),
          new ModelCatalog(Map.of()),
          new Classifier(
              ClassifierRules.parse("fast,balanced,precise", "150,300", "512,1024", 0.3)),
          PoolRules.STANDARD,
          new KnownTopics(Map.of(Topics.REPLIES, 4)),
          source -> true);

  private final Stories stories = new Stories(READER, MOST);
  private long offset;

  @Test
  void aRequestIsJoinedWithItsDecisionAndItsOutcomes() {
    stories.request(request(LANE, "a", START, chat("word ".repeat(400), 50), Map.of()));

    stories.decision(record(Topics.DECISIONS, "a", START + 7, decision("a", 1, 7)));
    report("a", 1, new Outcome.Accepted(), 10);
    report("a", 1, started(120, 64), 130);
    report("a", 1, completed(410, 33, OptionalInt.of(80)), 900);

    RecordedRequest request = only();
    assertThat(request.arrivalMillis()).isEqualTo(START);
    assertThat(request.happened())
        .isEqualTo(
            new Happened(
                End.ANSWERED,
                OptionalLong.of(120),
                OptionalInt.of(410),
                OptionalInt.of(80),
                OptionalInt.of(33),
                Optional.of("w1"),
                OptionalLong.of(7),
                OptionalLong.of(START + 900)));
    assertThat(request.metadata().promptTokens()).isEqualTo(444);
    assertThat(request.promptTokens()).isEqualTo(410);
    assertThat(request.outputTokens()).isEqualTo(33);
    assertThat(request.prefix().blocks()).isEqualTo(7);
  }

  @Test
  void ofSeveralAttemptsTheFirstTokenAndTheLastEndCount() {
    stories.request(request(LANE, "a", START, chat("hi", 50), Map.of()));

    report("a", 1, started(100, 0), 100);
    report("a", 1, new Outcome.Returned(Outcome.ReturnReason.DRAINING, 5), 200);
    report("a", 2, started(300, 0), 300);
    report("a", 2, completed(10, 20, OptionalInt.empty()), 400);

    assertThat(only().happened().ttftMillis()).hasValue(100);
    assertThat(only().happened().end()).isEqualTo(End.ANSWERED);
  }

  @Test
  void withoutAnAnswerTheOutputIsWhatWasAskedFor() {
    stories.request(request(LANE, "a", START, chat("hi", 50), Map.of()));

    assertThat(only().happened()).isEqualTo(Happened.NOTHING);
    assertThat(only().outputTokens()).isEqualTo(50);
    assertThat(stories.openReplies()).hasSize(1);
    assertThat(stories.firstOpenMillis()).hasValue(START);
  }

  @Test
  void aCancelledRequestIsAsLongAsItGot() {
    stories.request(request(LANE, "a", START, chat("hi", 50), Map.of()));

    report("a", 1, started(100, 0), 100);
    report("a", 1, new Outcome.Progress(12), 2_000);
    report("a", 1, new Outcome.Cancelled(), 2_100);

    assertThat(only().happened().end()).isEqualTo(End.CANCELLED);
    assertThat(only().happened().isComparable()).isFalse();
    assertThat(only().outputTokens()).isEqualTo(12);
  }

  @Test
  void whatOnlyTheReplyTopicTellsIsReadThere() {
    stories.request(request(LANE, "refused", START, chat("hi", 50), Map.of()));
    stories.request(request(LANE, "late", START, chat("hi", 50), Map.of()));
    stories.request(request(LANE, "done", START, chat("hi", 50), Map.of()));
    stories.request(request(LANE, "known", START, chat("hi", 50), Map.of()));
    report("known", 1, completed(9, 9, OptionalInt.empty()), 100);

    stories.reply(reply("refused", ReplyKind.ERROR, ErrorKind.OVERLOADED.toJson("full")));
    stories.reply(reply("late", ReplyKind.ERROR, ErrorKind.DEADLINE_EXCEEDED.toJson("late")));
    byte[] usage = "{\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":22}}".getBytes(UTF_8);
    stories.reply(reply("done", ReplyKind.FINAL, usage));
    stories.reply(reply("known", ReplyKind.ERROR, ErrorKind.OVERLOADED.toJson("full")));
    stories.reply(reply("other", ReplyKind.ERROR, ErrorKind.OVERLOADED.toJson("full")));

    assertThat(byId("refused").happened().end()).isEqualTo(End.REFUSED);
    assertThat(byId("late").happened().end()).isEqualTo(End.FAILED);
    assertThat(byId("done").happened().end()).isEqualTo(End.ANSWERED);
    assertThat(byId("done").promptTokens()).isEqualTo(11);
    assertThat(byId("done").outputTokens()).isEqualTo(22);
    assertThat(byId("known").happened().end()).isEqualTo(End.ANSWERED);
    assertThat(stories.openReplies()).isEmpty();
  }

  @Test
  void theRefusalOfAnIdInUseEndsNoRequest() {
    stories.request(request(LANE, "a", START, chat("hi", 50), Map.of()));

    stories.reply(reply("a", ReplyKind.ERROR, ErrorKind.REQUEST_ID_IN_USE.toJson("taken")));

    assertThat(only().happened().end()).isEqualTo(End.UNKNOWN);
  }

  @Test
  void bulkCountsFromItsArrivalInTheBulkTopic() {
    stories.request(request(Topics.BULK, "a", START, chat("hi", 50), Map.of()));
    stories.request(
        request(LANE, "a", START + 60_000, chat("hi", 50), Map.of(HeaderNames.PRIORITY, "bulk")));

    assertThat(only().parked()).isTrue();
    assertThat(only().isInteractive()).isFalse();
    assertThat(only().arrivalMillis()).isEqualTo(START);
    assertThat(stories.recording(START).repeats()).isZero();
  }

  @Test
  void repeatsAndRequestsThatAreRefusedInAnyCaseAreLeftOutAndCounted() {
    stories.request(request(LANE, "a", START, chat("hi", 50), Map.of()));
    stories.request(request(LANE, "a", START + 1, chat("hi", 50), Map.of()));
    stories.request(request(LANE, "b", START, "not JSON".getBytes(UTF_8), Map.of()));

    Recording recording = stories.recording(START);

    assertThat(recording.requests()).hasSize(1);
    assertThat(recording.repeats()).isEqualTo(1);
    assertThat(recording.invalid()).isEqualTo(1);
  }

  @Test
  void theRouterExpectsWhatItLearnsFromTheEnginesCounts() {
    for (String id : List.of("a", "b", "c", "d", "e")) {
      stories.request(request(LANE, id, START, chat("word ".repeat(400), 50), Map.of()));
    }
    long estimate = byId("e").metadata().promptTokens();

    for (String id : List.of("a", "b", "c", "d", "e")) {
      report(id, 1, completed((int) (2 * estimate), 5, OptionalInt.empty()), 100);
    }

    assertThat(byId("e").metadata().promptTokens()).isEqualTo(2 * estimate);
    assertThat(byId("e").blockTokens()).hasValue(2.0 * byId("e").prefix().tokensPerBlock());
  }

  @Test
  void tooManyRequestsAreOneClearError() {
    for (int i = 0; i < MOST; i++) {
      stories.request(request(LANE, "r" + i, START, chat("hi", 50), Map.of()));
    }

    assertThatThrownBy(
            () -> stories.request(request(LANE, "more", START, chat("hi", 50), Map.of())))
        .hasMessageContaining("more than 5 requests")
        .hasMessageContaining("--most");
  }

  @Test
  void requestsBeforeTheBeginningAreOfTheWarmUp() {
    stories.request(request(LANE, "a", START, chat("hi", 50), Map.of()));
    stories.request(request(LANE, "b", START + 10, chat("hi", 50), Map.of()));

    assertThat(stories.recording(START + 10).measured())
        .extracting(request -> request.metadata().requestId())
        .containsExactly("b");
    assertThat(stories.openReplies())
        .extracting(TopicPartition::topic)
        .containsOnly("sluice.replies");
  }

  private RecordedRequest only() {
    List<RecordedRequest> all = stories.recording(START).requests();
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  private RecordedRequest byId(String id) {
    return stories.recording(START).requests().stream()
        .filter(request -> request.metadata().requestId().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private void report(String id, int attempt, Outcome.Event event, long afterMillis) {
    var lease = new LeaseRef(id, attempt, "lease-" + attempt, "w1", "first");
    stories.outcome(
        record(Topics.OUTCOMES, id, START + afterMillis, new Outcome(lease, event).toJson()));
  }

  private static Outcome.Event started(long ttftMillis, int cached) {
    return new Outcome.Started(
        Topics.REPLIES, 0, 1, OptionalLong.of(ttftMillis), OptionalInt.of(cached));
  }

  private static Outcome.Event completed(int prompt, int output, OptionalInt cached) {
    return new Outcome.Completed("stop", prompt, output, 500, cached);
  }

  private static byte[] decision(String id, int attempt, long waitedMillis) {
    return """
        {"request_id":"%s","attempt":%d,"model":"m","prompt_tokens":444,"output_tokens":50,\
        "waited_millis":%d,"chosen":"w1"}"""
        .formatted(id, attempt, waitedMillis)
        .getBytes(UTF_8);
  }

  private ConsumerRecord<String, byte[]> reply(String id, ReplyKind kind, byte[] value) {
    ConsumerRecord<String, byte[]> record = record(Topics.REPLIES, id, START + 50, value);
    ReplyHeaders.of(id, kind, 1, "lease", 0).writeTo(record.headers());
    return record;
  }

  private ConsumerRecord<String, byte[]> request(
      String topic, String id, long atMillis, byte[] body, Map<String, String> headers) {
    ConsumerRecord<String, byte[]> record = record(topic, id, atMillis, body);
    HeaderText.put(record.headers(), HeaderNames.REQUEST_ID, id);
    headers.forEach((name, value) -> HeaderText.put(record.headers(), name, value));
    return record;
  }

  private ConsumerRecord<String, byte[]> record(
      String topic, String key, long atMillis, byte[] value) {
    return new ConsumerRecord<>(
        topic,
        0,
        offset++,
        atMillis,
        TimestampType.LOG_APPEND_TIME,
        NOTHING.length,
        value.length,
        key,
        value,
        new RecordHeaders(),
        Optional.empty());
  }

  private static byte[] chat(String prompt, int maxTokens) {
    return "{\"model\":\"m\",\"max_tokens\":%d,\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
        .formatted(maxTokens, prompt)
        .getBytes(UTF_8);
  }
}
