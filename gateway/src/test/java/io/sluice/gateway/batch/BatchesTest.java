package io.sluice.gateway.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpRequest;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.MemoryBatchLog;
import io.sluice.gateway.batch.run.MemoryObjects;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.files.StoredFile.Part;
import io.sluice.gateway.http.ApiException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchesTest {
  private static final Caller ACME = Caller.ofTenant("acme");

  private final Clock clock = Clock.systemUTC();
  private final MemoryBatchLog log = new MemoryBatchLog();
  private final FileStore files = new FileStore(new MemoryObjects(), clock);
  private final Batches batches = new Batches(log, files, clock);
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

  private Batch create(Caller caller) {
    ObjectNode body =
        Json.mapper()
            .createObjectNode()
            .put("input_file_id", input(caller))
            .put("endpoint", "/v1/chat/completions")
            .put("completion_window", "24h");
    return batches.create(new BatchRequestBody(body), http.getHeaders(), caller);
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
}
