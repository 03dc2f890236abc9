package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Runs one batch at whichever gateway answers: uploads its input, creates it, looks at it until it
 * has ended, and reads its results. Used by one thread.
 */
final class BatchClient {
  private static final Set<String> ENDS = Set.of("completed", "failed", "expired", "cancelled");

  /** No batch of a run comes near its end. Clocks of brokers and routers may be hours ahead. */
  static final Duration WINDOW = Duration.ofHours(24);

  /** The name of a plan in the metadata of a batch. */
  static final String NAME = "plan";

  /** The second one if the batch has ended meanwhile. */
  private static final Set<Integer> CANCEL = Set.of(200, 409);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration POLL_EVERY = Duration.ofMillis(500);

  private final PlannedBatch plan;
  private final Gateways gateways;
  private final PatientCaller caller;
  private Optional<JsonNode> last = Optional.empty();
  private Optional<Long> cancelAtNanos = Optional.empty();
  private boolean isCancelled;
  private int sentAgain;

  BatchClient(PlannedBatch plan, Gateways gateways, int first, Duration limit) {
    this.plan = plan;
    this.gateways = gateways;
    this.caller = new PatientCaller(gateways, first, limit);
  }

  /** Returns when it has the results, or the time is over. */
  BatchSession run() throws InterruptedException {
    long beganMillis = System.currentTimeMillis();
    Optional<JsonNode> file = upload();
    if (file.isPresent()) {
      beganMillis = System.currentTimeMillis();
      last = create(file.get().path("id").asText());
    }
    while (last.isPresent() && !isEnded() && !caller.isOver()) {
      Thread.sleep(POLL_EVERY);
      poll(last.get().path("id").asText());
    }
    Optional<ResultFiles> results =
        isEnded() ? ResultFiles.of(last.orElseThrow(), caller) : Optional.empty();
    return new BatchSession(
        plan,
        beganMillis,
        last,
        isCancelled,
        results,
        caller.breaks(),
        sentAgain,
        caller.problems());
  }

  private boolean isEnded() {
    return last.filter(BatchClient::isEnded).isPresent();
  }

  /** Returns whether a batch has one of the statuses that nothing follows. */
  static boolean isEnded(JsonNode batch) {
    return ENDS.contains(batch.path("status").asText());
  }

  private Optional<JsonNode> upload() throws InterruptedException {
    var form = new UploadForm(plan.name() + ".jsonl", plan.input());
    return once("the upload", "/v1/files", form.contentType(), form.body());
  }

  private Optional<JsonNode> create(String fileId) throws InterruptedException {
    ObjectNode body = JSON.createObjectNode().put("input_file_id", fileId);
    body.put("endpoint", plan.endpoint());
    body.put("completion_window", WINDOW.toHours() + "h");
    body.putObject("metadata").put(NAME, plan.name());
    return once("the creation", "/v1/batches", "application/json", body.toString());
  }

  /** Sends a request that makes something more each time it is sent. */
  private Optional<JsonNode> once(String what, String path, String contentType, String body)
      throws InterruptedException {
    int[] sent = {0};
    Optional<String> answer =
        caller.call(
            what,
            PatientCaller.OK,
            at -> {
              sent[0]++;
              return gateways.post(at, path, contentType, body, PatientCaller.HEAD_WITHIN);
            });
    sentAgain += Math.max(0, sent[0] - 1);
    return answer.map(BatchClient::parse);
  }

  private void poll(String id) throws InterruptedException {
    caller
        .get("/v1/batches/" + id)
        .map(BatchClient::parse)
        .ifPresent(seen -> last = Optional.of(seen));
    if (plan.cancelAfter().isEmpty() || isCancelled) {
      return;
    }
    if (cancelAtNanos.isEmpty()
        && last.orElseThrow().path("status").asText().equals("in_progress")) {
      cancelAtNanos = Optional.of(System.nanoTime() + plan.cancelAfter().get().toNanos());
    }
    if (cancelAtNanos.filter(at -> System.nanoTime() - at >= 0).isPresent()) {
      isCancelled = true;
      caller.call(
          "the cancel",
          CANCEL,
          at ->
              gateways.post(
                  at, "/v1/batches/" + id + "/cancel", Map.of(), "", PatientCaller.HEAD_WITHIN));
    }
  }

  /** Returns a missing node for what is not JSON. */
  static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      return JSON.missingNode();
    }
  }
}
