package io.sluice.standalone.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.standalone.verify.BadBodiesCheck.Statuses;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A status that a pool gives instead of its engine's, and why: one entry of {@code
 * bad-body-statuses.json}.
 *
 * @param bodies the names of the bodies that it is about
 */
record StatusDecision(String reason, Pattern bodies, int engine, int pool) {

  static List<StatusDecision> load() {
    List<StatusDecision> decisions = new ArrayList<>();
    try (InputStream in = StatusDecision.class.getResourceAsStream("bad-body-statuses.json")) {
      for (JsonNode each : Json.tree(in.readAllBytes())) {
        decisions.add(
            new StatusDecision(
                each.path("reason").asText(),
                Pattern.compile(each.path("bodies").asText()),
                each.path("engine").asInt(),
                each.path("pool").asInt()));
      }
      return decisions;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether it allows these two statuses to differ. */
  boolean isAbout(Statuses statuses) {
    return bodies.matcher(statuses.name()).matches()
        && engine == statuses.engine()
        && pool == statuses.pool();
  }
}
