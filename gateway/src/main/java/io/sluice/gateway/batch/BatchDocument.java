package io.sluice.gateway.batch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchProgress;
import io.sluice.gateway.batch.record.Counts;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.record.LineProblem;
import io.sluice.gateway.batch.record.Phase;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** OpenAI's {@code batch} object. */
final class BatchDocument {
  private static final int MILLIS = 1_000;

  private BatchDocument() {}

  static ObjectNode of(Batch batch) {
    CreatedBatch created = batch.created();
    BatchProgress progress = batch.progress();
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("id", created.id()).put("object", "batch").put("endpoint", created.endpoint());
    json.put("model", progress.model().orElse(null));
    json.set("errors", errors(progress.problems()));
    json.put("input_file_id", created.inputFileId()).put("completion_window", created.window());
    json.put("status", batch.status());
    json.put("output_file_id", progress.hasOutput() ? batch.outputFileId() : null);
    json.put("error_file_id", progress.hasErrors() ? batch.errorFileId() : null);
    json.put("created_at", created.createdAt() / MILLIS);
    json.put("expires_at", created.expiresAt() / MILLIS);
    for (Phase phase : Phase.values()) {
      if (phase != Phase.VALIDATING) {
        put(json, phase.label() + "_at", progress.reached(phase));
      }
    }
    put(json, "cancelling_at", batch.cancellingAt());
    Counts counts = progress.counts();
    json.putObject("request_counts")
        .put("total", progress.total())
        .put("completed", counts.completed())
        .put("failed", counts.failed());
    json.set("usage", usage(counts));
    json.set("metadata", Json.mapper().valueToTree(created.metadata()));
    return json;
  }

  private static void put(ObjectNode json, String name, OptionalLong millis) {
    json.put(name, millis.isPresent() ? (Long) (millis.getAsLong() / MILLIS) : null);
  }

  private static @Nullable ObjectNode errors(List<LineProblem> problems) {
    if (problems.isEmpty()) {
      return null;
    }
    ObjectNode json = Json.mapper().createObjectNode().put("object", "list");
    ArrayNode data = json.putArray("data");
    for (LineProblem problem : problems) {
      data.addObject()
          .put("code", problem.code())
          .put("message", problem.message())
          .putNull("param")
          .put("line", problem.line());
    }
    return json;
  }

  private static ObjectNode usage(Counts counts) {
    ObjectNode json = Json.mapper().createObjectNode().put("input_tokens", counts.input());
    json.putObject("input_tokens_details").put("cached_tokens", counts.cached());
    json.put("output_tokens", counts.output());
    json.putObject("output_tokens_details").put("reasoning_tokens", counts.reasoning());
    return json.put("total_tokens", counts.input() + counts.output());
  }
}
