package io.sluice.standalone.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a folder that looks built, over a JDK that only prints its arguments. */
class LauncherTest {
  @TempDir private Path folder;

  @Test
  void itNeedsNoHomeWhichAServiceOfSystemdDoesNotHave() throws Exception {
    // Given
    Path target = Files.createDirectories(folder.resolve("standalone/target"));
    Files.createFile(target.resolve("launcher.stamp"));
    Files.createFile(target.resolve("launcher.aot"));
    Path launcher = Files.copy(Path.of("..", "sluice"), folder.resolve("sluice"));
    ProcessBuilder command =
        new ProcessBuilder("sh", launcher.toString(), "--version").redirectErrorStream(true);
    Map<String, String> environment = command.environment();
    environment.keySet().retainAll(List.of("PATH"));
    environment.put("JAVA_HOME", printingJdk().toString());

    // When
    Process process = command.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);

    // Then
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.strip()).endsWith("io.sluice.standalone.Main --version");
  }

  private Path printingJdk() throws IOException {
    Path jdk = folder.resolve("jdk");
    Path tools = Files.createDirectories(jdk.resolve("bin"));
    for (String tool : List.of("java", "javac")) {
      Path file = Files.writeString(tools.resolve(tool), "#!/bin/sh\necho \"$@\"\n");
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    return jdk;
  }
}
