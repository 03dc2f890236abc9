package io.sluice.bench.process;

import io.sluice.standalone.launch.GuardedCommand;
import io.sluice.standalone.launch.StartCache;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How a process is started.
 *
 * @param environment variables in addition to those of this process
 * @param readiness tells whether the process is ready
 * @param isGroup whether it starts other processes, which get its signals too
 */
public record Launch(
    List<String> command, Map<String, String> environment, Readiness readiness, boolean isGroup) {

  /** Tells whether a process is ready. */
  @FunctionalInterface
  public interface Readiness {
    /** Decides by its output so far, or by asking the process. */
    boolean isReady(String output) throws InterruptedException;
  }

  public Launch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /** Returns a process that prints a text when it is ready. */
  public static Launch single(
      List<String> command, Map<String, String> environment, String readyText) {
    return new Launch(command, environment, output -> output.contains(readyText), false);
  }

  /** Returns a process that starts other processes, in a separate session. */
  public static Launch group(List<String> command, Readiness readiness) {
    return new Launch(command, Map.of(), readiness, true);
  }

  /** Returns the command of a small JVM with this JVM's class path that starts quickly. */
  public static List<String> java(
      String maxHeap, Path temporary, String main, List<String> arguments) {
    return java(maxHeap, temporary, StartCache.classPathOptions(), main, arguments);
  }

  /**
   * Returns the command of such a JVM with another class path.
   *
   * @param classPath the options for it
   */
  public static List<String> java(
      String maxHeap, Path temporary, List<String> classPath, String main, List<String> arguments) {
    List<String> options = new ArrayList<>(StartCache.FLAGS);
    options.addAll(classPath);
    options.addAll(List.of("-Xmx" + maxHeap, "-XX:TieredStopAtLevel=1"));
    return command(options, temporary, main, arguments);
  }

  /**
   * Returns the command of a JVM that runs long, with this JVM's class path.
   *
   * @param options its memory and its collector
   */
  public static List<String> longRunning(
      List<String> options, Path temporary, String main, List<String> arguments) {
    List<String> all = new ArrayList<>(options);
    all.addAll(
        List.of(
            "-XX:+UseCompactObjectHeaders",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path")));
    return command(all, temporary, main, arguments);
  }

  private static List<String> command(
      List<String> options, Path temporary, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(
        List.of("-Djava.io.tmpdir=" + temporary, "-Dlogback.configurationFile=logback.xml", main));
    command.addAll(arguments);
    return command;
  }

  /**
   * Returns the command of a service as an operator starts it: with the launcher and its JVM
   * options.
   *
   * @throws IllegalStateException if this process was not started with the launcher
   */
  public static List<String> launcher(List<String> arguments) {
    String home = System.getProperty("sluice.home");
    if (home == null) {
      throw new IllegalStateException(
          "start this benchmark as ./sluice bench, which sets the JVMs' options");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(home, "sluice").toString());
    command.addAll(arguments);
    return command;
  }

  /** Returns the command, wrapped so that it ends when this process ends. */
  public List<String> guarded() {
    return isGroup ? GuardedCommand.ofGroup(command) : GuardedCommand.of(command);
  }
}
