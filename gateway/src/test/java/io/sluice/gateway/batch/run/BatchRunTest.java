package io.sluice.gateway.batch.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchCancellation;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.record.MemoryBatchLog;
import io.sluice.gateway.batch.record.Phase;
import io.sluice.gateway.batch.record.TestBatches;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.ObjectStore;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.files.StoredFile.Part;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("slow")
class BatchRunTest {
  private static final Pace OFTEN = new Pace(300, Duration.ofSeconds(30), Duration.ZERO);
  private static final Pace NEVER =
      new Pace(Integer.MAX_VALUE, Duration.ofHours(1), Duration.ofHours(1));
  private static final Pace STORED = new Pace(1, Duration.ofSeconds(30), Duration.ZERO);
  private static final Pace SHOWN = new Pace(Integer.MAX_VALUE, Duration.ofHours(1), Duration.ZERO);
  private static final String TENANT = "acme";
  private static final byte[] LARGE = ("\"" + "a".repeat(70_000) + "\"").getBytes(UTF_8);
  private static final String CHAT = "/v1/chat/completions";
  static final LineFormat AS_IT_IS =
      new LineFormat() {
        @Override
        public Draft draft(CreatedBatch batch, byte[] body) {
          return new Draft() {
            @Override
            public List<byte[]> json() {
              return List.of(body);
            }

            @Override
            public InferenceRequest.Builder request() {
              return InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, body).tenant(batch.tenant());
            }
          };
        }

        @Override
        public String result(CreatedBatch batch, byte[] body, Answer answer) {
          return answer.json();
        }
      };

  private final MemoryBatchLog log = new MemoryBatchLog();
  private final MemoryObjects objects = new MemoryObjects();
  private FileStore files = new FileStore(objects, Clock.systemUTC());
  private Clock clock = Clock.systemUTC();
  private final JsonMemory memory = JsonMemory.of(256 * 1024);

  @Test
  void everyLineGetsOneResultInTheOrderOfTheInput() throws Exception {
    // Given a line that is not a request, one that repeats an id, and one for another endpoint
    CreatedBatch batch =
        created(line("a"), "", "{broken", line("b"), line("a"), line("c").replace("/chat", ""));
    ScriptedPool pool = new ScriptedPool(BatchRunTest::answered);

    // When
    run(batch, pool, OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.progress().phase()).isEqualTo(Phase.COMPLETED);
    assertThat(ids(ended.outputFileId())).containsExactly("a", "b");
    assertThat(results(ended.errorFileId()).stream().map(r -> r.at("/error/code").asText()))
        .containsExactly("invalid_json", "duplicate_custom_id", "invalid_url");
    assertThat(ended.progress().problems().stream().map(problem -> problem.line()))
        .containsExactly(3L, 5L, 6L);
    assertThat(ended.progress().total()).isEqualTo(5);
    assertThat(ended.progress().model()).contains("m");
    assertThat(ended.progress().counts().completed()).isEqualTo(2);
    assertThat(ended.progress().counts().failed()).isEqualTo(3);
    assertThat(ended.progress().counts().input()).isEqualTo(6);
    assertThat(pool.ids()).isEqualTo(2);
  }

  /**
   * Runs die at any moment, two of them may overlap, and the storage and the pool fail at times.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void runsThatDieTogetherGiveEveryLineOneResult(int seed) throws Exception {
    // Given
    Random random = new Random(seed);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 10 + random.nextInt(50); i++) {
      lines.add(random.nextInt(8) == 0 ? "{broken" + i : line("id-" + i));
    }
    CreatedBatch batch = created(lines.toArray(String[]::new));
    ScriptedPool pool = new ScriptedPool(request -> sometimes(request, random.nextInt(10)));
    FileStore failing = new FileStore(new FailingAtTimes(objects, random), Clock.systemUTC());

    // When
    List<Thread> threads = new ArrayList<>();
    while (!log.find(batch.id()).orElseThrow().isEnded()) {
      BatchRun run =
          new BatchRun(
              log.find(batch.id()).orElseThrow(),
              log,
              failing,
              AS_IT_IS,
              pool,
              BatchMemory.with(memory),
              limits(1 + random.nextInt(8), 1_000),
              OFTEN,
              clock);
      Thread thread = Thread.ofVirtual().start(() -> runUntilItFails(run));
      threads.add(thread);
      boolean isOver = thread.join(Duration.ofMillis(random.nextInt(30)));
      if (!isOver && random.nextInt(4) > 0) {
        run.stop();
        thread.join();
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    List<JsonNode> output = results(ended.outputFileId());
    List<JsonNode> errors = results(ended.errorFileId());
    assertThat(ended.progress().counts().completed()).isEqualTo(output.size());
    assertThat(ended.progress().counts().failed()).isEqualTo(errors.size());
    assertThat(output.size() + errors.size()).isEqualTo(lines.size());
    List<String> all = new ArrayList<>(customIds(output));
    all.addAll(customIds(errors));
    assertThat(all.stream().filter(id -> !id.equals("null")).toList())
        .doesNotHaveDuplicates()
        .hasSize((int) lines.stream().filter(line -> !line.startsWith("{broken")).count());
    for (JsonNode line : output) {
      assertThat(line.at("/response/body/text").asText())
          .isEqualTo(line.path("custom_id").asText());
    }
  }

  @Test
  void aCancelledBatchKeepsTheAnswersThatItHas() throws Exception {
    // Given a pool that answers one of three requests, and a run that dies before it stored that
    CreatedBatch batch = created(line("a"), line("b"), line("c"));
    CompletableFuture<Void> isAnswered = new CompletableFuture<>();
    ScriptedPool pool =
        new ScriptedPool(
            request -> {
              boolean isFirst = textOf(request).equals("a");
              if (isFirst) {
                isAnswered.complete(null);
              }
              return isFirst ? answered(request) : new CompletableFuture<>();
            });
    BatchRun first = run(batch, pool, NEVER);
    Thread thread = Thread.ofVirtual().start(() -> runUntilItFails(first));
    isAnswered.get(10, TimeUnit.SECONDS);
    first.stop();
    thread.join();

    // When
    log.append(new BatchCancellation(batch.id(), clock.millis()));
    assertThat(log.find(batch.id()).orElseThrow().status()).isEqualTo("cancelling");
    run(batch, pool, OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("cancelled");
    assertThat(ids(ended.outputFileId())).containsExactly("a");
    assertThat(results(ended.errorFileId()).stream().map(r -> r.at("/error/code").asText()))
        .containsExactly("batch_cancelled", "batch_cancelled");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4})
  void aCancelledBatchKeepsTheAnswersThatWereNotStored(int blankLines) throws Exception {
    // Given a pool that answers more lines than run at a time, and a run that stores none of them
    String[] lines =
        IntStream.range(0, 40)
            .mapToObj(i -> " \n".repeat(blankLines) + line("id-" + i))
            .toArray(String[]::new);
    CreatedBatch batch = created(lines);
    CompletableFuture<Void> isLastAsked = new CompletableFuture<>();
    ScriptedPool pool =
        new ScriptedPool(
            request -> {
              int number = Integer.parseInt(textOf(request).substring("id-".length()));
              if (number == 30) {
                isLastAsked.complete(null);
              }
              return number < 30 ? answered(request) : new CompletableFuture<>();
            });
    BatchRun first = run(batch, limits(4, 100), AS_IT_IS, pool, SHOWN);
    Thread thread = Thread.ofVirtual().start(() -> runUntilItFails(first));
    isLastAsked.get(10, TimeUnit.SECONDS);
    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> log.find(batch.id()).orElseThrow().progress().counts().completed() == 30);
    first.stop();
    thread.join();

    // When
    log.append(new BatchCancellation(batch.id(), clock.millis()));
    run(batch, limits(4, 100), AS_IT_IS, pool, OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("cancelled");
    assertThat(ids(ended.outputFileId())).hasSize(30);
    assertThat(ids(ended.errorFileId())).hasSize(10);
  }

  @Test
  void theCountsOfABatchDoNotGoBackWhenItsGatewayChanges() throws Exception {
    // Given a run that shows five answers and stores none, and one that gets fewer at first
    String[] lines = IntStream.range(0, 8).mapToObj(i -> line("id-" + i)).toArray(String[]::new);
    CreatedBatch batch = created(lines);
    runUntil(batch, 5, () -> completed(batch) == 5);

    // When
    AtomicInteger published = new AtomicInteger();
    log.onChange(published::incrementAndGet);
    runUntil(batch, 2, () -> published.get() > 0);

    // Then
    assertThat(completed(batch)).isEqualTo(5);
  }

  /** Runs a batch of whose lines the pool answers the first, and stops. */
  private void runUntil(CreatedBatch batch, int answered, Callable<Boolean> condition)
      throws Exception {
    ScriptedPool pool =
        new ScriptedPool(
            request ->
                Integer.parseInt(textOf(request).substring("id-".length())) < answered
                    ? answered(request)
                    : new CompletableFuture<>());
    BatchRun run = run(batch, pool, SHOWN);
    Thread thread = Thread.ofVirtual().start(() -> runUntilItFails(run));
    await().atMost(Duration.ofSeconds(10)).until(condition);
    run.stop();
    thread.join();
  }

  private long completed(CreatedBatch batch) {
    return log.find(batch.id()).orElseThrow().progress().counts().completed();
  }

  @Test
  void aBatchIsEndedDaysAfterItsGatewaysStopped() throws Exception {
    // Given a batch with one stored answer, and a pool that was off for the rest of the month
    CreatedBatch batch = created(line("a"), line("b"));
    ScriptedPool pool =
        new ScriptedPool(
            request -> textOf(request).equals("a") ? answered(request) : new CompletableFuture<>());
    BatchRun first = run(batch, pool, STORED);
    Thread thread = Thread.ofVirtual().start(() -> runUntilItFails(first));
    await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> !log.find(batch.id()).orElseThrow().progress().checkpoint().output().isEmpty());
    first.stop();
    thread.join();
    clock = Clock.offset(Clock.systemUTC(), Duration.ofDays(29));
    files = new FileStore(objects, clock);

    // When
    run(batch, new ScriptedPool(request -> late()), OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("expired");
    assertThat(ids(ended.outputFileId())).containsExactly("a");
    assertThat(ids(ended.errorFileId())).containsExactly("b");
  }

  private static CompletableFuture<Answer> late() {
    return CompletableFuture.failedFuture(ScriptedPool.failure(ErrorKind.DEADLINE_EXCEEDED));
  }

  @Test
  void whatIsNotAnsweredInTimeIsExpired() throws Exception {
    // Given
    CreatedBatch batch = created(line("a"), line("b"), line("c"));
    ScriptedPool pool =
        new ScriptedPool(request -> textOf(request).equals("a") ? answered(request) : late());
    BatchRun run =
        new BatchRun(
            log.find(batch.id()).orElseThrow(),
            log,
            files,
            AS_IT_IS,
            pool,
            BatchMemory.with(memory),
            limits(1, 10),
            OFTEN,
            clock);

    // When
    run.run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("expired");
    assertThat(ids(ended.outputFileId())).containsExactly("a");
    assertThat(results(ended.errorFileId()).stream().map(r -> r.at("/error/code").asText()))
        .containsExactly("batch_expired", "batch_expired");
  }

  @Test
  void aBatchThatBeginsTooLateRunsNothing() throws Exception {
    // Given
    CreatedBatch batch = created(line("a"), line("b"));
    clock = Clock.fixed(Instant.ofEpochMilli(batch.expiresAt()), ZoneOffset.UTC);
    ScriptedPool pool = new ScriptedPool(BatchRunTest::answered);

    // When
    run(batch, pool, OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("expired");
    assertThat(ids(ended.errorFileId())).containsExactly("a", "b");
    assertThat(pool.ids()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n\n", "{broken\n[]", "A\nB\nC\nD\nE\nF\nG\nH\nI\nJ\nK"})
  void anInputThatIsNoneFails(String text) throws Exception {
    // Given
    CreatedBatch batch = created(text.split("\n"));

    // When
    run(batch, new ScriptedPool(BatchRunTest::answered), OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("failed");
    assertThat(ended.progress().problems()).isNotEmpty();
    assertThat(files.find(ended.errorFileId(), TENANT)).isEmpty();
  }

  @Test
  void aDeletedInputFails() throws Exception {
    // Given
    CreatedBatch batch = created(line("a"));
    files.delete(batch.inputFileId(), TENANT);

    // When
    run(batch, new ScriptedPool(BatchRunTest::answered), OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("failed");
    assertThat(ended.progress().problems().getFirst().code()).isEqualTo("input_file_missing");
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorKind.class,
      names = {"UNAVAILABLE", "OVERLOADED"})
  void aLineThatCannotBePreparedNowIsSentLater(ErrorKind reason) throws Exception {
    // Given a format that fails at first, as if the conversation before could not be read
    CreatedBatch batch = created(line("a"), line("b"));
    AtomicInteger calls = new AtomicInteger();
    LineFormat failing =
        new LineFormat() {
          @Override
          public Draft draft(CreatedBatch batch, byte[] body) {
            if (calls.incrementAndGet() == 1) {
              throw new RefusedLineException(ApiError.of(reason, "not now"));
            }
            return AS_IT_IS.draft(batch, body);
          }

          @Override
          public String result(CreatedBatch batch, byte[] body, Answer answer) {
            return "{\"translated\":" + new String(body, StandardCharsets.UTF_8) + "}";
          }
        };

    // When
    run(batch, failing, new ScriptedPool(BatchRunTest::answered), OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("completed");
    assertThat(ids(ended.outputFileId())).containsExactly("a", "b");
    assertThat(results(ended.outputFileId()))
        .allSatisfy(
            line ->
                assertThat(line.at("/response/body/translated/messages/0/content"))
                    .isEqualTo(line.path("custom_id")));
  }

  @Test
  void anAnswerThatCannotBeTranslatedIsOneErrorLine() throws Exception {
    // Given
    CreatedBatch batch = created(line("a"), line("b"), line("c"));
    LineFormat broken =
        new LineFormat() {
          @Override
          public Draft draft(CreatedBatch batch, byte[] body) {
            return AS_IT_IS.draft(batch, body);
          }

          @Override
          public String result(CreatedBatch batch, byte[] body, Answer answer) {
            if (answer.text().equals("b")) {
              throw new IllegalStateException("cannot");
            }
            return AS_IT_IS.result(batch, body, answer);
          }
        };

    // When
    run(batch, broken, new ScriptedPool(BatchRunTest::answered), OFTEN).run();

    // Then
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("completed");
    assertThat(ids(ended.outputFileId())).containsExactly("a", "c");
    assertThat(ids(ended.errorFileId())).containsExactly("b");
    assertThat(results(ended.errorFileId()).getFirst().at("/error/code").asText())
        .isEqualTo("internal_error");
    assertThat(ended.progress().counts().failed()).isEqualTo(1);
  }

  @Test
  void linesAreParsedOnlyWhileThereIsMemory() throws Exception {
    // Given a line that needs all memory of its tenant, which another request has
    CreatedBatch batch =
        created(line("a").replace("content\":\"a", "content\":\"" + "a".repeat(70_000)));
    ScriptedPool pool = new ScriptedPool(BatchRunTest::answered);
    TenantShares.Share held = memory.take(TENANT, LARGE);
    BatchRun run = run(batch, pool, OFTEN);
    Thread thread = Thread.ofPlatform().start(() -> runUntilItFails(run));

    // When
    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    String waiting = log.find(batch.id()).orElseThrow().status();
    held.close();
    thread.join();

    // Then
    assertThat(waiting).isEqualTo("validating");
    Batch ended = log.find(batch.id()).orElseThrow();
    assertThat(ended.status()).isEqualTo("completed");
    assertThat(ended.progress().counts().completed()).isEqualTo(1);
    assertThat(memory.take(TENANT, LARGE)).isNotNull();
  }

  private static void runUntilItFails(BatchRun run) {
    try {
      run.run();
    } catch (StorageException | UncheckedIOException e) {
      // Another run continues.
    } catch (IOException e) {
      // The same.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private BatchRun run(CreatedBatch batch, LinePool pool, Pace pace) {
    return run(batch, AS_IT_IS, pool, pace);
  }

  private BatchRun run(CreatedBatch batch, LineFormat format, LinePool pool, Pace pace) {
    return run(batch, limits(4, 10), format, pool, pace);
  }

  private BatchRun run(
      CreatedBatch batch, BatchSettings limits, LineFormat format, LinePool pool, Pace pace) {
    return new BatchRun(
        log.find(batch.id()).orElseThrow(),
        log,
        files,
        format,
        pool,
        BatchMemory.with(memory),
        limits,
        pace,
        clock);
  }

  private static BatchSettings limits(int maxConcurrent, int maxLines) {
    return new BatchSettings(1, maxConcurrent, maxLines, 100, 100);
  }

  private static CompletableFuture<Answer> answered(InferenceRequest request) {
    return CompletableFuture.completedFuture(ScriptedPool.answer(request));
  }

  private static CompletableFuture<Answer> sometimes(InferenceRequest request, int chance) {
    Function<InferenceRequest, Answer> outcome =
        switch (chance) {
          case 0 -> failing(ErrorKind.OVERLOADED);
          case 1 -> failing(ErrorKind.ENGINE_ERROR);
          default -> ScriptedPool::answer;
        };
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                TimeUnit.MILLISECONDS.sleep(chance);
                answer.complete(outcome.apply(request));
              } catch (io.sluice.producer.reply.RequestFailedException e) {
                answer.completeExceptionally(e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    return answer;
  }

  private static Function<InferenceRequest, Answer> failing(ErrorKind kind) {
    return _ -> {
      throw ScriptedPool.failure(kind);
    };
  }

  private static String textOf(InferenceRequest request) {
    return request.json().path("messages").path(0).path("content").asText();
  }

  private static String line(String id) {
    return "{\"custom_id\":\"%s\",\"method\":\"POST\",\"url\":\"%s\",\"body\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}}"
        .formatted(id, CHAT, id);
  }

  private CreatedBatch created(String... lines) {
    byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    String fileId = files.newId();
    Part part = Part.of(0, bytes.length);
    if (bytes.length > 0) {
      files.putPart(fileId, TENANT, part.name(), bytes);
    }
    StoredFile input =
        files.finish(
            new StoredFile(
                fileId,
                TENANT,
                "in",
                "batch",
                Instant.now(),
                Optional.empty(),
                bytes.length > 0 ? List.of(part) : List.of()));
    long now = clock.millis();
    CreatedBatch batch = TestBatches.chats(TENANT, now, now + 60_000, input.id());
    log.append(batch);
    return batch;
  }

  private List<String> ids(String fileId) throws IOException {
    return customIds(results(fileId));
  }

  private static List<String> customIds(List<JsonNode> results) {
    return results.stream().map(result -> result.path("custom_id").asText()).toList();
  }

  private List<JsonNode> results(String fileId) throws IOException {
    Optional<StoredFile> file = files.find(fileId, TENANT);
    if (file.isEmpty()) {
      return List.of();
    }
    String text = new String(files.open(file.get(), 0).readAllBytes(), StandardCharsets.UTF_8);
    return text.lines().map(Json::known).toList();
  }

  /** Fails one of ten writes. */
  private record FailingAtTimes(ObjectStore objects, Random random) implements ObjectStore {
    @Override
    public void put(String key, byte[] value) {
      if (random.nextInt(10) == 0) {
        throw new StorageException("full");
      }
      objects.put(key, value);
    }

    @Override
    public Optional<byte[]> get(String key) {
      return objects.get(key);
    }

    @Override
    public void visit(String prefix, Visitor visitor) {
      objects.visit(prefix, visitor);
    }

    @Override
    public void delete(String key) {
      objects.delete(key);
    }

    @Override
    public void close() {
      objects.close();
    }
  }
}
