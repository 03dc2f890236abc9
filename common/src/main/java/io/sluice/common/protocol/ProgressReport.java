package io.sluice.common.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a record of {@code sluice.outcomes}: one {@link Outcome}, or the progress of
 * several leases of one worker, which would otherwise be most of the records. In JSON, a progress
 * report has the {@code type} {@code progress}, {@code worker} and {@code incarnation}, and under
 * {@code leases} the remaining fields of each lease's own report.
 */
public final class ProgressReport {
  private static final String LEASES = "leases";
  private static final String WORKER = "worker";
  private static final String INCARNATION = "incarnation";

  private ProgressReport() {}

  /**
   * Returns the value of one record.
   *
   * @param progress the progress of at least one lease, all of one incarnation of a worker
   */
  public static byte[] toJson(List<Outcome> progress) {
    LeaseRef first = progress.getFirst().lease();
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("type", "progress");
    json.put(WORKER, first.worker());
    json.put(INCARNATION, first.incarnation());
    ArrayNode leases = json.putArray(LEASES);
    for (Outcome outcome : progress) {
      ObjectNode lease = leases.addObject();
      lease.setAll((ObjectNode) Json.mapper().valueToTree(outcome.lease()));
      lease.setAll((ObjectNode) Json.mapper().valueToTree(outcome.event()));
      lease.remove(List.of(WORKER, INCARNATION));
    }
    return Json.bytes(json);
  }

  /**
   * Parses a record of either kind.
   *
   * @return the outcomes that can be read; none if this version does not know the type or format
   */
  public static List<Outcome> parse(byte @Nullable [] json) {
    try {
      JsonNode node = Json.tree(json);
      if (!node.path(LEASES).isArray()) {
        return Outcome.read(node).stream().toList();
      }
      List<Outcome> outcomes = new ArrayList<>();
      for (JsonNode lease : node.path(LEASES)) {
        if (lease instanceof ObjectNode whole) {
          whole.set("type", node.path("type"));
          whole.set(WORKER, node.path(WORKER));
          whole.set(INCARNATION, node.path(INCARNATION));
          Outcome.read(whole)
              .filter(outcome -> outcome.event() instanceof Outcome.Progress)
              .ifPresent(outcomes::add);
        }
      }
      return List.copyOf(outcomes);
    } catch (IOException e) {
      return List.of();
    }
  }
}
