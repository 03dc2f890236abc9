package io.sluice.router.request;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.PastAttempt;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.topic.PoolTopics;
import io.sluice.router.classify.Classification;
import io.sluice.router.request.RequestState.Ending;
import io.sluice.router.request.RequestState.Leased;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestState.Started;
import io.sluice.router.schedule.TestRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** What the router stores outlives it: it must read what it wrote, and what a newer one wrote. */
class StoredValuesTest {

  @Provide
  Arbitrary<TrackedRequest> requests() {
    return Combinators.combine(metadata(), histories(), states()).as(TrackedRequest::new);
  }

  @Property(tries = 500)
  void aRequestIsReadAsItWasWritten(@ForAll("requests") TrackedRequest request) {
    // When
    TrackedRequest read = read(request.requestId(), request.toBytes());

    // Then
    assertThat(read.metadata()).isEqualTo(request.metadata());
    assertThat(read.history()).isEqualTo(request.history());
    assertThat(read.state()).usingRecursiveComparison().isEqualTo(request.state());
  }

  @Property(tries = 200)
  void whatANewerRouterAddsIsIgnored(@ForAll("requests") TrackedRequest request)
      throws IOException {
    // Given
    ObjectNode json = (ObjectNode) Json.tree(request.toBytes());
    List.of(json, (ObjectNode) json.get("facts"), (ObjectNode) json.get("state"))
        .forEach(node -> node.put("from_the_future", "x"));

    // When
    TrackedRequest read = read(request.requestId(), Json.bytes(json));

    // Then
    assertThat(read.metadata()).isEqualTo(request.metadata());
    assertThat(read.state()).usingRecursiveComparison().isEqualTo(request.state());
  }

  @Test
  void whatAnOlderRouterDidNotStoreIsEmpty() throws IOException {
    // Given
    RequestMetadata metadata = new TestRequest("r").tiers("fast").fallback("mini").metadata();
    TrackedRequest stored =
        new TrackedRequest(metadata, History.NONE, new Pending(0, Optional.empty()));
    ObjectNode json = (ObjectNode) Json.tree(stored.toBytes());
    ((ObjectNode) json.get("facts")).remove(List.of("classification", "fallback_model"));
    ((ObjectNode) json.get("facts")).put("tier", "precise");
    ((ObjectNode) json.get("history")).remove(List.of("leased_at_millis", "past", "evictions"));

    // When
    TrackedRequest read = read("r", Json.bytes(json));

    // Then
    assertThat(read.metadata().classification()).isEqualTo(Classification.NONE);
    assertThat(read.metadata().fallbackModel()).isEmpty();
    assertThat(read.history()).isEqualTo(History.NONE);
  }

  @Test
  void everyStateHasAStableName() throws IOException {
    // Given
    LeaseRef lease = new LeaseRef("r", 1, "l", "w1", "i");

    // Then
    assertThat(nameOf(new Pending(0, Optional.empty()))).isEqualTo("pending");
    assertThat(nameOf(new Leased(lease))).isEqualTo("leased");
    assertThat(nameOf(new Started(lease))).isEqualTo("started");
    assertThat(nameOf(new Ending(lease, ErrorKind.CANCELLED, "", OptionalLong.empty(), List.of())))
        .isEqualTo("ending");
  }

  @Test
  void nothingIsStoredButTheComponents() throws IOException {
    // Given
    LeaseRef lease = new LeaseRef("r", 1, "l", "w1", "i");
    TrackedRequest stored =
        new TrackedRequest(new TestRequest("r").metadata(), History.NONE, new Leased(lease));

    // When
    JsonNode json = Json.tree(stored.toBytes());

    // Then
    assertThat(names(json)).containsExactly("version", "facts", "history", "state");
    assertThat(names(json.get("history")))
        .containsExactlyInAnyOrder("attempts", "failures", "tokens", "evictions", "scans");
    assertThat(names(json.get("state"))).containsExactlyInAnyOrder("state", "lease");
    assertThat(names(json.get("facts")))
        .containsExactlyInAnyOrder(
            "request_id",
            "request_partition",
            "source",
            "reply_to",
            "endpoint",
            "model",
            "lane",
            "prompt_tokens",
            "output_tokens",
            "classification",
            "priority",
            "tenant",
            "append_time_millis",
            "deadline_epoch_millis",
            "fresh",
            "estimated_tokens");
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void aTypicalStoredRequestIsSmall() {
    // Given
    RequestMetadata metadata = new TestRequest("019a1b2c-3d4e-7f80-9123-456789abcdef").metadata();
    LeaseRef lease =
        new LeaseRef(
            metadata.requestId(),
            1,
            "550e8400-e29b-41d4-a716-446655440000",
            "worker-17",
            "boot-9f3a");

    // When
    byte[] running = new TrackedRequest(metadata, History.NONE, new Started(lease)).toBytes();
    byte[] ended =
        EndedRequest.of(
                new TrackedRequest(
                    metadata, History.NONE, new RequestState.Pending(0, Optional.empty())),
                5)
            .toBytes();

    // Then
    assertThat(running.length).isLessThan(900);
    assertThat(ended.length).isLessThan(100);
  }

  @Property(tries = 200)
  void whatHasEndedIsReadAsItWasWritten(
      @ForAll("requests") TrackedRequest request, @ForAll long forgetAtMillis) {
    // Given
    EndedRequest ended = EndedRequest.of(request, forgetAtMillis);
    EarlyControl cancelled =
        EarlyControl.of(new Control.Cancel(request.requestId()), forgetAtMillis);

    // Then
    String id = request.requestId();
    assertThat(StoredRequest.fromBytes(id, request.toBytes())).isEqualTo(request);
    assertThat(StoredRequest.fromBytes(id, ended.toBytes())).isEqualTo(ended);
    assertThat(StoredRequest.fromBytes(id, cancelled.toBytes())).isEqualTo(cancelled);
  }

  @Test
  void whatWasAskedEarlyIsReadAsItWasWritten() {
    // Given
    EarlyControl asked =
        EarlyControl.of(new Control.Cancel("r"), 1)
            .and(new Control.Extend("r", 5), Long.MAX_VALUE)
            .and(new Control.Reprioritise("r", Priority.URGENT), 7);

    // Then
    assertThat(StoredRequest.fromBytes("r", asked.toBytes())).isEqualTo(asked);
    byte[] cut = Arrays.copyOf(asked.toBytes(), asked.toBytes().length - 1);
    assertThat(StoredRequest.fromBytes("r", cut)).isInstanceOf(UnreadableRequest.class);
  }

  @Test
  void aCancelThatAnOlderRouterKeptIsReadAndWrittenAsItWas() {
    // Given
    byte[] stored = {2, 0, 0, 0, 0, 0, 0, 1, 0};

    // When
    StoredRequest read = StoredRequest.fromBytes("r", stored);

    // Then
    EarlyControl cancel = EarlyControl.of(new Control.Cancel("r"), 256);
    assertThat(read).isEqualTo(cancel);
    assertThat(cancel.toBytes()).isEqualTo(stored);
  }

  @Test
  void ofARecordThatIsTooLargeOnlyItsSizeAndWhoIsToBeToldAreKept() {
    // Given
    Headers headers =
        new RecordHeaders()
            .add("tenant", "acme".getBytes(UTF_8))
            .add("kafka_correlationId", new byte[1_025])
            .add("other", new byte[1]);

    // When
    RequestBody kept = RequestBody.of(headers, new byte[PoolTopics.MAX_REQUEST_BYTES]);

    // Then
    assertThat(kept.value()).isEmpty();
    assertThat(kept.headers().toArray())
        .extracting(Header::key)
        .containsExactly("tenant", "omitted-bytes");
  }

  @Test
  void theLettersOfNamesAreCountedAsTheBytesThatTheyAreWrittenAs() {
    // Given
    String name = "\u4e2d".repeat(PoolTopics.MAX_REQUEST_BYTES / 3);
    Headers headers = new RecordHeaders().add(name, new byte[0]);

    // Then
    assertThat(RequestBody.sizeProblem(headers, new byte[0])).isPresent();
    assertThat(RequestBody.of(headers, new byte[0]).bytes()).isLessThan(100);
  }

  @Test
  void moreHeadersThanAnybodyNeedsAreNotKept() {
    // Given
    Headers headers = new RecordHeaders();
    for (int i = 0; i <= RequestBody.MAX_HEADERS; i++) {
      headers.add("", new byte[0]);
    }

    // Then
    assertThat(RequestBody.sizeProblem(headers, new byte[0]))
        .contains("the request has 1001 headers; send at most 1000");
    assertThat(RequestBody.of(headers, new byte[0]).headers().toArray()).hasSize(1);
  }

  private static TrackedRequest read(String requestId, byte[] stored) {
    return (TrackedRequest) StoredRequest.fromBytes(requestId, stored);
  }

  private static String nameOf(RequestState state) throws IOException {
    TrackedRequest tracked =
        new TrackedRequest(new TestRequest("r").metadata(), History.NONE, state);
    JsonNode json = Json.tree(tracked.toBytes());
    return json.path("state").path("state").asText();
  }

  private static Arbitrary<RequestMetadata> metadata() {
    Arbitrary<String> texts = Arbitraries.strings().ofMaxLength(30);
    Arbitrary<Long> longs = Arbitraries.longs();
    return Combinators.combine(
            texts,
            texts,
            longs,
            Arbitraries.of(Priority.class),
            Arbitraries.of(Endpoint.class),
            texts.optional(),
            Arbitraries.of(true, false))
        .as(
            (id, name, number, priority, endpoint, tier, fresh) ->
                RequestMetadataBuilder.builder()
                    .requestId(id)
                    .requestPartition(3)
                    .source(new RequestMetadata.Source(name, 3, number))
                    .replyTo(new ReplyAddress(name, 5))
                    .endpoint(endpoint)
                    .model(name)
                    .lane(name)
                    .promptTokens(number)
                    .outputTokens(number)
                    .classification(new Classification(tier.stream().toList(), List.of(name), tier))
                    .priority(priority)
                    .tenant(name)
                    .appendTimeMillis(number)
                    .deadlineEpochMillis(number)
                    .firstTokenByMillis(fresh ? OptionalLong.of(number) : OptionalLong.empty())
                    .fresh(fresh)
                    .estimatedTokens(number)
                    .fallbackModel(tier)
                    .trace(tier.map(text -> new RequestTrace(name, text, name, text)))
                    .build());
  }

  private static Arbitrary<History> histories() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 1_000), Arbitraries.longs().greaterOrEqual(0))
        .as(
            (count, offset) ->
                new History(
                    count,
                    count / 2,
                    count * 3,
                    offset % 2 == 0 ? OptionalLong.empty() : OptionalLong.of(offset),
                    offset % 3 == 0 ? OptionalLong.empty() : OptionalLong.of(offset),
                    Collections.nCopies(
                        count % 3,
                        new PastAttempt(
                            count,
                            "w1",
                            "l",
                            offset,
                            offset,
                            count,
                            AttemptEnd.of(AttemptEnd.Reason.LOST, "worker_gone"))),
                    count % 4,
                    new History.Scans(
                        offset % 5 == 0
                            ? Optional.empty()
                            : Optional.of(
                                new ReplyStart(
                                    offset % 2 == 0
                                        ? OptionalLong.empty()
                                        : OptionalLong.of(offset),
                                    offset)),
                        count % 7,
                        count % 9)));
  }

  private static Arbitrary<RequestState> states() {
    Arbitrary<LeaseRef> leases =
        Arbitraries.strings()
            .ofMaxLength(20)
            .map(text -> new LeaseRef(text, 1 + text.length(), text, text, text));
    Arbitrary<RequestState> pending = leases.optional().map(last -> new Pending(17, last));
    Arbitrary<RequestState> leased = leases.map(Leased::new);
    Arbitrary<RequestState> started = leases.map(Started::new);
    Arbitrary<RequestState> ending =
        leases.map(
            lease ->
                new Ending(
                    lease,
                    ErrorKind.OVERLOADED,
                    lease.worker(),
                    OptionalLong.of(lease.attempt()),
                    List.of(EndRecord.values()).subList(lease.attempt() % 2, 2)));
    return Arbitraries.oneOf(pending, leased, started, ending);
  }
}
