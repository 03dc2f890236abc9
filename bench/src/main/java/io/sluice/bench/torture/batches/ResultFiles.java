package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** The contents of the two files with the results of a batch; a file that there is not is empty. */
record ResultFiles(String output, String errors) {
  /** Reads the files of a batch that has ended; empty if the caller gave up before. */
  static Optional<ResultFiles> of(JsonNode batch, PatientCaller caller)
      throws InterruptedException {
    Optional<String> output = content(batch.path("output_file_id"), caller);
    Optional<String> errors = content(batch.path("error_file_id"), caller);
    return output.isPresent() && errors.isPresent()
        ? Optional.of(new ResultFiles(output.get(), errors.get()))
        : Optional.empty();
  }

  private static Optional<String> content(JsonNode id, PatientCaller caller)
      throws InterruptedException {
    return id.isTextual() ? caller.get("/v1/files/" + id.asText() + "/content") : Optional.of("");
  }
}
