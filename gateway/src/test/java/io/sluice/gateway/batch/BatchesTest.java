package io.sluice.gateway.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpRequest;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchId;
import io.sluice.gateway.batch.record.BatchLog;
import io.sluice.gateway.batch.record.BatchLogException;
import io.sluice.gateway.batch.record.BatchRecord;
import io.sluice.gateway.batch.record.MemoryBatchLog;
import io.sluice.gateway.batch.record.Phase;
import io.sluice.gateway.batch.run.MemoryObjects;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.files.StoredFile.Part;
import io.sluice.gateway.http.ApiException;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchesTest {
  private static final Caller ACME = Caller.ofTenant("acme");
  private static final long MOST_BYTES = 1_000;

  private final Clock clock = Clock.systemUTC();
  private final MemoryBatchLog log = new MemoryBatchLog();
  private final FileStore files = new FileStore(new MemoryObjects(), clock);
  private final Batches batches = batches(log);
  private final MutableHttpRequest<?> http = HttpRequest.POST("/v1/batches", "");

  @Test
  void onlyTheOptionsOfRequestsAreKept() {
    // Given
    http.header("X-Sluice-Tier", "fast")
        .header("x-sluice-fallback-model", "none")
        .header("x-sluice-tenant", "acme")
        .header("x-sluice-unknown", "x".repeat(10_000))
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .header("tracestate", "v=" + "x".repeat(10_000))
        .header("authorization", "Bearer secret");

    // When
    Batch batch = create(ACME);

    // Then
    assertThat(log.find(batch.created().id()).orElseThrow().created().headers())
        .isEqualTo(
            Map.of(
                "x-sluice-tier",
                "fast",
                "x-sluice-fallback-model",
                "none",
                "traceparent",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  }

  @ParameterizedTest
  @CsvSource({
    "x-sluice-priority, nonsense",
    "x-sluice-timeout-ms, soon",
    "x-sluice-slo-ttft-ms, 0",
    "x-sluice-tier, \u00fc",
    "traceparent, \u00fc"
  })
  void anOptionThatNoLineCouldHaveIsRefusedByItsName(String header, String value) {
    // Given
    http.header(header, value);

    // When, Then
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> create(ACME))
        .withMessageStartingWith(header + " must be")
        .satisfies(
            e -> {
              assertThat(e.error().status()).isEqualTo(400);
              assertThat(e.error().param()).contains(header);
            });
    assertThat(log.ofTenant("acme")).isEmpty();
  }

  @Test
  void aTenantWhoseStorageIsFullCreatesNoBatch() {
    // Given
    String id = files.newId();
    Part part = Part.of(0, (int) MOST_BYTES);
    files.putPart(id, "acme", part.name(), new byte[part.bytes()]);
    files.finish(
        new StoredFile(
            id, "acme", "old", "batch_output", Instant.now(), Optional.empty(), List.of(part)));

    // When, Then
    assertRefused(() -> create(ACME), "the files of this tenant use 1000 bytes");
    assertThat(create(Caller.ofTenant("other")).status()).isEqualTo("validating");
  }

  @Test
  void aTenantHasALimitedNumberOfBatchesThatHaveNotEnded() {
    // Given as many batches as may be unfinished
    Batch first = create(ACME);
    create(ACME);

    // When, Then
    assertRefused(() -> create(ACME), "2 batches of this tenant have not ended");
    assertThat(create(Caller.ofTenant("other")).status()).isEqualTo("validating");

    // When one has ended
    end(first);

    // Then
    assertThat(create(ACME).status()).isEqualTo("validating");
  }

  @Test
  void aTenantHasALimitedNumberOfBatchesThatAreKept() {
    // Given as many batches as are kept, all of which have ended
    Stream.generate(() -> create(ACME)).limit(3).forEach(this::end);

    // When, Then
    assertRefused(() -> create(ACME), "this tenant has 3 batches of the last 30 days");
    assertThat(log.ofTenant("acme")).hasSize(3);
    assertThat(create(Caller.ofTenant("other")).status()).isEqualTo("validating");
  }

  @Test
  void batchesThatAreBeingWrittenCount() {
    // Given a batch, and a second one for which the log takes its time
    create(ACME);
    AtomicReference<Batches> slow = new AtomicReference<>();
    AtomicReference<ApiException> third = new AtomicReference<>();
    slow.set(
        batches(
            new WriteHook(
                log,
                () -> {
                  if (third.get() == null) {
                    third.set(catchThrowableOfType(ApiException.class, () -> create(slow.get())));
                  }
                })));

    // When a third one comes meanwhile
    create(slow.get());

    // Then
    assertThat(third.get()).hasMessageStartingWith("2 batches of this tenant");
    assertThat(log.ofTenant("acme")).hasSize(2);
  }

  @Test
  void aBatchThatIsNoLongerKeptDoesNotCount() {
    // Given a tenant that was idle until its batch was forgotten
    create(ACME);
    log.forgetBefore(clock.instant().plusSeconds(1));

    // When, then
    create(ACME);
    create(ACME);
    assertThat(log.ofTenant("acme")).hasSize(2);
  }

  @Test
  void aBatchThatCouldNotBeWrittenDoesNotCount() {
    // Given a log that fails
    Batches failing =
        batches(
            new WriteHook(
                log,
                () -> {
                  throw new BatchLogException("away", new IOException());
                }));

    // When, Then
    for (int i = 0; i < 5; i++) {
      assertThatExceptionOfType(ApiException.class)
          .isThrownBy(() -> create(failing))
          .satisfies(e -> assertThat(e.error().status()).isEqualTo(503));
    }
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(call)
        .withMessageStartingWith(message)
        .satisfies(
            e -> {
              assertThat(e.error().status()).isEqualTo(429);
              assertThat(e.error().type()).isEqualTo("rate_limit_error");
              assertThat(e.error().code()).isEqualTo("quota_exceeded");
              assertThat(e.error().retry()).contains(false);
            });
  }

  private void end(Batch batch) {
    log.append(batch.progress().in(Phase.COMPLETED, clock.millis()));
  }

  /** Returns batches of which a tenant has two unfinished ones and three altogether. */
  private Batches batches(BatchLog batchLog) {
    return new Batches(batchLog, files, MOST_BYTES, new BatchSettings(1, 1, 1, 2, 3), clock);
  }

  private Batch create(Caller caller) {
    return create(batches, caller);
  }

  private Batch create(Batches to) {
    return create(to, ACME);
  }

  private Batch create(Batches to, Caller caller) {
    ObjectNode body =
        Json.mapper()
            .createObjectNode()
            .put("input_file_id", input(caller))
            .put("endpoint", "/v1/chat/completions")
            .put("completion_window", "24h");
    return to.create(BatchId.next(), new BatchRequestBody(body), http.getHeaders(), caller);
  }

  private String input(Caller caller) {
    byte[] line = "{}".getBytes(UTF_8);
    String id = files.newId();
    Part part = Part.of(0, line.length);
    files.putPart(id, caller.tenant(), part.name(), line);
    StoredFile file =
        new StoredFile(
            id, caller.tenant(), "in", "batch", Instant.now(), Optional.empty(), List.of(part));
    return files.finish(file).id();
  }

  /** Does something before each record is written. */
  private record WriteHook(BatchLog log, Runnable before) implements BatchLog {
    @Override
    public void append(BatchRecord record) {
      before.run();
      log.append(record);
    }

    @Override
    public void awaitCurrent() {
      log.awaitCurrent();
    }

    @Override
    public Optional<Batch> find(String id) {
      return log.find(id);
    }

    @Override
    public List<Batch> ofTenant(String tenant) {
      return log.ofTenant(tenant);
    }

    @Override
    public List<Batch> unfinished(Set<Integer> partitions) {
      return log.unfinished(partitions);
    }

    @Override
    public void onChange(Runnable task) {
      log.onChange(task);
    }
  }
}
