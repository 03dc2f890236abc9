package io.sluice.gateway.batch.run;

import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.batch.record.BatchId;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.record.CreatedBatchBuilder;
import java.util.Map;
import java.util.OptionalLong;

/** Batches of chats without options. */
final class TestBatches {
  private TestBatches() {}

  static CreatedBatch chats(String tenant, long createdAt, long expiresAt, String inputFileId) {
    return CreatedBatchBuilder.builder()
        .id(BatchId.next())
        .tenant(tenant)
        .createdAt(createdAt)
        .expiresAt(expiresAt)
        .inputFileId(inputFileId)
        .endpoint("/v1/chat/completions")
        .window("24h")
        .metadata(Map.of())
        .headers(Map.of())
        .limits(KeyLimits.NONE)
        .outputKeptSeconds(OptionalLong.empty())
        .build();
  }
}
