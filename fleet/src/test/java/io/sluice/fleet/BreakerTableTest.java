package io.sluice.fleet;

import static io.sluice.fleet.breaker.BreakerPhase.CLOSED;
import static io.sluice.fleet.breaker.BreakerPhase.HALF_OPEN;
import static io.sluice.fleet.breaker.BreakerPhase.OPEN;
import static io.sluice.fleet.breaker.OperatorOverride.AUTO;
import static io.sluice.fleet.breaker.OperatorOverride.FORCED_CLOSED;
import static io.sluice.fleet.breaker.OperatorOverride.FORCED_OPEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerEvent.EngineDown;
import io.sluice.fleet.breaker.BreakerEvent.EngineUp;
import io.sluice.fleet.breaker.BreakerEvent.Failed;
import io.sluice.fleet.breaker.BreakerEvent.Overridden;
import io.sluice.fleet.breaker.BreakerEvent.Restored;
import io.sluice.fleet.breaker.BreakerEvent.Succeeded;
import io.sluice.fleet.breaker.BreakerEvent.Ticked;
import io.sluice.fleet.breaker.BreakerEvent.Timed;
import io.sluice.fleet.breaker.BreakerEvent.Tripped;
import io.sluice.fleet.breaker.BreakerEvent.Usage;
import io.sluice.fleet.breaker.BreakerEvent.WorkerStarted;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.breaker.FailureCircuit;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.fleet.redis.TestRedis;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The transition table: a state, an event and the resulting state, in Java and in Redis. */
class BreakerTableTest {
  private static final long T = 1_700_000_000_000L;
  private static final long NOW = T + 1_000_000;
  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;

  private static TestRedis redis;

  @BeforeAll
  static void startRedis() {
    redis = new TestRedis();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  static Stream<Arguments> rows() {
    BreakerState fresh = state(circuit(CLOSED, 0, 0, 0, 0, 0));
    BreakerState fourFailures = state(circuit(CLOSED, 4, 0, 0, 0, 0));
    BreakerState open = state(circuit(OPEN, 0, 0, 1, NOW + 10 * SECOND, T));
    BreakerState halfOpen = state(circuit(HALF_OPEN, 0, 0, 1, NOW - SECOND, T));
    BreakerState shortOfMemory = fullOf(fresh);
    BreakerState dead = deadOf(fresh);
    return Stream.of(
        // Memory: opens above 0.88, closes below 0.792.
        same("usage at the limit opens nothing", fresh, new Usage(0.88)),
        row("usage above the limit opens", fresh, new Usage(0.8801), shortOfMemory, OPEN),
        same("usage between the limits leaves it open", shortOfMemory, new Usage(0.8)),
        same("usage at the lower limit leaves it open", shortOfMemory, new Usage(0.792)),
        row("usage below the lower limit closes", shortOfMemory, new Usage(0.7919), fresh, CLOSED),
        same("usage between the limits leaves it closed", fresh, new Usage(0.85)),
        row(
            "memory relief does not close what failures opened",
            fullOf(open),
            new Usage(0.1),
            open,
            OPEN),
        row(
            "memory pressure adds to what failures opened",
            open,
            new Usage(0.95),
            fullOf(open),
            OPEN),
        // Failures: the fifth in a row opens for 30 s.
        row(
            "a failure is counted",
            fresh,
            new Failed(),
            state(circuit(CLOSED, 1, 0, 0, 0, 0)),
            CLOSED),
        row(
            "the fifth failure in a row opens",
            fourFailures,
            new Failed(),
            state(circuit(OPEN, 0, 0, 1, NOW + 30 * SECOND, NOW)),
            OPEN),
        row("a success ends the row", fourFailures, new Succeeded(), fresh, CLOSED),
        same("a success while closed changes nothing", fresh, new Succeeded()),
        same("what fails while it is open began before", open, new Failed()),
        same("what succeeds while it is open began before", open, new Succeeded()),
        row(
            "relief of failures leaves memory pressure",
            fullOf(fourFailures),
            new Succeeded(),
            shortOfMemory,
            OPEN),
        // Time.
        same("time that is not over leaves it open", open, new Ticked()),
        row(
            "time that is over makes it half open",
            state(circuit(OPEN, 0, 0, 1, NOW, T)),
            new Ticked(),
            state(circuit(HALF_OPEN, 0, 0, 1, NOW, NOW)),
            HALF_OPEN),
        row(
            "an end beyond every open time is not waited for",
            state(circuit(OPEN, 0, 0, 1, NOW + 5 * MINUTE + 1, T)),
            new Ticked(),
            state(circuit(HALF_OPEN, 0, 0, 1, NOW + 5 * MINUTE + 1, NOW)),
            HALF_OPEN),
        same("time changes nothing while closed", fresh, new Ticked()),
        same("time changes nothing while half open", halfOpen, new Ticked()),
        // Probes.
        row(
            "a probe that succeeds is counted",
            halfOpen,
            new Succeeded(),
            state(circuit(HALF_OPEN, 0, 1, 1, NOW - SECOND, T)),
            HALF_OPEN),
        row(
            "the third probe that succeeds closes",
            state(circuit(HALF_OPEN, 0, 2, 1, NOW - SECOND, T)),
            new Succeeded(),
            state(circuit(CLOSED, 0, 0, 1, NOW - SECOND, NOW)),
            CLOSED),
        row(
            "a probe that fails opens for twice as long",
            state(circuit(HALF_OPEN, 0, 2, 1, NOW - SECOND, T)),
            new Failed(),
            state(circuit(OPEN, 0, 0, 2, NOW + 60 * SECOND, NOW)),
            OPEN),
        row(
            "the fourth opening is for four minutes",
            state(circuit(HALF_OPEN, 0, 0, 3, NOW, T)),
            new Failed(),
            state(circuit(OPEN, 0, 0, 4, NOW + 4 * MINUTE, NOW)),
            OPEN),
        row(
            "no opening is for more than five minutes",
            state(circuit(HALF_OPEN, 0, 0, 40, NOW, T)),
            new Failed(),
            state(circuit(OPEN, 0, 0, 41, NOW + 5 * MINUTE, NOW)),
            OPEN),
        row(
            "a relapse soon after closing opens for longer",
            state(circuit(CLOSED, 4, 0, 1, T, NOW - MINUTE)),
            new Failed(),
            state(circuit(OPEN, 0, 0, 2, NOW + MINUTE, NOW)),
            OPEN),
        row(
            "ten minutes closed are forgiveness",
            state(circuit(CLOSED, 4, 0, 3, T, NOW - 10 * MINUTE)),
            new Failed(),
            state(circuit(OPEN, 0, 0, 1, NOW + 30 * SECOND, NOW)),
            OPEN),
        // Trips by others.
        row(
            "a trip opens without counting",
            fresh,
            new Tripped(),
            state(circuit(OPEN, 0, 0, 1, NOW + 30 * SECOND, NOW)),
            OPEN),
        row(
            "a trip extends the open time",
            open,
            new Tripped(),
            state(circuit(OPEN, 0, 0, 1, NOW + 30 * SECOND, T)),
            OPEN),
        same(
            "a trip never shortens the open time",
            state(circuit(OPEN, 0, 0, 1, NOW + 31 * SECOND, T)),
            new Tripped()),
        row(
            "a trip while half open is a relapse",
            halfOpen,
            new Tripped(),
            state(circuit(OPEN, 0, 0, 2, NOW + MINUTE, NOW)),
            OPEN),
        // The engine.
        row("a dead engine opens", fresh, new EngineDown(), dead, OPEN),
        same("a dead engine stays dead", dead, new EngineDown()),
        row(
            "an engine that is back is probed",
            dead,
            new EngineUp(),
            state(circuit(HALF_OPEN, 0, 0, 0, 0, NOW)),
            HALF_OPEN),
        row(
            "an engine that is back is probed, whatever it failed at when it died",
            deadOf(open),
            new EngineUp(),
            state(circuit(HALF_OPEN, 0, 0, 1, NOW + 10 * SECOND, NOW)),
            HALF_OPEN),
        same("an engine that was not away changes nothing", open, new EngineUp()),
        row(
            "an engine that is back is not relieved of memory pressure",
            fullOf(dead),
            new EngineUp(),
            fullOf(state(circuit(HALF_OPEN, 0, 0, 0, 0, NOW))),
            OPEN),
        // The worker.
        same(
            "a worker that starts with a closed breaker has nothing to prove",
            fresh,
            new WorkerStarted()),
        row(
            "a worker that starts again is probed, whatever an earlier process failed at",
            open,
            new WorkerStarted(),
            state(circuit(HALF_OPEN, 0, 0, 1, NOW + 10 * SECOND, NOW)),
            HALF_OPEN),
        row(
            "a worker that starts again may have a new engine",
            fullOf(dead),
            new WorkerStarted(),
            state(circuit(HALF_OPEN, 0, 0, 0, 0, NOW)),
            HALF_OPEN),
        same(
            "an operator's word outlasts a worker's restart",
            by(FORCED_OPEN, "fan", fresh),
            new WorkerStarted()),
        // The operator.
        row(
            "an operator opens",
            fresh,
            new Overridden(FORCED_OPEN, "a \"fan\" / é"),
            by(FORCED_OPEN, "a \"fan\" / é", fresh),
            OPEN),
        row(
            "an operator closes, against every cause",
            fullOf(deadOf(open)),
            new Overridden(FORCED_CLOSED, "sure"),
            by(FORCED_CLOSED, "sure", fullOf(deadOf(open))),
            CLOSED),
        row(
            "evidence is gathered under an operator's word",
            by(FORCED_CLOSED, "", fresh),
            new Usage(0.9),
            by(FORCED_CLOSED, "", shortOfMemory),
            CLOSED),
        row(
            "a word that is taken back leaves the evidence",
            by(FORCED_CLOSED, "sure", shortOfMemory),
            new Overridden(AUTO, ""),
            shortOfMemory,
            OPEN),
        // Writers.
        same("a stale writer loses", fresh, new Restored(at(T, dead))),
        same("a writer of the same epoch loses", fresh, new Restored(deadOf(fresh))),
        exact("a later writer wins", fresh, new Restored(later(dead)), later(dead)),
        exact(
            "a later writer does not undo an operator's word",
            by(FORCED_OPEN, "fan", fresh),
            new Restored(later(fresh)),
            at(T + 8, by(FORCED_OPEN, "fan", fresh))),
        exact(
            "what nobody remembers is restored with the operator's word",
            BreakerState.NEW,
            new Restored(by(FORCED_OPEN, "fan", fresh)),
            by(FORCED_OPEN, "fan", fresh)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void inJava(
      String name, BreakerState before, Timed event, BreakerState after, BreakerPhase phase) {
    assertThat(after.phase()).isEqualTo(phase);
    assertThat(Breaker.next(before, List.of(event))).isEqualTo(after);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void inRedis(
      String name, BreakerState before, Timed event, BreakerState after, BreakerPhase phase) {
    RedisFleetRegistry registry =
        new RedisFleetRegistry(redis.client(), UUID.randomUUID().toString());
    if (before.epoch() > 0) {
      TestRedis.get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Restored(before), T))));
    }

    BreakerState found = TestRedis.get(registry.applyToBreaker("gpu-1", List.of(event)));

    assertThat(found).isEqualTo(after);
  }

  /** A change whose epoch is its time. */
  private static Arguments row(
      String name,
      BreakerState before,
      BreakerEvent event,
      BreakerState after,
      BreakerPhase phase) {
    return arguments(name, before, new Timed(event, NOW), at(NOW, after), phase);
  }

  private static Arguments same(String name, BreakerState state, BreakerEvent event) {
    return arguments(name, state, new Timed(event, NOW), state, state.phase());
  }

  /** A change with an explicit epoch. */
  private static Arguments exact(
      String name, BreakerState before, BreakerEvent event, BreakerState after) {
    return arguments(name, before, new Timed(event, T), after, after.phase());
  }

  private static FailureCircuit circuit(
      BreakerPhase phase, int failures, int successes, int trips, long until, long since) {
    return new FailureCircuit(phase, failures, successes, trips, until, since);
  }

  private static BreakerState state(FailureCircuit circuit) {
    return new BreakerState(T, circuit, false, false, AUTO, "");
  }

  private static BreakerState fullOf(BreakerState state) {
    return new BreakerState(
        T, state.circuit(), true, state.engineDead(), state.operator(), state.reason());
  }

  private static BreakerState deadOf(BreakerState state) {
    return new BreakerState(
        T, state.circuit(), state.memory(), true, state.operator(), state.reason());
  }

  private static BreakerState by(OperatorOverride operator, String why, BreakerState state) {
    return new BreakerState(T, state.circuit(), state.memory(), state.engineDead(), operator, why);
  }

  private static BreakerState later(BreakerState state) {
    return at(T + 7, state);
  }

  private static BreakerState at(long epoch, BreakerState state) {
    return new BreakerState(
        epoch,
        state.circuit(),
        state.memory(),
        state.engineDead(),
        state.operator(),
        state.reason());
  }
}
