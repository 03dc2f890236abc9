package io.sluice.router.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.PastAttempt;
import io.sluice.common.protocol.Priority;
import io.sluice.router.request.RequestState.Ending;
import io.sluice.router.request.RequestState.Leased;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestState.Started;
import io.sluice.router.schedule.TestRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Upgrade and rollback: values that another version of the router has stored. */
class StoredVersionsTest {
  private static final long START = 1_800_000_000_000L;
  private static final LeaseRef STARTED =
      new LeaseRef(
          "started", 2, "550e8400-e29b-41d4-a716-446655440000", "worker-17", "boot-9f3a.1");

  /** What each recorded value says, in the order of the file. */
  private static final List<StoredRequest> MEANT = meant();

  @Test
  void valuesFromBeforeTheVersionNumberAreReadAsTheyWereMeant() throws IOException {
    assertThat(StoredValues.recorded())
        .map(kept -> StoredRequest.fromBytes(kept.requestId(), kept.value()))
        .isEqualTo(MEANT);
  }

  @Test
  void valuesAreWrittenAsAnOlderRouterReadsThem() throws IOException {
    List<StoredValues.Kept> recorded = StoredValues.recorded();
    for (int i = 0; i < recorded.size(); i++) {
      byte[] before = recorded.get(i).value();
      byte[] now = bytes(MEANT.get(i));
      if (recorded.get(i).isJson()) {
        // An older router ignores the field that it does not know.
        ObjectNode json = (ObjectNode) Json.tree(now);
        assertThat(json.remove("version").asInt()).isEqualTo(1);
        assertThat((JsonNode) json).isEqualTo(Json.tree(before));
      } else {
        assertThat(now).isEqualTo(before);
      }
    }
  }

  /** A later router that only adds fields writes the same version. */
  @Test
  void whatALaterRouterAddedIsIgnoredAfterARollback() throws IOException {
    // Given
    List<StoredRequest> read = new ArrayList<>();
    for (StoredValues.Kept kept : StoredValues.recorded()) {
      byte[] later = kept.value();
      if (kept.isJson()) {
        ObjectNode json = (ObjectNode) Json.tree(kept.value());
        addEverywhere(json);
        later = Json.bytes(json.put("version", 1));
      }

      // When
      read.add(StoredRequest.fromBytes(kept.requestId(), later));
    }

    // Then
    assertThat(read).isEqualTo(MEANT);
  }

  private static void addEverywhere(JsonNode node) {
    node.forEach(StoredVersionsTest::addEverywhere);
    if (node instanceof ObjectNode object) {
      object.put("added_later", 7).putObject("added_too").put("state", "new");
    }
  }

  private static byte[] bytes(StoredRequest stored) {
    return switch (stored) {
      case TrackedRequest tracked -> tracked.toBytes();
      case EndedRequest ended -> ended.toBytes();
      case EarlyControl control -> control.toBytes();
      case UnreadableRequest bad -> throw new AssertionError(bad.cause());
    };
  }

  private static List<StoredRequest> meant() {
    History leasedOnce = History.NONE.leased(1, START + 100);
    TrackedRequest started =
        new TrackedRequest(
            new TestRequest("started").priority(Priority.BULK).metadata(),
            new History(
                2,
                1,
                40,
                OptionalLong.of(17),
                OptionalLong.of(START + 200),
                List.of(
                    new PastAttempt(
                        1,
                        "w1",
                        "l-0",
                        START,
                        START + 150,
                        12,
                        new AttemptEnd(
                            AttemptEnd.Reason.FAILED, "stall", 503, "no token for 30 s"))),
                1,
                new History.Scans(Optional.of(new ReplyStart(OptionalLong.of(16), START)), 1, 1)),
            new Started(STARTED));
    return List.of(
        new TrackedRequest(
            new TestRequest("pending").tiers("fast").fallback("mini").metadata(),
            History.NONE,
            Pending.received()),
        new TrackedRequest(
            new TestRequest("waiting-again").metadata(),
            leasedOnce,
            new Pending(
                START + 900, Optional.of(new LeaseRef("waiting-again", 1, "l-1", "w1", "i-1")))),
        new TrackedRequest(
            new TestRequest("leased").metadata(),
            leasedOnce,
            new Leased(new LeaseRef("leased", 1, "l-2", "w1", "i-1"))),
        started,
        new TrackedRequest(
            new TestRequest("ending").metadata(),
            leasedOnce,
            new Ending(
                new LeaseRef("ending", 1, "l-3", "router", "none"),
                ErrorKind.OVERLOADED,
                "the backlog of this router is full; try again later",
                OptionalLong.of(1_000),
                List.of(EndRecord.DEAD_LETTER, EndRecord.TERMINAL))),
        new EndedRequest(
            "ended",
            "default",
            new TestRequest("ended").metadata().source(),
            new TrackedRequest(
                    new TestRequest("ended").metadata(), started.history(), started.state())
                .answer(),
            START + 3_660_000),
        EarlyControl.of(new Control.Cancel("cancelled-early"), START + 3_600_000),
        EarlyControl.of(new Control.Extend("amended-early", START + 600_000), START + 3_600_000)
            .and(new Control.Reprioritise("amended-early", Priority.URGENT), START + 3_700_000));
  }
}
