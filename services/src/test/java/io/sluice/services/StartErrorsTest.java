package io.sluice.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A service that cannot start ends with a line that says why. */
@Tag("slow")
class StartErrorsTest {
  /** What a service said, and after how long: some 10 s, or more on a busy machine. */
  private record Ended(String service, int exitCode, long seconds, String line) {}

  @Test
  void withoutKafkaEveryServiceNamesItsAddressAndTheSetting() throws Exception {
    // Given
    String kafka = "127.0.0.1:" + closedPort();

    // When
    List<Ended> ended = start("--port", "0", "--kafka", kafka);

    // Then
    assertThat(ended)
        .allSatisfy(
            service ->
                assertThat(service.line())
                    .contains("Kafka at " + kafka + " cannot be used")
                    .contains("no broker answered")
                    .contains("--kafka (SLUICE_KAFKA)"));
  }

  @Test
  void anUnknownHostIsNamed() {
    // When
    List<Ended> ended = start("--port", "0", "--kafka", "broker.invalid:9092");

    // Then
    assertThat(ended)
        .allSatisfy(
            service ->
                assertThat(service.line())
                    .contains("Kafka at broker.invalid:9092 cannot be used")
                    .contains("bootstrap"));
  }

  @Test
  void aPortInUseIsToldBeforeAServiceJoinsThePool() throws Exception {
    try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // When
      String port = Integer.toString(used.getLocalPort());
      List<Ended> ended = start("--host", "127.0.0.1", "--port", port);

      // Then
      assertThat(ended)
          .allSatisfy(
              service ->
                  assertThat(service.line())
                      .contains("port " + port + " of 127.0.0.1 cannot be opened")
                      .contains("set another --port"));
    }
  }

  /** Starts all services at once: each waits for some seconds. */
  private static List<Ended> start(String... settings) {
    List<Ended> ended =
        Stream.of("router", "worker --id w", "gateway")
            .parallel()
            .map(service -> run(service.split(" "), settings))
            .toList();
    ended.forEach(System.out::println);
    assertThat(ended)
        .allSatisfy(
            service -> {
              assertThat(service.exitCode()).isEqualTo(1);
              assertThat(service.line()).startsWith("sluice: ").doesNotContain("\n");
            });
    return ended;
  }

  private static Ended run(String[] service, String... settings) {
    var errors = new StringWriter();
    long start = System.nanoTime();
    int exitCode =
        new Commands(ServiceCommands.all())
            .commandLine(false)
            .setErr(new PrintWriter(errors))
            .execute(
                Stream.of(Stream.of(service), Stream.of(settings))
                    .flatMap(part -> part)
                    .toArray(String[]::new));
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
    return new Ended(service[0], exitCode, seconds, errors.toString().strip());
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
