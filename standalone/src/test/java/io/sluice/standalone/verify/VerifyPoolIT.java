package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.SluiceClient;
import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import io.sluice.standalone.verify.pool.CuttingProxy;
import io.sluice.standalone.verify.pool.Findings;
import io.sluice.standalone.verify.pressure.PressureChecks;
import io.sluice.verify.http.EngineClient;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The checks of a pool over a simulated engine; docs/engines.md describes real ones. */
class VerifyPoolIT {
  /** Fewer than a simulated model makes by itself. */
  private static final int DEFAULT_MAX_TOKENS = 50;

  @Test
  void answersAreTheEnginesWhateverHappensToIt() throws Exception {
    // Given
    SimulatorConfig config =
        SimulatorConfig.of(GpuProfile.H100)
            .withServer(
                ServerOptions.with(
                    options -> {
                      options.autoToolChoice = true;
                      options.defaultMaxTokens = OptionalInt.of(DEFAULT_MAX_TOKENS);
                      options.loras = Map.of("adapter", "/adapters/one");
                    }))
            .withSpeed(4)
            .withMaxModelLen(2_048);
    var out = new StringWriter();
    try (SimulatedEngine engine = SimulatedEngine.start(config)) {

      // When
      int code =
          new CommandLine(new VerifyPoolCommand())
              .setOut(new PrintWriter(out))
              .execute("--url", engine.uri().toString());

      // Then
      assertThat(code).as("%s", out).isZero();
    }
    String seen = out.toString();
    assertThat(seen.lines().filter(line -> line.contains(" attempts")).count())
        .as("%s", seen)
        .isGreaterThan(50);
    assertThat(seen)
        .containsPattern("an adapter next to its base +same")
        .containsPattern("completion, a full context +same")
        .containsPattern("whole chat: the pool's answer has all [1-9][0-9]+ keys")
        .containsPattern("whole completion: the pool's answer has all [1-9][0-9]+ keys")
        .containsPattern("bad bodies: [1-9][0-9]+ of [1-9][0-9]+ get the engine's status")
        .contains("had a cancelled stream for another", "had a stream past its deadline for")
        .containsPattern("under memory pressure: skipped: .*; start the engine with .*")
        .containsPattern("prompt tokens: the router expects [0-9]+ tokens .*, the engine counts")
        .containsPattern("slow /tokenize: the stream went on by its token ids .*uninterrupted one")
        .containsPattern("refused key: .* tokens and went on .* the uninterrupted one")
        .containsPattern("engine gone: .* tokens and went on .* the uninterrupted one");
  }

  @Test
  void littleMemoryShowsThatAPoolMakesRoom() throws Exception {
    assertThat(
            underPressure(
                SimulatorConfig.of(GpuProfile.H100)
                    .withMaxModelLen(2_048)
                    .withBlockTokens(128)
                    .withKvBlocks(64)))
        .containsPattern("memory breaker: opened at .*above 88.0%.*; closed at .*below 79.2%")
        .containsPattern("eviction: [1-9][0-9]* times .* 6 of 6 bulk answers are the uninterrupted")
        .contains("counters: the worker reports the engine's ")
        .containsPattern("figures: all [1-9][0-9]+ snapshots have the engine's running")
        .contains("tokens in use: up to ")
        .doesNotContain("BROKEN");
  }

  @Test
  void whatTakesTooLongToFillIsLeftOut() throws Exception {
    assertThat(underPressure(SimulatorConfig.of(GpuProfile.H100)))
        .startsWith("under memory pressure: skipped: ")
        .endsWith("start the engine with --num-gpu-blocks-override 4096\n");
  }

  private static String underPressure(SimulatorConfig config) throws Exception {
    var out = new StringWriter();
    try (SimulatedEngine simulated = SimulatedEngine.start(config);
        CuttingProxy proxy = CuttingProxy.start(simulated.uri());
        LocalPool pool =
            LocalPool.start(
                PoolPlan.over(Ports.free(), List.of(proxy.uri()), Optional.empty())
                    .withWarmEngines());
        SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
        EngineClient engine = new EngineClient(simulated.uri(), Optional.empty())) {
      new PressureChecks(
              pool, client, proxy, engine, Optional.empty(), SimulatorConfig.DEFAULT_MODEL)
          .run(1, new Findings(new PrintWriter(out)));
    }
    return out.toString();
  }
}
