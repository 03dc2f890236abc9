package io.sluice.gateway.batch.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.files.StoredFile.Part;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log of batches outlives its gateways, and one record in it must stop none of them. */
class BatchFormatTest {
  private static final List<BatchRecord> RECORDS =
      List.of(BatchProgress.none("batch_1"), new BatchCancellation("batch_1", 7));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "null",
        "[]",
        "\"text\"",
        "{\"v\":1",
        "{\"v\":2,\"type\":\"cancel\",\"id\":\"batch_1\"}",
        "{\"v\":1,\"type\":\"paused\",\"id\":\"batch_1\"}",
        "{\"v\":1,\"type\":\"created\"}",
        "{\"v\":1,\"type\":\"created\",\"id\":null}",
        "{\"v\":1,\"type\":\"cancel\"}",
        "{\"v\":1,\"type\":\"progress\",\"id\":\"batch_1\"}",
        "{\"v\":1,\"type\":\"progress\",\"id\":[]}"
      })
  void aMalformedRecordOrOneOfAnotherVersionIsNone(String value) {
    assertThat(BatchFormat.parse(value.getBytes(UTF_8))).isEmpty();
  }

  /** A gateway that was taken for dead writes after another one has ended the batch. */
  @Test
  void compactionKeepsTheFirstEndOfABatch() {
    // Given
    CreatedBatch created = TestBatches.chats("acme", 0, 1, "file-1");
    BatchProgress begun = BatchProgress.none(created.id()).in(Phase.IN_PROGRESS, 1);
    List<BatchRecord> written =
        List.of(
            created,
            begun,
            begun.in(Phase.COMPLETED, 2),
            begun.in(Phase.IN_PROGRESS, 3),
            begun.in(Phase.FAILED, 4));

    // When
    Map<String, BatchRecord> kept = new LinkedHashMap<>();
    written.forEach(record -> kept.put(BatchFormat.key(record), record));
    BatchTable table = new BatchTable();
    kept.values().forEach(record -> table.add(0, record));

    // Then
    assertThat(table.find(created.id()).orElseThrow().progress().phase())
        .isEqualTo(Phase.COMPLETED);
  }

  @Test
  void theSizeOfARecordIsKnownWithoutItsJson() {
    // Given a batch with many parts, and one with many problems
    List<Part> parts =
        IntStream.range(0, 500)
            .mapToObj(i -> new Part("1y2p0ij32e8e7-%08d".formatted(i), 10_000))
            .toList();
    BatchProgress none = BatchProgress.none(BatchId.next()).in(Phase.IN_PROGRESS, 1);
    BatchProgress large =
        none.at(new Checkpoint(1, 1, Counts.NONE, parts, parts), Counts.answered(Usage.of(3, 4)));
    BatchProgress wrong =
        none.scanned(
            100,
            Optional.of("m"),
            Collections.nCopies(100, new LineProblem("invalid_json", "x".repeat(200), 7L)));

    // Then
    for (BatchProgress progress : List.of(none, large, wrong)) {
      assertThat(progress.recordBytes())
          .isCloseTo(BatchFormat.toJson(progress).length, Percentage.withPercentage(25));
    }
    CreatedBatch created = TestBatches.chats("acme", 0, 1, "file");
    assertThat(new Batch(created, large, OptionalLong.empty()).memoryBytes())
        .isBetween(90_000L, 110_000L);
  }

  @Test
  void aTombstoneIsNone() {
    assertThat(BatchFormat.parse(null)).isEmpty();
  }

  @Test
  void theProgressOfAnEarlierGatewayNamesNoModel() throws IOException {
    // Given
    BatchProgress progress =
        BatchProgress.none("batch_1").scanned(3, Optional.of("m"), List.of()).in(Phase.FAILED, 1);
    ObjectNode json = (ObjectNode) Json.tree(BatchFormat.toJson(progress));

    // Then
    assertThat(BatchFormat.parse(Json.bytes(json))).contains(progress);
    json.remove("model");
    assertThat(BatchFormat.parse(Json.bytes(json)))
        .contains(progress.scanned(3, Optional.empty(), List.of()));
  }

  @Test
  void whatALaterGatewayAddedIsIgnored() throws IOException {
    for (BatchRecord record : RECORDS) {
      // Given
      ObjectNode json = (ObjectNode) Json.tree(BatchFormat.toJson(record));
      json.put("added_later", 7);

      // Then
      assertThat(BatchFormat.parse(Json.bytes(json))).contains(record);
    }
  }
}
