package io.sluice.bench.faults;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.EngineCommand;
import io.sluice.bench.process.FreePorts;
import io.sluice.bench.process.Launch;
import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An engine in processes of its own, to which things happen. */
final class Subject implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofMinutes(6);
  private static final Duration ASK_WITHIN = Duration.ofSeconds(5);

  /** In the title of vLLM's process that computes. */
  private static final String CORE = "EngineCore";

  private final ChildProcess process;
  private final int port;
  private final int adminPort;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Subject(FreePorts ports, LaunchAt launch, String name, Path folder) throws IOException {
    this.port = ports.next();
    this.adminPort = ports.next();
    Path log = Files.createDirectories(folder).resolve(name + ".log");
    this.process = new ChildProcess(name, launch.at(this), log);
  }

  /** How it is started, when its ports are known. */
  private interface LaunchAt {
    Launch at(Subject subject) throws IOException;
  }

  /** A real one. */
  static Subject real(EngineCommand command, Path folder) throws IOException {
    return new Subject(new FreePorts(), subject -> command.at(subject.port), "engine", folder);
  }

  /** A simulated one, with more of its options. */
  static Subject simulated(String model, List<String> options, Path folder) throws IOException {
    return new Subject(
        new FreePorts(),
        subject -> {
          List<String> arguments =
              new ArrayList<>(
                  List.of(
                      "simulator",
                      "--model=" + model,
                      "--port=" + subject.port,
                      "--admin-port=" + subject.adminPort));
          arguments.addAll(options);
          Path temporary = Files.createDirectories(folder.resolve("tmp"));
          return Launch.single(
              Launch.java("256m", temporary, "io.sluice.standalone.Main", arguments),
              Map.of(),
              " ready");
        },
        "simulator",
        folder);
  }

  void start() throws IOException, InterruptedException {
    process.start();
    process.awaitReady(READY_WITHIN);
  }

  int port() {
    return port;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Has something happen to it. */
  void deal(Fault fault) throws IOException, InterruptedException {
    switch (fault) {
      case SIGTERM -> process.signal("TERM");
      case KILLED -> process.kill();
      case SERVER_KILLED -> process.killLeader();
      case CORE_KILLED -> killCore();
      case FROZEN -> process.signal("STOP");
    }
  }

  /** Ends what would else last. */
  void undo(Fault fault) throws IOException, InterruptedException {
    if (fault == Fault.FROZEN) {
      process.signal("CONT");
    }
  }

  /** The simulator has one process, and shows the death of a core when it is told to. */
  private void killCore() throws IOException, InterruptedException {
    if (process.isGroup()) {
      process.killPart(CORE);
    } else {
      HttpRequest death =
          HttpRequest.newBuilder(uri(adminPort, "/die"))
              .POST(HttpRequest.BodyPublishers.noBody())
              .timeout(ASK_WITHIN)
              .build();
      http.send(death, BodyHandlers.discarding());
    }
  }

  private static URI uri(int port, String path) {
    return URI.create("http://%s:%d%s".formatted(LocalPort.HOST, port, path));
  }

  /** Kills all that is left of it. */
  void end() throws IOException, InterruptedException {
    process.kill();
  }

  @Override
  public void close() {
    process.close();
    http.close();
  }
}
