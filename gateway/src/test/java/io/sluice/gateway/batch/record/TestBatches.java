package io.sluice.gateway.batch.record;

import io.sluice.gateway.access.KeyLimits;
import java.util.Map;
import java.util.OptionalLong;

/** Batches of chats without options. */
public final class TestBatches {
  private TestBatches() {}

  public static CreatedBatch chats(
      String tenant, long createdAt, long expiresAt, String inputFileId) {
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
