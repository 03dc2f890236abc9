package io.sluice.gateway.batch.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchCancellation;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.record.MemoryBatchLog;
import io.sluice.gateway.batch.record.TestBatches;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.ObjectStore;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.files.StoredFile.Part;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.producer.ClientConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("slow")
class BatchRunsTest {
  private static final String TENANT = "acme";
  private static final String CHAT = "/v1/chat/completions";
  private static final BatchSettings ONE_AT_ONCE = new BatchSettings(1, 4, 10, 100, 100);

  private final Clock clock = Clock.systemUTC();
  private final MemoryBatchLog log = new MemoryBatchLog();
  private final MemoryObjects objects = new MemoryObjects();
  private final FileStore files = new FileStore(objects, clock);
  private final AtomicInteger asked = new AtomicInteger();
  private final CountDownLatch firstAsked = new CountDownLatch(1);
  private final ScriptedPool pool =
      new ScriptedPool(
          _ -> {
            asked.incrementAndGet();
            firstAsked.countDown();
            return new CompletableFuture<>();
          });
  private final AtomicInteger started = new AtomicInteger();

  /** One permit for each time that the runs looked for work. */
  private final Semaphore looks = new Semaphore(0);

  private Optional<BatchRuns> runs = Optional.empty();

  @AfterEach
  void stop() {
    runs.ifPresent(BatchRuns::close);
  }

  @Test
  void aCancelledBatchDoesNotWaitForAPlace() throws Exception {
    // Given a batch that takes the only place and is never answered, and one behind it
    start(files);
    CreatedBatch running = created(Duration.ofHours(24));
    await(running, "in_progress");
    assertThat(firstAsked.await(20, TimeUnit.SECONDS)).isTrue();
    CreatedBatch waiting = created(Duration.ofHours(24));

    // When
    cancel(waiting);

    // Then
    await(waiting, "cancelled");
    assertThat(batch(running).status()).isEqualTo("in_progress");
    assertThat(asked).hasValue(1);
  }

  @Test
  void anExpiredBatchDoesNotWaitForAPlace() throws Exception {
    // Given a batch that takes the only place and is never answered
    start(files);
    CreatedBatch running = created(Duration.ofHours(24));
    await(running, "in_progress");
    assertThat(firstAsked.await(20, TimeUnit.SECONDS)).isTrue();

    // When
    CreatedBatch late = created(Duration.ZERO);

    // Then
    await(late, "expired");
    assertThat(batch(running).status()).isEqualTo("in_progress");
    assertThat(asked).hasValue(1);
  }

  @Test
  void aLimitedNumberOfBatchesEndsAtOnce() throws Exception {
    // Given more cancelled batches than may end at once, and a storage that does not answer
    List<CreatedBatch> all =
        Stream.generate(() -> created(Duration.ofHours(24)))
            .limit(3L * BatchRuns.MAX_ENDING)
            .toList();
    all.forEach(this::cancel);
    CountDownLatch opened = new CountDownLatch(1);
    start(new FileStore(new SlowObjects(objects, opened), clock));

    // When the runs have looked for work, and begin to look again
    looks.acquire(2);
    int startedAtOnce = started.get();
    opened.countDown();

    // Then
    for (CreatedBatch batch : all) {
      await(batch, "cancelled");
    }
    assertThat(startedAtOnce).isEqualTo(BatchRuns.MAX_ENDING);
  }

  @Test
  void runsThatWaitForTheStorageStopTogether() {
    // Given as many batches as run at once, and a storage that never answers
    List<CreatedBatch> all =
        Stream.generate(() -> created(Duration.ofHours(24))).limit(BatchRuns.MAX_ENDING).toList();
    all.forEach(this::cancel);
    start(new FileStore(new SlowObjects(objects, new CountDownLatch(1)), clock));
    looks.acquireUninterruptibly(2);
    assertThat(started).hasValue(BatchRuns.MAX_ENDING);
    long beforeNanos = System.nanoTime();

    // When
    runs.orElseThrow().close();

    // Then
    assertThat(Duration.ofNanos(System.nanoTime() - beforeNanos)).isLessThan(Duration.ofSeconds(6));
    assertThat(all).allSatisfy(batch -> assertThat(batch(batch).isEnded()).isFalse());
  }

  private void start(FileStore storage) {
    runs =
        Optional.of(
            BatchRuns.start(
                log,
                new OnePartition(looks),
                batch -> {
                  started.incrementAndGet();
                  return new BatchRun(
                      batch,
                      log,
                      storage,
                      BatchRunTest.AS_IT_IS,
                      pool,
                      BatchMemory.with(JsonMemory.of(1024 * 1024)),
                      ONE_AT_ONCE,
                      Pace.STANDARD,
                      clock);
                },
                ONE_AT_ONCE.maxRunning(),
                new BatchClient(ClientConfig.at("127.0.0.1:1"), ONE_AT_ONCE),
                clock));
  }

  private void cancel(CreatedBatch batch) {
    log.append(new BatchCancellation(batch.id(), clock.millis()));
  }

  private Batch batch(CreatedBatch created) {
    return log.find(created.id()).orElseThrow();
  }

  private void await(CreatedBatch created, String status) throws Exception {
    CompletableFuture<Void> reached = new CompletableFuture<>();
    Runnable look =
        () -> {
          if (batch(created).status().equals(status)) {
            reached.complete(null);
          }
        };
    log.onChange(look);
    look.run();
    reached.get(20, TimeUnit.SECONDS);
  }

  /** Creates a batch of one line. */
  private CreatedBatch created(Duration time) {
    byte[] line =
        "{\"custom_id\":\"a\",\"method\":\"POST\",\"url\":\"%s\",\"body\":{\"model\":\"m\"}}"
            .formatted(CHAT)
            .getBytes(UTF_8);
    String fileId = files.newId();
    Part part = Part.of(0, line.length);
    files.putPart(fileId, TENANT, part.name(), line);
    StoredFile input =
        files.finish(
            new StoredFile(
                fileId, TENANT, "in", "batch", Instant.now(), Optional.empty(), List.of(part)));
    long now = clock.millis();
    CreatedBatch batch = TestBatches.chats(TENANT, now, now + time.toMillis(), input.id());
    log.append(batch);
    return batch;
  }

  private record OnePartition(Semaphore looks) implements BatchPartitions {
    @Override
    public Set<Integer> owned() {
      looks.release();
      return Set.of(0);
    }

    @Override
    public void onChange(Runnable task) {
      // It never changes.
    }
  }

  /** Answers nobody before it is opened. */
  private record SlowObjects(ObjectStore objects, CountDownLatch opened) implements ObjectStore {
    @Override
    public Optional<byte[]> get(String key) {
      try {
        opened.await();
        return objects.get(key);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StorageException("interrupted", e);
      }
    }

    @Override
    public void put(String key, byte[] value) {
      objects.put(key, value);
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
