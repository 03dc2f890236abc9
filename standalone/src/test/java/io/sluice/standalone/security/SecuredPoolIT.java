package io.sluice.standalone.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.common.acl.PoolRole;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.router.app.Router;
import io.sluice.router.app.RouterConfig;
import io.sluice.services.Commands;
import io.sluice.services.ServiceCommands;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * A whole pool on a Kafka with TLS, passwords and ACLs, and a Redis with TLS and a password. Each
 * service and command has a principal of its own, and one file with plain Kafka properties; that of
 * the services is the file of k8s/overlays/production.
 */
@TestInstance(Lifecycle.PER_CLASS)
class SecuredPoolIT {
  private static final Duration READY_WITHIN = Duration.ofSeconds(90);
  private static final long BOUND_SECONDS = 60;
  private static final String PARTITIONS = "4";
  private static final String MARKER = "zebrafinch";

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Logger own = (Logger) LoggerFactory.getLogger("io.sluice");
  private final Level level = own.getLevel();
  private final HttpClient http = HttpClient.newHttpClient();
  private TestCertificates certificates;
  private Path password;
  private SecureKafka kafka;
  private SecureRedis redis;
  private SimulatedEngine engine;
  private Router router;
  private Worker worker;
  private Gateway gateway;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    log.start();
    root.addAppender(log);
    own.setLevel(Level.DEBUG);
    certificates = TestCertificates.in(folder);
    password = certificates.write("redis-password", SecureRedis.PASSWORD + "\n");
    redis = SecureRedis.start(certificates);
    engine = SimulatedEngine.start(SimulatorConfig.of(GpuProfile.RTX4090));
    kafka =
        SecureKafka.start(
            certificates, List.of("router", "w1", "gateway", "orders", "caller", "operator"));
    kafka.grant("router", PoolRole.ROUTER, Optional.empty());
    kafka.grant("w1", PoolRole.WORKER, Optional.of("w1"));
    kafka.grant("gateway", PoolRole.GATEWAY, Optional.of("gateway"));
    kafka.grant("orders", PoolRole.CALLER, Optional.of("orders"));
    kafka.grant("caller", PoolRole.CALLER, Optional.empty());
    kafka.grant("operator", PoolRole.OPERATOR, Optional.empty());
    try (Admin admin = kafka.admin(SecureKafka.ADMIN)) {
      int partitions = Integer.parseInt(PARTITIONS);
      admin
          .createTopics(
              List.of(
                  new NewTopic("sluice.replies.gateway", partitions, (short) 1),
                  new NewTopic("sluice.replies.orders", partitions, (short) 1)))
          .all()
          .get(BOUND_SECONDS, TimeUnit.SECONDS);
    }
    router = Router.start(RouterConfig.of(pool("router", Map.of("id", "r"))));
    worker =
        Worker.start(
            WorkerConfig.of(
                pool(
                    "w1",
                    Map.of(
                        "id",
                        "w1",
                        "engine-url",
                        engine.uri().toString(),
                        "warm-up-requests",
                        "0"))));
    assertThat(router.awaitReady(READY_WITHIN)).as("the router is ready").isTrue();
    assertThat(worker.awaitReady(READY_WITHIN)).as("the worker is ready").isTrue();
    Map<String, String> ofGateway =
        pool(
            "gateway",
            Map.of("reply-service", "gateway", "files", "folder:" + folder.resolve("files")));
    gateway = Gateway.start(GatewayConfig.of(ofGateway));
  }

  @AfterAll
  void stop() {
    root.detachAppender(log);
    own.setLevel(level);
    gateway.kill();
    worker.kill();
    router.close();
    kafka.close();
    redis.close();
    engine.close();
  }

  @Test
  void aGatewayAnswersAndNoLogHasWhatWasSaid() throws Exception {
    // When
    HttpResponse<String> whole = post(MARKER, "sluice-sim-8b", false);
    HttpResponse<String> streamed = post(MARKER, "sluice-sim-8b", true);
    HttpResponse<String> refused = post(MARKER, "no-such-model", false);

    // Then
    assertThat(whole.statusCode()).as(whole.body()).isEqualTo(200);
    assertThat(streamed.body()).contains("[DONE]");
    assertThat(refused.statusCode()).isEqualTo(404);
    String answer =
        Json.tree(whole.body().getBytes(java.nio.charset.StandardCharsets.UTF_8))
            .at("/choices/0/message/content")
            .asText();
    assertThat(answer).hasSizeGreaterThan(20);
    List<String> lines = lines();
    assertThat(lines).as("the log is recorded").anyMatch(line -> line.contains("w1"));
    assertThat(lines)
        .noneMatch(line -> line.contains(MARKER))
        .noneMatch(line -> line.contains(answer.substring(0, 20)))
        .noneMatch(line -> line.contains(SecureRedis.PASSWORD))
        .noneMatch(line -> line.contains("}=#:!"));
  }

  @Test
  void aServiceReadsItsAnswersOnATopicOfItsOwn() throws Exception {
    // Given
    ClientConfig config =
        ClientConfig.at(kafka.bootstrapServers())
            .withKafka(kafka.properties("orders"))
            .withReplyService("orders");

    // When
    try (SluiceClient client = SluiceClient.connect(config)) {
      String text =
          client.submit(ask("hello")).answer().get(BOUND_SECONDS, TimeUnit.SECONDS).text();

      // Then
      assertThat(text).isNotBlank();
    }
  }

  @Test
  void aServiceIsToldThatItMayNotReadTheCommonReplies() {
    // Given
    ClientConfig config =
        ClientConfig.at(kafka.bootstrapServers()).withKafka(kafka.properties("orders"));

    // Then
    assertThatThrownBy(() -> SluiceClient.connect(config))
        .hasMessageContaining("rejected this client")
        .hasMessageContaining("sluice.replies");
  }

  @Test
  void anAnswerIsNeverWrittenToATopicOfThePool() throws Exception {
    // Given
    ClientConfig config =
        ClientConfig.at(kafka.bootstrapServers()).withKafka(kafka.properties("caller"));

    // When
    try (SluiceClient client = SluiceClient.connect(config)) {
      assertThatThrownBy(
              () ->
                  client
                      .submit(
                          InferenceRequest.chat("no-such-model", List.of(Message.user(MARKER)))
                              .build())
                      .answer()
                      .get(BOUND_SECONDS, TimeUnit.SECONDS))

          // Then
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(RequestFailedException.class);
    }
    assertThat(lines()).noneMatch(line -> line.contains(MARKER));
  }

  @Test
  void theCommandsTakeTheSameFiles() {
    assertThat(
            run(
                "chat",
                "hello",
                "--model",
                "sluice-sim-8b",
                "--reply-service",
                "orders",
                "--kafka-config",
                kafka.file("orders").toString()))
        .startsWith("0 ");
    assertThat(run("dead-letters", "list", "--kafka-config", kafka.file("operator").toString()))
        .startsWith("0 ");
    assertThat(
            run(
                "top",
                "--once",
                "--redis",
                redis.uriOfPool(),
                "--redis-ca",
                certificates.authority().toString(),
                "--redis-password-file",
                password.toString()))
        .startsWith("0 ")
        .contains("w1");
    assertThat(
            run(
                "acls",
                "--role",
                "caller",
                "--principal",
                "User:billing",
                "--name",
                "billing",
                "--apply",
                "--kafka-config",
                kafka.file(SecureKafka.ADMIN).toString()))
        .startsWith("0 ")
        .contains("User:billing has 4 ACLs");
    assertThat(
            run(
                "acls",
                "--role",
                "router",
                "--principal",
                "User:mallory",
                "--apply",
                "--kafka-config",
                kafka.file("orders").toString()))
        .startsWith("1 ")
        .contains("did not create the ACLs")
        .hasLineCount(1);
  }

  private InferenceRequest ask(String text) {
    return InferenceRequest.chat("sluice-sim-8b", List.of(Message.user(text)))
        .with("max_tokens", 20)
        .build();
  }

  private HttpResponse<String> post(String prompt, String model, boolean isStream)
      throws Exception {
    String body =
        """
        {"model":"%s","messages":[{"role":"user","content":"%s"}],"max_tokens":40,"stream":%s}"""
            .formatted(model, prompt, isStream);
    var request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/v1/chat/completions".formatted(gateway.port())))
            .header("content-type", "application/json")
            .timeout(Duration.ofSeconds(BOUND_SECONDS))
            .POST(BodyPublishers.ofString(body));
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (ILoggingEvent event : List.copyOf(log.list)) {
      lines.add(event.getFormattedMessage());
      for (var thrown = event.getThrowableProxy(); thrown != null; thrown = thrown.getCause()) {
        lines.add(thrown.getClassName() + ": " + thrown.getMessage());
      }
    }
    return lines;
  }

  /** Returns the exit code and what the command said. */
  private static String run(String... arguments) {
    StringWriter said = new StringWriter();
    int code =
        new Commands(ServiceCommands.all())
            .commandLine(false)
            .setOut(new PrintWriter(said))
            .setErr(new PrintWriter(said))
            .execute(arguments);
    return code + " " + said;
  }

  private Map<String, String> pool(String user, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("port", "0");
    all.put("kafka-config", kafka.mountedFile(user).toString());
    all.put("redis", redis.uriOfPool());
    all.put("redis-ca", certificates.authority().toString());
    all.put("redis-password-file", password.toString());
    if (!user.equals("gateway")) {
      all.put("partitions", PARTITIONS);
      all.put("replication", "1");
    }
    return all;
  }
}
