package io.sluice.worker.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With shell scripts that print what nvidia-smi prints. */
@Timeout(30)
@Tag("slow")
class NvidiaSmiTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final String L4 = "GPU-c2f76b33-7953-256e-8f33-1343419b1a1c";
  private static final String A100 = "GPU-34319582-d595-d1c7-d1d2-179bcfa61660";

  @TempDir private Path folder;

  @Test
  void aLineIsAGpu() throws Exception {
    NvidiaSmi smi =
        printing(
            """
            0, %s, 71, 0x0000000000000004
            1, %s, 91, 0x0000000000000048
            """
                .formatted(L4, A100));

    List<Gpu> gpus = smi.read();

    assertThat(gpus)
        .containsExactly(
            new Gpu("0", L4, Set.of(), OptionalDouble.of(71), OptionalLong.of(0x4)),
            new Gpu("1", A100, Set.of(), OptionalDouble.of(91), OptionalLong.of(0x48)));
    assertThat(gpus.getFirst().slowdowns()).isEmpty();
    assertThat(gpus.getLast().slowdowns())
        .containsExactly(Slowdown.HARDWARE, Slowdown.HARDWARE_THERMAL);
    assertThat(gpus.getLast()).hasToString("1: 91 C hardware hardware-thermal");
  }

  @Test
  void whatAGpuDoesNotReportIsUnknown() throws Exception {
    NvidiaSmi smi =
        printing(
            """
            0, %s, N/A, [N/A]
            1, %s, [Unknown Error], [Not Supported]
            """
                .formatted(L4, A100));

    assertThat(smi.read())
        .containsExactly(
            new Gpu("0", L4, Set.of(), OptionalDouble.empty(), OptionalLong.empty()),
            new Gpu("1", A100, Set.of(), OptionalDouble.empty(), OptionalLong.empty()));
  }

  @Test
  void aDriverBefore535IsAskedForTheFieldsOldName() throws Exception {
    // Given
    Path asked = folder.resolve("asked");
    NvidiaSmi smi =
        script(
            """
            echo "$1" >> %s
            case "$1" in
              *clocks_throttle_reasons.active) echo '0, GPU-1, 60, 0x0000000000000001' ;;
              *) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2 ;;
            esac
            """
                .formatted(asked),
            LIMIT);

    // When
    smi.read();
    List<Gpu> second = smi.read();

    // Then
    assertThat(second).hasSize(1);
    assertThat(asked)
        .hasContent(
            """
            --query-gpu=index,uuid,temperature.gpu,clocks_event_reasons.active
            --query-gpu=index,uuid,temperature.gpu,clocks_throttle_reasons.active
            --query-gpu=index,uuid,temperature.gpu,clocks_throttle_reasons.active
            """);
  }

  @Test
  void aDriverThatDoesNotAnswerIsTold() throws Exception {
    NvidiaSmi smi =
        script(
            "echo \"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\"; exit 9",
            LIMIT);

    assertThatThrownBy(smi::read)
        .isInstanceOf(GpuReadingException.class)
        .hasMessageEndingWith(
            "ended with status 9: NVIDIA-SMI has failed because it couldn't communicate with the"
                + " NVIDIA driver.");
  }

  @Test
  void textThatIsNotAListIsTold() throws Exception {
    NvidiaSmi smi = printing("No devices were found\n");

    assertThatThrownBy(smi::read).hasMessageEndingWith("lists no GPU: No devices were found");
  }

  @Test
  void aMissingCommandSaysWhatToDo() {
    var smi = new NvidiaSmi(folder.resolve("nvidia-smi").toString(), LIMIT);

    assertThatThrownBy(smi::read)
        .isInstanceOf(GpuReadingException.class)
        .hasMessageContaining("does not start")
        .hasMessageEndingWith("install it, or set --gpu-readings to a DCGM exporter or none");
  }

  @Test
  void aRunThatHangsIsKilledWithItsProcesses() throws Exception {
    Path pids = folder.resolve("pids");
    NvidiaSmi smi =
        script(
            "sleep 60 & echo $! > %1$s; echo $$ >> %1$s; wait".formatted(pids),
            Duration.ofSeconds(1));

    assertThatThrownBy(smi::read).hasMessageEndingWith("did not end within 1000 ms");

    for (String pid : Files.readAllLines(pids)) {
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(process -> process.onExit().join());
    }
  }

  @Test
  void endlessOutputIsNotReadToItsEnd() throws Exception {
    NvidiaSmi smi =
        script("while :; do echo 0123456789012345678901234567890; done", Duration.ofSeconds(1));

    assertThatThrownBy(smi::read).hasMessageEndingWith("did not end within 1000 ms");
  }

  private NvidiaSmi printing(String output) throws IOException {
    return script("cat <<'END'\n" + output + "END\n", LIMIT);
  }

  private NvidiaSmi script(String body, Duration atMost) throws IOException {
    Path script = folder.resolve("nvidia-smi");
    Files.writeString(script, "#!/bin/sh\n" + body);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return new NvidiaSmi(script.toString(), atMost);
  }
}
