package io.sluice.simulator.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.ModelSize;
import io.sluice.simulator.engine.timing.StepCost;
import io.sluice.simulator.engine.timing.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileFileTest {

  private static final GpuProfile PROFILE =
      new GpuProfile(
          "mine",
          new StepCost(6.5, 0.07, 0.00005678, 0.25, 0.0001234, 0.4),
          4.5,
          1,
          1365,
          128,
          2048,
          256,
          4096,
          0.08,
          true);

  @TempDir private Path directory;

  @Test
  void aWrittenProfileIsReadBackUnchanged() throws IOException {
    Path file = directory.resolve("mine.json");

    ProfileFile.write(file, PROFILE, Map.of("model", "tiny"));

    assertThat(ProfileFile.named(file.toString())).isEqualTo(PROFILE);
    assertThat(Files.readString(file))
        .contains("\"tiny\"")
        .contains("0.0001234")
        .contains("0.00005678");
  }

  @Test
  void namesOfBuiltInProfilesComeFirstAndAnUnknownOneListsThem() {
    assertThat(ProfileFile.named("l4")).isEqualTo(GpuProfile.L4);
    assertThatThrownBy(() -> ProfileFile.named("no-such.json"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'no-such.json'")
        .hasMessageContaining("rtx4090")
        .hasMessageContaining("simulator fit");
  }

  @ParameterizedTest(name = "{1} instead of {0}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"base\" : 6.5 | \"base\" : -6.5 | base must be 0 ms or more",
        "\"base\" : 6.5 | \"bass\" : 6.5 | step_ms.base is not a number",
        "\"blocks\" : 1365 | \"blocks\" : 13.5 | kv_cache.blocks is not a whole number",
        "\"blocks\" : 1365 | \"blocks\" : 1 | at least 2 KV blocks",
        "\"block_size\" : 128 | \"block_size\" : 0 | block size",
        "\"noise\" : 0.08 | \"noise\" : \"much\" | noise is not a number",
        "\"noise\" : 0.08 | \"noise\" | not JSON"
      })
  void aBadFileGivesOneErrorThatNamesItAndSaysWhatToDo(String good, String bad, String reason)
      throws IOException {
    Path file = directory.resolve("mine.json");
    ProfileFile.write(file, PROFILE, Map.of());
    Files.writeString(file, Files.readString(file).replace(good, bad));

    assertThatThrownBy(() -> ProfileFile.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mine.json is not a profile")
        .hasMessageContaining(reason)
        .hasMessageContaining("simulator fit --engine URL -o FILE");
  }

  @Test
  void aMeasuredProfileIsNotScaled() {
    assertThat(Timing.of(PROFILE).kvBlocks()).isEqualTo(1365);
    assertThatThrownBy(() -> Timing.of(PROFILE).withModel(ModelSize.B1).kvBlocks())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leave out model-size");
  }
}
