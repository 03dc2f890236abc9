package io.sluice.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.LatencyModel;
import io.sluice.simulator.engine.timing.ModelSize;
import io.sluice.simulator.engine.timing.StepTime;
import io.sluice.simulator.engine.timing.StepWork;
import io.sluice.simulator.engine.timing.Timing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the profiles with measurements of real servers: the same load in virtual time, without
 * noise. docs/simulator.md has the rows and the quality of the fit.
 */
class LatencyFitTest {

  @ParameterizedTest(name = "{0} {1}, {2} streams of {3}+{4} tokens: {5} tok/s within {6} %")
  @CsvSource({
    "rtx4090,  B8,  32,   88, 1000,  1378,  3",
    "rtx4090,  B7,   4,  256,  128,   210,  5",
    "rtx4090,  B7,   8,  256,  128,   377,  5",
    "rtx4090,  B7,  16,  256,  128,   644,  5",
    "rtx4090,  B7,  32,  256,  128,   975,  5",
    "rtx4090,  B7,  48,  256,  128,  1190,  5",
    "h100-fp8, B8,   1,  200,  200,   215,  6",
    "h100-fp8, B8,   5,  200,  200,  1077,  6",
    "h100-fp8, B8,  25,  200,  200,  4679,  6",
    "h100-fp8, B8,  50,  200,  200,  8018,  6",
    "h100-fp8, B8, 100,  200,  200, 12215,  6",
    "h100-fp8, B8, 150,  200,  200, 12989,  3",
    "h100-fp8, B8, 200,  200,  200, 13348,  3",
    "h100-fp8, B8, 250,  200,  200, 12965,  3",
    "a100-40,  B8,   1, 1024,  128,    75,  5",
    "a100-40,  B8,   8, 1024,  128,   495, 16"
  })
  void outputTokensPerSecond(
      String profile,
      ModelSize model,
      int streams,
      int promptTokens,
      int outputTokens,
      double recorded,
      double tolerancePercent) {
    ClosedLoop.Result result = run(profile, model, streams, promptTokens, outputTokens);

    assertThat(result.tokensPerSecond()).isCloseTo(recorded, withinPercentage(tolerancePercent));
  }

  @ParameterizedTest(name = "{0}, {1} streams of {2}+{3} tokens: {4} ms per token within {5} %")
  @CsvSource({
    "rtx4090,   32,  88, 1000, 22.6,   3",
    "h100-fp8,   1, 200,  200,  4.63,  7",
    "h100-fp8,   5, 200,  200,  4.58,  7",
    "h100-fp8,  25, 200,  200,  5.19,  7",
    "h100-fp8,  50, 200,  200,  5.91,  7",
    "h100-fp8, 100, 200,  200,  7.57,  7",
    "h100-fp8, 150, 200,  200,  9.81, 12",
    "h100-fp8, 200, 200,  200, 12.65, 16",
    "h100-fp8, 250, 200,  200, 16.14, 16",
    "a100-40,    1, 1024, 128, 13.3,   2"
  })
  void millisecondsPerOutputToken(
      String profile,
      int streams,
      int promptTokens,
      int outputTokens,
      double recorded,
      double tolerancePercent) {
    ClosedLoop.Result result = run(profile, ModelSize.B8, streams, promptTokens, outputTokens);

    assertThat(result.tpotMillis()).isCloseTo(recorded, withinPercentage(tolerancePercent));
  }

  @Test
  void anH100PrefillsAbout27700TokensPerSecond() {
    ClosedLoop.Result result = run("h100", ModelSize.B8, 64, 1024, 1);

    assertThat(result.tokensPerSecond() * 1024).isCloseTo(27_700, withinPercentage(3));
  }

  @Test
  void aStepWithMoreSequencesThanTheFrontEndHandlesTakesTheTimeOfTheFrontEnd() {
    LatencyModel latency = LatencyModel.of(GpuProfile.H100_FP8, ModelSize.B8, 1);

    assertThat(latency.stepMillis(StepWork.decode(50, 0))).isCloseTo(4.4 + 0.5, within(1e-9));
    assertThat(latency.stepMillis(StepWork.decode(500, 0))).isCloseTo(500 * 0.06, within(1e-9));
    assertThat(latency.stepMillis(new StepWork(8_000, 0, 50, 0)))
        .isCloseTo(4.4 + 0.5 + 136, within(1e-9));
  }

  @Test
  void aSmallerModelIsFasterAndLeavesMoreRoomAndALargerOneTheOpposite() {
    LatencyModel small = LatencyModel.of(GpuProfile.H100, ModelSize.B1, 1);
    LatencyModel fitted = LatencyModel.of(GpuProfile.H100, ModelSize.B8, 1);
    LatencyModel large = LatencyModel.of(GpuProfile.H100, ModelSize.B32, 1);

    assertThat(fitted.stepMillis(StepWork.decode(1, 0))).isCloseTo(6.33, within(1e-9));
    assertThat(fitted.kvBlocks(16)).isEqualTo(GpuProfile.H100.kvBlocks());
    assertThat(small.stepMillis(StepWork.decode(1, 0))).isBetween(1.5, 2.0);
    assertThat(small.kvBlocks(16)).isGreaterThan(4 * fitted.kvBlocks(16));
    assertThat(large.stepMillis(StepWork.decode(1, 0))).isBetween(20.0, 25.0);
    assertThat(large.kvBlocks(16)).isBetween(1_000, 4_000);
  }

  @Test
  void aModelThatDoesNotFitIsRefusedAndFitsOnSeveralGpus() {
    assertThatThrownBy(() -> LatencyModel.of(GpuProfile.H100, ModelSize.B70, 1))
        .hasMessageContaining("A 70b model needs 141 GB")
        .hasMessageContaining("tensor-parallel-size");

    LatencyModel four = LatencyModel.of(GpuProfile.H100, ModelSize.B70, 4);

    assertThat(four.kvBlocks(16)).isGreaterThan(20_000);
    assertThat(four.stepMillis(StepWork.decode(1, 0))).isBetween(12.0, 20.0);
  }

  @Test
  void noiseHasAMeanOfOneAndStallsOccurAtTheConfiguredRate() {
    StepTime time = new StepTime(Timing.of(GpuProfile.H100).withNoise(3, 0.04, 2));
    int steps = 20_000;
    double sum = 0;
    int stalls = 0;
    for (int i = 0; i < steps; i++) {
      double factor = time.nanos(StepWork.decode(0, 0)) / 6.3e6;
      sum += factor > 1.7 ? 1 : factor;
      stalls += factor > 1.7 ? 1 : 0;
    }

    assertThat(sum / steps).isCloseTo(1, within(0.005));
    assertThat(stalls).isBetween(20, 65);
  }

  @Test
  void namesFindTheirProfileAndAnUnknownOneListsThem() {
    for (String name : GpuProfile.names()) {
      assertThat(GpuProfile.named(name).wireName()).isEqualTo(name);
    }
    assertThatThrownBy(() -> GpuProfile.named("tpu"))
        .hasMessageContaining("'tpu'")
        .hasMessageContaining("rtx4090");
  }

  private static ClosedLoop.Result run(
      String profile, ModelSize model, int streams, int promptTokens, int outputTokens) {
    Timing timing = Timing.of(GpuProfile.named(profile)).withModel(model);
    int rounds = outputTokens >= 1000 ? 1 : 8;
    return ClosedLoop.run(
        EngineConfig.of(timing, 16_384), streams, promptTokens, outputTokens, rounds);
  }
}
