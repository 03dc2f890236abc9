package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.MultipartField;
import com.openai.core.http.HttpResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.batches.Batch;
import com.openai.models.batches.BatchCreateParams;
import com.openai.models.batches.BatchListPage;
import com.openai.models.batches.BatchListParams;
import com.openai.models.files.FileCreateParams;
import com.openai.models.files.FileObject;
import com.openai.models.files.FilePurpose;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.app.Gateway;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** OpenAI's own client runs batches at gateways that come and go. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayBatchesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final List<OpenAIClient> clients = new ArrayList<>();
  private LocalPool pool;
  private Gateway gateway;
  private OpenAIClient client;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 3);
    // It would run some of the batches.
    pool.gateway().close();
    gateway = gateway();
    client = client(gateway, "default");
  }

  @AfterAll
  void stop() {
    clients.forEach(OpenAIClient::close);
    gateway.close();
    pool.close();
  }

  @Test
  void everyLineGetsOneResult() throws Exception {
    // Given 40 requests, and three lines that are none
    List<String> lines = new ArrayList<>(requests(40, 6));
    lines.add(7, "{broken");
    lines.add(20, lines.getFirst());
    lines.add("");

    // When
    Batch created = create(client, upload(client, lines));
    Batch ended = ended(client, created.id());

    // Then
    assertThat(created.status()).isEqualTo(Batch.Status.VALIDATING);
    assertThat(ended.validate().status()).isEqualTo(Batch.Status.COMPLETED);
    assertThat(ended.requestCounts().orElseThrow().total()).isEqualTo(42);
    assertThat(ended.requestCounts().orElseThrow().completed()).isEqualTo(40);
    assertThat(ended.requestCounts().orElseThrow().failed()).isEqualTo(2);
    assertThat(ended.completedAt()).isPresent();
    assertThat(ended.inProgressAt()).isPresent();
    assertThat(ended.errors().orElseThrow().data().orElseThrow().stream().map(e -> e.line().get()))
        .containsExactly(8L, 21L);
    List<JsonNode> output = lines(client, ended.outputFileId().orElseThrow());
    assertThat(output.stream().map(line -> line.path("custom_id").asText()))
        .containsExactlyElementsOf(IntStream.range(0, 40).mapToObj(i -> "request-" + i).toList());
    assertThat(output)
        .allSatisfy(
            line -> {
              assertThat(line.at("/response/status_code").asInt()).isEqualTo(200);
              assertThat(line.at("/response/body/usage/completion_tokens").asInt()).isEqualTo(6);
            });
    assertThat(ended.usage().orElseThrow().outputTokens()).isEqualTo(240);
    assertThat(lines(client, ended.errorFileId().orElseThrow())).hasSize(2);
  }

  @Test
  void anyGatewayFinishesTheBatchOfOneThatDied() throws Exception {
    // Given a batch that the only gateway has begun, two lines at a time, and another gateway
    gateway.close();
    Gateway dying = gateway(Map.of("batch-max-concurrent", "2"));
    OpenAIClient atDying = client(dying, "default");
    Batch created = create(atDying, upload(atDying, requests(120, 40)));
    await().atMost(PATIENCE).until(() -> counts(atDying, created.id()) > 5);
    gateway = gateway();
    client = client(gateway, "default");

    // When
    dying.kill();
    Batch orphaned = client.batches().retrieve(created.id());
    Batch ended = ended(client, created.id());

    // Then
    assertThat(orphaned.status()).isEqualTo(Batch.Status.IN_PROGRESS);
    assertThat(orphaned.requestCounts().orElseThrow().completed()).isBetween(6L, 119L);
    assertThat(ended.status()).isEqualTo(Batch.Status.COMPLETED);
    List<JsonNode> output = lines(client, ended.outputFileId().orElseThrow());
    assertThat(output.stream().map(line -> line.path("custom_id").asText()))
        .containsExactlyElementsOf(IntStream.range(0, 120).mapToObj(i -> "request-" + i).toList());
    assertThat(ended.usage().orElseThrow().outputTokens()).isEqualTo(120 * 40);
  }

  @Test
  void aRetryGetsTheBatchOfTheFirstTry() {
    // Given a batch whose creation the client has not heard of
    String file = upload(client, requests(3, 5));
    Batch first = client.batches().create(tryOf(file, 0));

    // When
    Batch retry = client.batches().create(tryOf(file, 1));
    Batch another = client.batches().create(tryOf(file, 0));

    // Then
    assertThat(retry.id()).isEqualTo(first.id());
    assertThat(another.id()).isNotEqualTo(first.id());
  }

  private static BatchCreateParams tryOf(String file, int retries) {
    return params(file)
        .putAdditionalHeader("X-Stainless-Retry-Count", Integer.toString(retries))
        .build();
  }

  @Test
  void aCancelledBatchEndsSoonAndKeepsItsAnswers() throws Exception {
    // Given a batch that would take minutes
    Batch created = create(client, upload(client, requests(300, 400)));
    await().atMost(PATIENCE).until(() -> counts(client, created.id()) > 0);

    // When
    Batch cancelled = client.batches().cancel(created.id());
    Batch again = client.batches().cancel(created.id());
    Batch ended = ended(client, created.id());

    // Then
    assertThat(cancelled.status()).isEqualTo(Batch.Status.CANCELLING);
    assertThat(again.cancellingAt()).isEqualTo(cancelled.cancellingAt());
    assertThat(ended.status()).isEqualTo(Batch.Status.CANCELLED);
    assertThat(ended.cancelledAt()).isPresent();
    List<JsonNode> errors = lines(client, ended.errorFileId().orElseThrow());
    assertThat(errors)
        .allSatisfy(
            line -> assertThat(line.at("/error/code").asText()).isEqualTo("batch_cancelled"));
    long answered = lines(client, ended.outputFileId().orElseThrow()).size();
    assertThat(answered + errors.size()).isEqualTo(300);
    assertThat(ended.requestCounts().orElseThrow().completed()).isEqualTo(answered);
  }

  @Test
  void linesMayBeResponses() throws Exception {
    // Given a stored response, one that continues it, and one with a tool that no pool has
    Response before =
        client
            .responses()
            .create(ResponseCreateParams.builder().model("sluice-8b").input("Hello").build());
    List<String> lines =
        List.of(
            response("a", "\"instructions\":\"Be short.\",\"max_output_tokens\":5"),
            response(
                "b", "\"previous_response_id\":\"" + before.id() + "\",\"max_output_tokens\":5"),
            response("c", "\"tools\":[{\"type\":\"web_search\"}]"),
            response("d", "\"previous_response_id\":\"resp_unknown\""));

    // When
    Batch created =
        client
            .batches()
            .create(
                params(upload(client, lines))
                    .endpoint(BatchCreateParams.Endpoint.V1_RESPONSES)
                    .build());
    Batch ended = ended(client, created.id());

    // Then
    assertThat(ended.status()).isEqualTo(Batch.Status.COMPLETED);
    List<JsonNode> output = lines(client, ended.outputFileId().orElseThrow());
    assertThat(output.stream().map(line -> line.path("custom_id").asText()))
        .containsExactly("a", "b");
    assertThat(output)
        .allSatisfy(
            line -> {
              JsonNode body = line.at("/response/body");
              assertThat(body.path("object").asText()).isEqualTo("response");
              assertThat(body.path("status").asText()).isEqualTo("incomplete");
              assertThat(body.at("/output/0/content/0/text").asText()).isNotEmpty();
              assertThat(body.at("/usage/output_tokens").asInt()).isEqualTo(5);
            });
    assertThat(output.get(1).at("/response/body/usage/input_tokens").asInt())
        .isGreaterThan((int) before.usage().orElseThrow().totalTokens());
    List<JsonNode> errors = lines(client, ended.errorFileId().orElseThrow());
    assertThat(errors.stream().map(line -> line.at("/response/body/error/param").asText()))
        .containsExactly("tools[0].type", "null");
    assertThat(errors.get(1).at("/response/status_code").asInt()).isEqualTo(404);
    assertThat(ended.usage().orElseThrow().outputTokens()).isEqualTo(10);
  }

  @Test
  void aBatchThatHasEndedCannotBeCancelled() throws Exception {
    Batch ended = ended(client, create(client, upload(client, requests(1, 2))).id());
    assertThatThrownBy(() -> client.batches().cancel(ended.id()))
        .isInstanceOfSatisfying(
            OpenAIServiceException.class, e -> assertThat(e.statusCode()).isEqualTo(409))
        .hasMessageContaining("'completed' cannot be cancelled");
  }

  @Test
  void otherTenantsSeeNothing() throws Exception {
    // Given
    String file = upload(client, requests(1, 2));
    Batch batch = create(client, file);

    // When
    OpenAIClient other = client(gateway, "other");

    // Then
    assertThatThrownBy(() -> other.batches().retrieve(batch.id()))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("there is no batch '" + batch.id() + "'");
    assertThatThrownBy(() -> other.batches().cancel(batch.id()))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> create(other, file))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("there is no file '" + file + "'");
    assertThat(other.batches().list().data()).isEmpty();
    assertThat(ended(client, batch.id()).status()).isEqualTo(Batch.Status.COMPLETED);
  }

  @Test
  void aListIsReadPageByPage() throws Exception {
    // Given
    OpenAIClient lister = client(gateway, "lister");
    String file = upload(lister, requests(1, 2));
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(create(lister, file).id());
    }

    // When
    BatchListPage page = lister.batches().list(BatchListParams.builder().limit(2).build());

    // Then
    assertThat(page.data()).hasSize(2);
    assertThat(page.hasMore()).contains(true);
    assertThat(page.autoPager().stream().map(Batch::id)).containsExactlyElementsOf(ids.reversed());
    ids.forEach(id -> ended(lister, id));
  }

  @Test
  void whatIsWrongIsToldAtOnce() throws Exception {
    String file = upload(client, requests(1, 2));
    BatchCreateParams.Builder right = params(file);
    assertThatThrownBy(() -> client.batches().create(params("file-none").build()))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("there is no file 'file-none'");
    assertThatThrownBy(
            () ->
                client
                    .batches()
                    .create(
                        right
                            .completionWindow(BatchCreateParams.CompletionWindow.of("48h"))
                            .build()))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("up to 24h");
    assertThatThrownBy(
            () ->
                client
                    .batches()
                    .create(
                        params(file).endpoint(BatchCreateParams.Endpoint.V1_EMBEDDINGS).build()))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("'endpoint' must be");
  }

  /** The largest file that a gateway takes by default has 200 MiB. */
  @Test
  void aLineOfNearlyTwoHundredMegabytesIsOneErrorLine() throws Exception {
    // Given
    List<String> requests = requests(2, 4);
    byte[] megabyte = "a".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
    List<InputStream> parts = new ArrayList<>();
    parts.add(stream(requests.getFirst() + "\n"));
    Collections.nCopies(199, megabyte).forEach(part -> parts.add(new ByteArrayInputStream(part)));
    parts.add(stream("\n" + requests.getLast()));

    // When
    String file = upload(client, new SequenceInputStream(Collections.enumeration(parts)));
    Batch ended = ended(client, create(client, file).id());

    // Then
    assertThat(ended.status()).isEqualTo(Batch.Status.COMPLETED);
    assertThat(lines(client, ended.outputFileId().orElseThrow())).hasSize(2);
    List<JsonNode> errors = lines(client, ended.errorFileId().orElseThrow());
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().at("/error/code").asText()).isEqualTo("line_too_long");
  }

  private Gateway gateway() {
    return gateway(Map.of());
  }

  private Gateway gateway(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("files", "folder:" + pool.files());
    return Pools.gateway(pool, all);
  }

  private OpenAIClient client(Gateway gateway, String tenant) {
    OpenAIClient opened =
        OpenAIOkHttpClient.builder()
            .baseUrl("http://127.0.0.1:" + gateway.port() + "/v1")
            .apiKey("none")
            .putHeader("x-sluice-tenant", tenant)
            .build();
    clients.add(opened);
    return opened;
  }

  private static List<String> requests(int count, int tokens) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                "{\"custom_id\":\"request-%d\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{\"model\":\"sluice-8b\",\"max_tokens\":%d,\"messages\":[{\"role\":\"user\",\"content\":\"Count to %d.\"}]}}"
                    .formatted(i, tokens, i))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static String response(String customId, String fields) {
    return "{\"custom_id\":\"%s\",\"method\":\"POST\",\"url\":\"/v1/responses\",\"body\":{\"model\":\"sluice-8b\",\"input\":\"Count.\",%s}}"
        .formatted(customId, fields);
  }

  private static String upload(OpenAIClient client, List<String> lines) {
    return upload(client, stream(String.join("\n", lines)));
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String upload(OpenAIClient client, InputStream lines) {
    FileObject file =
        client
            .files()
            .create(
                FileCreateParams.builder()
                    .purpose(FilePurpose.BATCH)
                    .file(
                        MultipartField.<InputStream>builder()
                            .value(lines)
                            .filename("input.jsonl")
                            .build())
                    .build());
    return file.id();
  }

  private static BatchCreateParams.Builder params(String file) {
    return BatchCreateParams.builder()
        .inputFileId(file)
        .endpoint(BatchCreateParams.Endpoint.V1_CHAT_COMPLETIONS)
        .completionWindow(BatchCreateParams.CompletionWindow._24H);
  }

  private static Batch create(OpenAIClient client, String file) {
    return client.batches().create(params(file).build());
  }

  private static long counts(OpenAIClient client, String id) {
    return client.batches().retrieve(id).requestCounts().orElseThrow().completed();
  }

  private static Batch ended(OpenAIClient client, String id) {
    return await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> client.batches().retrieve(id),
            batch ->
                batch.completedAt().isPresent()
                    || batch.cancelledAt().isPresent()
                    || batch.expiredAt().isPresent()
                    || batch.failedAt().isPresent());
  }

  private static List<JsonNode> lines(OpenAIClient client, String file) throws Exception {
    try (HttpResponse content = client.files().content(file)) {
      String text = new String(content.body().readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().map(Json::known).toList();
    }
  }
}
