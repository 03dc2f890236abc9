package io.sluice.standalone.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.acl.PoolRole;
import io.sluice.services.Commands;
import io.sluice.services.ServiceCommands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A wrong password or an untrusted certificate ends a service or command with one line. */
@TestInstance(Lifecycle.PER_CLASS)
class RefusedStartIT {
  private static final Duration WITHIN = Duration.ofSeconds(15);

  /** What a command said, without its prefix, and how long that took. */
  private record Ended(int code, String said, Duration after) {}

  private SecureKafka kafka;
  private SecureRedis redis;
  private TestCertificates certificates;
  private TestCertificates others;

  @BeforeAll
  void start(@TempDir Path folder, @TempDir Path other) throws Exception {
    certificates = TestCertificates.in(folder);
    others = TestCertificates.in(other);
    redis = SecureRedis.start(certificates);
    kafka = SecureKafka.start(certificates, List.of("user"));
    kafka.grant("user", PoolRole.ROUTER, Optional.empty());
  }

  @AfterAll
  void stop() {
    kafka.close();
    redis.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"router", "worker --id w", "gateway"})
  void aWrongPasswordOfRedisIsNamed(String service) {
    // When
    Path wrong = certificates.write("wrong-password", "other");
    Ended ended = start(service, redis.plainUri(), "--redis-password-file", wrong.toString());

    // Then
    assertFailed(ended);
    assertThat(ended.said())
        .contains("Redis at " + redis.plainUri() + " refused the default user")
        .contains("WRONGPASS")
        .contains("--redis-password-file (SLUICE_REDIS_PASSWORD_FILE)")
        .doesNotContain("other");
  }

  @ParameterizedTest
  @ValueSource(strings = {"router", "worker --id w", "gateway"})
  void aMissingPasswordOfRedisIsNamed(String service) {
    // When
    Ended ended = start(service, redis.plainUri());

    // Then
    assertFailed(ended);
    assertThat(ended.said())
        .contains("without a password")
        .contains("NOAUTH")
        .contains("--redis (SLUICE_REDIS)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"router", "worker --id w", "gateway"})
  void aRedisThatIsNotTrustedIsNamed(String service) {
    // When
    Ended ended = start(service, redis.uri(), "--redis-ca", others.authority().toString());

    // Then
    assertFailed(ended);
    assertThat(ended.said()).contains("no TLS connection").contains("--redis-ca (SLUICE_REDIS_CA)");
  }

  @Test
  void theSettingsArePrintedWithoutAPassword() {
    assertThat(run("config", "router", "--redis", "rediss://me:sec@ret@redis:1/2").said())
        .contains("rediss://me:********@redis:1/2")
        .doesNotContain("sec@ret");
  }

  @Test
  void topDoesNotWaitForARedisThatIsNotTrusted() {
    // When
    Ended untrusted = run("top", "--once", "--redis", redis.uri());
    Ended withoutTls =
        run("top", "--once", "--redis", redis.plainUri().replace("redis:", "rediss:"));
    Ended refused = run("top", "--once", "--redis", redis.plainUri());
    Ended keys = run("keys", "list", "--redis", redis.uri());

    // Then
    assertFailed(untrusted);
    assertThat(untrusted.said()).contains("--redis-ca");
    assertFailed(withoutTls);
    assertThat(withoutTls.said()).contains("cannot reach Redis at rediss://");
    assertFailed(refused);
    assertThat(refused.said()).contains("NOAUTH");
    assertFailed(keys);
    assertThat(keys.said()).contains("--redis-ca");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "router",
        "worker --id w",
        "gateway",
        "chat hello",
        "dead-letters list",
        "attach 0190a6b8-0000-7000-8000-000000000000",
        "acls --role router --principal User:r --apply"
      })
  void aKafkaThatRefusesOrIsNotTrustedIsNamed(String command) throws Exception {
    // Given
    Path wrong =
        Files.copy(
            kafka.file("user", "other", certificates.trustStore()),
            others.authority().resolveSibling(command.split(" ")[0] + "-password"));
    Path untrusted =
        Files.copy(
            kafka.file("user", SecureKafka.password("user"), others.trustStore()),
            others.authority().resolveSibling(command.split(" ")[0] + "-untrusted"));

    // When
    Ended withPassword = run(with(command, "--kafka-config", wrong.toString()));
    Ended withTrust = run(with(command, "--kafka-config", untrusted.toString()));

    // Then
    assertFailed(withPassword);
    assertThat(withPassword.said())
        .contains("Kafka at " + kafka.bootstrapServers())
        .contains("Authentication failed")
        .contains("--kafka-config (SLUICE_KAFKA_CONFIG)");
    assertFailed(withTrust);
    assertThat(withTrust.said())
        .contains("Kafka at " + kafka.bootstrapServers())
        .contains("TLS handshake failed")
        .contains("--kafka-config (SLUICE_KAFKA_CONFIG)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"router", "worker --id w", "gateway", "chat hello"})
  void aWrongFileIsNamed(String command) {
    // Given
    Path wrongValue = certificates.write("wrong-value", "security.protocol=SASL_SLS\n");

    // When
    Ended missing = run(with(command, "--kafka-config", "/no/such/file"));
    Ended wrong =
        run(with(command, "--kafka-config", wrongValue.toString(), "--kafka", "127.0.0.1:1"));

    // Then
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.said()).contains("/no/such/file").contains("there is no such file");
    assertThat(wrong.code()).isEqualTo(1);
  }

  private Ended start(String service, String redisUri, String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(List.of("--kafka-config", kafka.file("user").toString()));
    arguments.addAll(List.of("--redis", redisUri));
    return run(with(service, arguments.toArray(String[]::new)));
  }

  private static String[] with(String command, String... more) {
    boolean isService = Stream.of("router", "worker", "gateway").anyMatch(command::startsWith);
    return Stream.of(
            Stream.of(command.split(" ")),
            isService ? Stream.of("--port", "0") : Stream.<String>empty(),
            Stream.of(more))
        .flatMap(part -> part)
        .toArray(String[]::new);
  }

  private static void assertFailed(Ended ended) {
    assertThat(ended.code()).as(ended.said()).isEqualTo(1);
    assertThat(ended.said()).startsWith("sluice: ").hasLineCount(1);
    assertThat(ended.after()).as(ended.said()).isLessThan(WITHIN);
  }

  private static Ended run(String... arguments) {
    StringWriter said = new StringWriter();
    long start = System.nanoTime();
    int code =
        new Commands(ServiceCommands.all())
            .commandLine(false)
            .setOut(new PrintWriter(said))
            .setErr(new PrintWriter(said))
            .execute(arguments);
    return new Ended(code, said.toString().strip(), Duration.ofNanos(System.nanoTime() - start));
  }
}
