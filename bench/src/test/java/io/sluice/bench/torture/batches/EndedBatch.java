package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.Prompts;
import io.sluice.bench.torture.log.Journal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A batch of two requests and a line that is none between them, and the log of the requests. */
final class EndedBatch {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ENDPOINT = "/v1/completions";

  final Journal journal = new Journal();
  final List<String> output = new ArrayList<>();
  final List<String> errors = new ArrayList<>();
  String status = "completed";
  boolean mayBeCancelled;

  private int failed = 1;
  private long offset;

  /** Everything is as it should be. */
  static EndedBatch complete() {
    var batch = new EndedBatch();
    batch.completed("r0", "first").completed("r2", "third");
    batch.output.add(answer("r0", "c0", "first"));
    batch.output.add(answer("r2", "c2", "third"));
    batch.errors.add(broken(2, "invalid_json"));
    return batch;
  }

  /** The second request is not answered. */
  static EndedBatch withError(String row) {
    EndedBatch batch = complete();
    batch.output.removeLast();
    batch.errors.add(row);
    batch.failed = 2;
    return batch;
  }

  static PlannedBatch plan() {
    return new PlannedBatch(
        "plan",
        Duration.ZERO,
        ENDPOINT,
        List.of(
            PlannedLine.request("c0", ENDPOINT, body()),
            PlannedLine.invalidJson("c1", ENDPOINT, body()),
            PlannedLine.request("c2", ENDPOINT, body())),
        Optional.empty());
  }

  private static ObjectNode body() {
    return new Prompts(new Random(1)).completion("model", "hello").put("stream", false);
  }

  static String answer(String requestId, String customId, String text) {
    return """
        {"id":"batch_req_%s","custom_id":"%s","response":{"status_code":200,"request_id":"%s","body":%s},"error":null}"""
        .formatted(requestId, customId, requestId, whole(text));
  }

  static String refused(String requestId, String customId, String code) {
    return """
        {"id":"batch_req_%s","custom_id":"%s","response":{"status_code":500,"request_id":"%s",\
        "body":{"error":{"code":"%s"}}},"error":null}"""
        .formatted(requestId, customId, requestId, code);
  }

  static String withoutResponse(String requestId, String customId, String code) {
    return """
        {"id":"batch_req_%s","custom_id":"%s","response":null,"error":{"code":"%s","message":"?"}}"""
        .formatted(requestId, customId, code);
  }

  static String broken(int line, String code) {
    return """
        {"id":"batch_req_b","custom_id":null,"response":null,"error":{"code":"%s","message":"?","line":%d}}"""
        .formatted(code, line);
  }

  private static String whole(String text) {
    return """
        {"choices":[{"index":0,"text":"%s"}],"usage":{"completion_tokens":1}}"""
        .formatted(text);
  }

  private EndedBatch completed(String requestId, String text) {
    return record(PlannedRequest.REPLIES, requestId, "final", whole(text));
  }

  /** The log of a request ends with an error. */
  EndedBatch failed(String requestId, String code) {
    return record(
        PlannedRequest.REPLIES, requestId, "error", "{\"error\":{\"code\":\"" + code + "\"}}");
  }

  EndedBatch cancelled(String requestId) {
    return record("sluice.control", requestId, "", "{\"request_id\":\"" + requestId + "\"}");
  }

  private EndedBatch record(String topic, String requestId, String kind, String value) {
    var record =
        new ConsumerRecord<>(topic, 0, offset++, "", value.getBytes(StandardCharsets.UTF_8));
    header(record, "request-id", requestId);
    header(record, "kind", kind);
    header(record, "attempt", "1");
    header(record, "lease", "a");
    header(record, "index", "0");
    journal.add(record, 0);
    return this;
  }

  private static void header(ConsumerRecord<String, byte[]> record, String name, String value) {
    record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  FinishedBatch batch() {
    ObjectNode json = JSON.createObjectNode().put("id", "batch_1").put("status", status);
    json.putObject("request_counts")
        .put("total", 3)
        .put("completed", 3 - failed)
        .put("failed", failed);
    return FinishedBatch.of(
        plan(),
        json,
        mayBeCancelled,
        0,
        new ResultFiles(String.join("\n", output), String.join("\n", errors)));
  }

  /** Returns what was found, in words. */
  List<String> found() {
    return ResultCheck.check(batch(), journal);
  }
}
