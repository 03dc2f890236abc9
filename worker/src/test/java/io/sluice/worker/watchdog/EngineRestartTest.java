package io.sluice.worker.watchdog;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.worker.clock.Ticker;
import io.sluice.worker.config.WarmUpSettings;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.intake.Drain;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.limit.Ramp;
import io.sluice.worker.testing.ManualTime;
import io.sluice.worker.testing.ScriptedEngine;
import io.sluice.worker.warmup.EngineEntry;
import io.sluice.worker.warmup.WarmUp;
import io.sluice.worker.warmup.WarmUpPrompts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
@Tag("slow")
class EngineRestartTest {
  private static final int SLOTS = 64;

  private final ManualTime time = new ManualTime();
  private final ScriptedEngine engine = new ScriptedEngine(time);
  private final EngineMonitor monitor =
      new EngineMonitor(engine, WorkerConfig.of(Map.of("id", "w")).engine(), time);
  private final Drain drain = new Drain(new RunningGenerations(), Duration.ZERO, Duration.ZERO);
  private final Ramp ramp = new Ramp(() -> SLOTS, Duration.ofSeconds(30), time);
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final TestPermit permit = new TestPermit();
  private EngineEntry entry = entry(0);
  private volatile Thread running = Thread.ofVirtual().unstarted(() -> {});

  private final class TestPermit implements Permit {
    private volatile boolean isFree = true;

    @Override
    public boolean hold() {
      events.add("hold");
      return isFree;
    }

    @Override
    public void release() {
      events.add("release");
    }
  }

  @BeforeEach
  void engineIsUp() throws Exception {
    boots(1);
  }

  @AfterEach
  void stop() throws InterruptedException {
    running.interrupt();
    running.join();
  }

  @Test
  void theWorkerIsEmptyAndTheNewEngineWarmBeforeItGetsTraffic() throws Exception {
    // Given
    engine.plays(text("a", 1), done(10, 1)).plays(text("b", 1), done(10, 1));
    entry = entry(2);
    entry.observe();
    EngineRestart restart =
        restart(
            cause -> {
              events.add(cause + " draining=" + drain.isDraining());
              boots(2);
            });

    // When
    restart.run("slow-tokens");

    // Then
    assertThat(events).containsExactly("hold", "slow-tokens draining=true", "release");
    assertThat(engine.requests()).hasSize(2);
    assertThat(engine.body().path("model").asText()).isEqualTo("m");
    assertThat(drain.isDraining()).isFalse();
    assertThat(ramp.limit()).isEqualTo(SLOTS / 8);
    assertThat(restart.restarts()).isOne();
    assertThat(restart.step()).isEqualTo(EngineRestart.Step.NONE);
  }

  @Test
  void withoutAPermitNothingHappens() throws Exception {
    permit.isFree = false;
    EngineRestart restart = restart(cause -> events.add(cause));

    restart.run("planned");

    assertThat(events).containsExactly("hold");
    assertThat(drain.isDraining()).isFalse();
  }

  @Test
  void anActionThatIsNotLetThroughIsAskedForBeforeTheDrain() {
    // Given
    EngineRestart restart =
        restart(
            new RestartAction() {
              @Override
              public void restart(String cause) {
                events.add(cause);
              }

              @Override
              public boolean isAllowed() {
                events.add("asked");
                return false;
              }
            });

    // When
    running = Thread.ofVirtual().start(() -> run(restart));

    // Then
    await().until(() -> events.contains("release"));
    assertThat(events).containsExactly("hold", "asked", "release");
    assertThat(drain.isDraining()).isFalse();
  }

  /** An evicted pod, for instance: its permit keeps others from the same for a while. */
  @Test
  void aWorkerThatEndsDuringItsRestartDrainsOnAndKeepsItsPermit() throws Exception {
    // Given
    EngineRestart restart = restart(Duration.ofSeconds(20), cause -> events.add(cause));
    running = Thread.ofVirtual().start(() -> run(restart));
    await().until(() -> restart.step() == EngineRestart.Step.BOOTING);

    // When
    running.interrupt();
    running.join();

    // Then
    assertThat(events).containsExactly("hold", "slow-tokens");
    assertThat(drain.isDraining()).isTrue();
  }

  @Test
  void anActionThatFailsOnceIsRepeated() throws Exception {
    EngineRestart restart =
        restart(
            cause -> {
              events.add("try");
              if (events.size() == 2) {
                throw new RestartFailedException("no");
              }
              boots(2);
            });

    restart.run("planned");

    assertThat(events).containsExactly("hold", "try", "try", "release");
    assertThat(restart.restarts()).isOne();
  }

  /** An engine without a start time that a probe found silent, not dead, may be the old one. */
  @Test
  void anEngineThatComesBackAfterAnOrderedRestartIsAnotherProcess() throws Exception {
    // Given
    engine.answers("/metrics", 200, "");
    probe();
    long life = monitor.state().life();
    EngineRestart restart = restart(Duration.ofSeconds(20), cause -> isSilent());
    running = Thread.ofVirtual().start(() -> run(restart));
    await().until(() -> restart.step() == EngineRestart.Step.BOOTING);

    // When
    engine.answers("/health", 200, "");
    probe();

    // Then
    running.join();
    assertThat(restart.restarts()).isOne();
    assertThat(monitor.state().life()).isGreaterThan(life);
  }

  private void isSilent() throws InterruptedException {
    engine.answers("/health", 500, "");
    probe();
    probe();
    assertThat(monitor.state().condition()).isEqualTo(EngineCheck.Condition.AWAY);
  }

  @Test
  void afterTwoFailuresTheOldEngineServesOnAndThePermitIsKeptUntilItIsRepaired() throws Exception {
    // Given
    EngineRestart restart =
        restart(
            cause -> {
              events.add("try");
              throw new RestartFailedException("no");
            });

    // When
    running = Thread.ofVirtual().start(() -> run(restart));

    // Then
    await().until(() -> restart.step() == EngineRestart.Step.FAILED);
    await().until(() -> !drain.isDraining());
    assertThat(events).containsExactly("hold", "try", "try");

    // When
    boots(2);

    // Then
    running.join();
    assertThat(events).endsWith("release");
    assertThat(restart.step()).isEqualTo(EngineRestart.Step.NONE);
    assertThat(restart.restarts()).isZero();
  }

  @Test
  void anEngineThatDoesNotComeBackCountsAsAFailure() throws Exception {
    EngineRestart restart =
        restart(
            cause -> {
              events.add("try");
              engine.goes();
              probe();
            });

    running = Thread.ofVirtual().start(() -> run(restart));

    await().until(() -> restart.step() == EngineRestart.Step.FAILED);
    assertThat(events).containsExactly("hold", "try", "try");
  }

  private EngineEntry entry(int warmUps) {
    var settings =
        new WarmUpSettings(
            warmUps, Optional.empty(), Duration.ofSeconds(10), Duration.ofSeconds(30));
    var warmUp = new WarmUp(engine, WarmUpPrompts.of(Optional.empty()), settings);
    return new EngineEntry(monitor, warmUp, settings, ramp);
  }

  private EngineRestart restart(RestartAction action) {
    return restart(Duration.ofMillis(600), action);
  }

  private EngineRestart restart(Duration bootTimeout, RestartAction action) {
    return new EngineRestart(monitor, permit, drain, action, entry, bootTimeout, Ticker.system());
  }

  private static void run(EngineRestart restart) {
    try {
      restart.run("slow-tokens");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Another engine process answers, and the monitor has seen it. */
  private void boots(int startSeconds) throws InterruptedException {
    engine.answers("/health", 200, "");
    engine.answers("/metrics", 200, "process_start_time_seconds " + startSeconds + "\n");
    engine.answers(
        "/v1/models",
        200,
        "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\",\"max_model_len\":4096}]}");
    probe();
  }

  private void probe() throws InterruptedException {
    monitor.probe();
    entry.observe();
  }
}
