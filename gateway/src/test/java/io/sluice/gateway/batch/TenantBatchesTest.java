package io.sluice.gateway.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchProgress;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.record.LineProblem;
import io.sluice.gateway.batch.record.MemoryBatchLog;
import io.sluice.gateway.batch.record.TestBatches;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.http.ApiException;
import java.util.Collections;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TenantBatchesTest {
  private static final LineProblem LONG = new LineProblem("invalid_json_line", "x".repeat(200), 1L);

  private final MemoryBatchLog log = new MemoryBatchLog();

  @Test
  void batchesWithManyErrorsLeaveNoRoomForOthersOfTheirTenant() {
    // Given room for one batch without errors, and one with a hundred
    CreatedBatch wrong = created("acme");
    log.append(wrong);
    long small = log.find(wrong.id()).map(Batch::memoryBytes).orElseThrow();
    log.append(
        BatchProgress.none(wrong.id())
            .scanned(100, Optional.empty(), Collections.nCopies(100, LONG)));
    TenantBatches batches =
        new TenantBatches(log, new BatchSettings(1, 1, 1, 100, 100), small + 100 * 200);

    // Then
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> batches.add(created("acme")))
        .withMessageContaining("too many errors")
        .satisfies(e -> assertThat(e.error().status()).isEqualTo(429));
    assertThatCode(() -> batches.add(created("other"))).doesNotThrowAnyException();
  }

  private static CreatedBatch created(String tenant) {
    return TestBatches.chats(tenant, 0, Long.MAX_VALUE, "file");
  }
}
