package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.TestWorker;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every state by every event: where the request stands afterwards, and what was done to the world.
 */
class SchedulerTransitionsTest {
  /**
   * {@code state | events | next state | effects}. "own" is the lease that the request has or had
   * last, "other" one of the same attempt, "ahead" one of a higher attempt.
   */
  private static final String TABLE =
      """
      unknown  | request                                     | leased   | assign
      unknown  | own-accepted own-started own-progress       | unknown  | revoke
      unknown  | own-completed own-failed own-broken own-returned own-superseded | unknown | -
      unknown  | own-cancelled own-expired                   | unknown  | -
      unknown  | deadline written not-written                | unknown  | -
      unknown  | cancel                                      | cancelled | -
      unknown  | extend reprioritise                         | amended  | -

      cancelled | request                                    | ending   | terminal:cancelled
      cancelled | own-accepted own-started own-progress      | cancelled | revoke
      cancelled | own-completed own-failed own-broken own-returned own-superseded | cancelled | -
      cancelled | own-cancelled own-expired                  | cancelled | -
      cancelled | cancel extend reprioritise deadline written not-written | cancelled | -

      amended  | request                                     | leased   | assign
      amended  | own-accepted own-started own-progress       | amended  | revoke
      amended  | own-completed own-failed own-broken own-returned own-superseded | amended | -
      amended  | own-cancelled own-expired                   | amended  | -
      amended  | extend reprioritise deadline written not-written | amended | -
      amended  | cancel                                      | cancelled | -

      pending  | request worker-gone written not-written     | pending  | -
      pending  | repeat                                      | pending  | pointer
      pending  | extend reprioritise                         | pending  | -
      pending  | own-accepted own-progress                   | leased   | -
      pending  | own-started                                 | started  | -
      pending  | own-completed own-cancelled                 | ended    | -
      pending  | own-expired                                 | ending   | dead-letter:deadline_exceeded
      pending  | own-broken                                  | ending   | dead-letter:invalid_request
      pending  | own-failed own-returned own-superseded      | pending  | -
      pending  | cancel                                      | ending   | terminal:cancelled
      pending  | deadline | ending | dead-letter:deadline_exceeded terminal:deadline_exceeded

      retrying | request worker-gone written extend reprioritise | pending | -
      retrying | repeat                                      | pending  | pointer
      retrying | own-accepted own-started own-progress       | pending  | revoke
      retrying | own-completed own-cancelled                 | ended    | -
      retrying | own-expired                                 | ending   | dead-letter:deadline_exceeded
      retrying | own-broken                                  | ending   | dead-letter:invalid_request
      retrying | own-failed own-returned own-superseded      | pending  | -
      retrying | other-accepted                              | pending  | revoke
      retrying | other-completed other-broken                | pending  | -
      retrying | ahead-accepted                              | leased   | -
      retrying | ahead-completed                             | ended    | -
      retrying | cancel                                      | ending   | terminal:cancelled
      retrying | deadline | ending | dead-letter:deadline_exceeded terminal:deadline_exceeded

      leased   | request written not-written                 | leased   | -
      leased   | extend reprioritise                         | leased   | amend
      leased   | repeat                                      | leased   | pointer
      leased   | own-accepted own-progress                   | leased   | -
      leased   | own-started                                 | started  | -
      leased   | own-completed own-cancelled                 | ended    | -
      leased   | own-expired                                 | ending   | dead-letter:deadline_exceeded
      leased   | own-broken                                  | ending   | dead-letter:invalid_request
      leased   | own-failed own-returned own-superseded      | pending  | -
      leased   | other-accepted other-completed other-broken other-returned | leased | revoke revoke assign
      leased   | ahead-accepted                              | leased   | revoke
      leased   | ahead-completed                             | ended    | revoke
      leased   | worker-gone                                 | pending  | revoke
      leased   | cancel                                      | ending   | revoke terminal:cancelled
      leased   | deadline | ending | revoke dead-letter:deadline_exceeded terminal:deadline_exceeded

      started  | request written not-written                 | started  | -
      started  | extend reprioritise                         | started  | amend
      started  | repeat                                      | started  | pointer
      started  | own-accepted own-progress own-started       | started  | -
      started  | own-completed own-cancelled                 | ended    | -
      started  | own-expired                                 | ending   | dead-letter:deadline_exceeded
      started  | own-broken                                  | ending   | dead-letter:invalid_request
      started  | own-failed own-returned own-superseded      | pending  | -
      started  | other-accepted other-completed other-broken other-returned | leased | revoke revoke assign
      started  | ahead-accepted                              | leased   | revoke
      started  | ahead-completed                             | ended    | revoke
      started  | worker-gone                                 | pending  | revoke
      started  | cancel                                      | ending   | revoke terminal:cancelled
      started  | deadline | ending | revoke dead-letter:deadline_exceeded terminal:deadline_exceeded

      ending   | request extend reprioritise cancel worker-gone deadline | ending | -
      ending   | repeat                                      | ending   | pointer
      ending   | own-accepted own-started own-progress other-accepted ahead-accepted | ending | revoke
      ending   | own-completed own-failed own-broken own-returned own-superseded | ending | -
      ending   | own-cancelled own-expired ahead-completed   | ending   | -
      ending   | not-written                                 | ending   | terminal:cancelled
      ending   | written                                     | ended    | -

      ended    | request extend reprioritise cancel worker-gone deadline | ended | -
      ended    | repeat                                      | ended    | pointer
      ended    | own-accepted own-started own-progress other-accepted ahead-accepted | ended | revoke
      ended    | own-completed own-failed own-broken own-returned own-superseded | ended | -
      ended    | own-cancelled own-expired ahead-completed   | ended    | -
      ended    | written not-written                         | ended    | -
      """;

  private static final TestRequest REQUEST = new TestRequest("r");

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  static Stream<Arguments> rows() {
    return TABLE
        .lines()
        .filter(line -> !line.isBlank())
        .map(line -> line.split("\\|"))
        .flatMap(
            cells ->
                Arrays.stream(cells[1].strip().split(" +"))
                    .map(
                        event ->
                            Arguments.of(
                                cells[0].strip(), event, cells[2].strip(), cells[3].strip())));
  }

  @ParameterizedTest(name = "{0} + {1} -> {2}, doing {3}")
  @MethodSource("rows")
  void anEventLeadsFromOneStateToTheNext(
      String state, String event, String next, String expectedEffects) {
    // Given
    LeaseRef own = bringTo(state);
    task.effects.clear();

    // When
    happen(event, own);

    // Then
    assertThat(task.stateName("r")).isEqualTo(next);
    assertThat(task.effects.log.isEmpty() ? "-" : String.join(" ", task.effects.log))
        .isEqualTo(expectedEffects);
  }

  private LeaseRef bringTo(String state) {
    switch (state) {
      case "unknown" -> router.join(new TestWorker("w1"));
      case "pending" -> task.request(REQUEST);
      case "cancelled" -> {
        router.join(new TestWorker("w1"));
        task.control(new Control.Cancel("r"));
      }
      case "amended" -> {
        router.join(new TestWorker("w1"));
        task.control(new Control.Reprioritise("r", Priority.URGENT));
      }
      default -> {
        router.join(new TestWorker("w1"));
        task.request(REQUEST);
      }
    }
    LeaseRef own =
        task.effects.assigned.isEmpty()
            ? new LeaseRef("r", 1, "made-up", "w1", "first")
            : task.effects.lastLease();
    switch (state) {
      case "retrying" -> task.outcome(own, new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0));
      case "started" -> task.outcome(own, VirtualTask.started(7));
      case "ending" -> task.control(new Control.Cancel("r"));
      case "ended" -> task.outcome(own, VirtualTask.completed());
      default -> {}
    }
    assertThat(task.stateName("r")).isEqualTo(state.equals("retrying") ? "pending" : state);
    return own;
  }

  private void happen(String event, LeaseRef own) {
    switch (event) {
      case "request" -> task.request(REQUEST);
      case "repeat" ->
          task.request(
              new TestRequest("r").at(99).replyTo(new ReplyAddress("sluice.replies.other", 0)));
      case "cancel" -> task.control(new Control.Cancel("r"));
      case "extend" ->
          task.control(new Control.Extend("r", VirtualRouter.START_EPOCH_MILLIS + 70_000));
      case "reprioritise" -> task.control(new Control.Reprioritise("r", Priority.URGENT));
      case "written" -> task.endWritten("r");
      case "not-written" -> {
        task.endNotWritten("r");
        router.pass(Duration.ofMillis(1_020));
      }
      case "deadline" -> {
        router.leave("w1");
        router.join(new TestWorker("w2").models("another"));
        router.join(new TestWorker("w1").slots(0));
        router.freeze(Duration.ofSeconds(62));
        router.tick();
        router.tick();
      }
      case "worker-gone" -> {
        router.leave("w1");
        router.pass(Duration.ofMillis(40));
      }
      default -> {
        String[] whoAndWhat = event.split("-");
        task.outcome(lease(whoAndWhat[0], own), event(whoAndWhat[1]));
      }
    }
  }

  private static LeaseRef lease(String who, LeaseRef own) {
    return switch (who) {
      case "own" -> own;
      case "other" -> new LeaseRef("r", own.attempt(), "another", "w9", "first");
      case "ahead" -> new LeaseRef("r", own.attempt() + 3, "ahead", "w9", "first");
      default -> throw new IllegalArgumentException(who);
    };
  }

  private static Outcome.Event event(String what) {
    return switch (what) {
      case "accepted" -> new Outcome.Accepted();
      case "started" -> VirtualTask.started(7);
      case "progress" -> new Outcome.Progress(3);
      case "completed" -> VirtualTask.completed();
      case "failed" -> TestWorker.failure(0);
      case "broken" -> TestWorker.rejection();
      case "returned" -> new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0);
      case "superseded" -> new Outcome.Superseded();
      case "cancelled" -> new Outcome.Cancelled();
      case "expired" -> new Outcome.Expired();
      default -> throw new IllegalArgumentException(what);
    };
  }
}
