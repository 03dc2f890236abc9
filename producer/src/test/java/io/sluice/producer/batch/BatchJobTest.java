package io.sluice.producer.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.client.AnsweringPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class BatchJobTest {
  @TempDir Path folder;
  private Path input;
  private Path output;

  @BeforeEach
  void nameFiles() {
    input = folder.resolve("in.jsonl");
    output = folder.resolve("out.jsonl");
  }

  @Test
  void everyRequestComesToOneLineInOpenAiShape() throws Exception {
    // Given
    write(input, line("a", false), line("b", true));

    // When
    BatchReport report = run(BatchSpec.bulk(input, output), body -> "hi");

    // Then
    Map<String, JsonNode> results = results(output);
    assertThat(results).containsOnlyKeys("a", "b");
    for (JsonNode result : results.values()) {
      assertThat(result.path("id").asText()).startsWith("batch_req_");
      assertThat(result.path("error").isNull()).isTrue();
      JsonNode response = result.path("response");
      assertThat(response.path("status_code").asInt()).isEqualTo(200);
      assertThat(response.path("request_id").asText()).isNotEmpty();
      assertThat(response.at("/body/object").asText()).isEqualTo("chat.completion");
      assertThat(response.at("/body/choices/0/message/content").asText()).isEqualTo("hi");
    }
    assertThat(report.requests()).isEqualTo(2);
    assertThat(report.isAllAnswered()).isTrue();
    assertThat(report.completionTokens()).isEqualTo(2);
    assertThat(report.firstTokenMillis()).isEqualTo(new Percentiles(1, 12, 12));
    assertThat(report.workers())
        .singleElement()
        .satisfies(share -> assertThat(share.requests()).isEqualTo(2));
  }

  @Test
  void bulkGoesToTheBulkTopicAndInteractiveToTheLanes() throws Exception {
    // Given
    write(input, line("a", false));
    BatchSpec bulk = BatchSpec.bulk(input, output);

    // When, Then
    try (AnsweringPool pool = new AnsweringPool(body -> "hi")) {
      run(bulk, pool);
      assertThat(pool.topics()).containsExactly("sluice.bulk");
    }
    Files.delete(output);
    BatchSpec interactive =
        new BatchSpec(
            input,
            output,
            Optional.empty(),
            Priority.INTERACTIVE,
            4,
            Optional.of("other"),
            Optional.empty());
    try (AnsweringPool pool =
        new AnsweringPool(
            body -> body.contains("\"model\":\"other\"") ? "hi" : "fail:model_not_found")) {
      assertThat(run(interactive, pool).isAllAnswered()).isTrue();
      assertThat(pool.topics()).containsExactly("sluice.requests.2k");
    }
  }

  @Test
  void brokenLinesAreReportedAndTheJobGoesOn() throws Exception {
    // Given
    write(
        input,
        "this is not JSON",
        "[1,2]",
        "{\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{}}",
        line("good", false),
        "",
        line("good", false),
        "{\"custom_id\":\"u\",\"method\":\"POST\",\"url\":\"/v1/embeddings\",\"body\":{}}",
        "{\"custom_id\":\"m\",\"method\":\"GET\",\"url\":\"/v1/chat/completions\",\"body\":{}}",
        "{\"custom_id\":\"n\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\"}");

    // When
    BatchReport report = run(BatchSpec.bulk(input, output), body -> "hi");

    // Then
    List<String> errors =
        Files.readAllLines(output).stream()
            .map(BatchJobTest::tree)
            .filter(json -> json.path("response").isNull())
            .map(json -> json.at("/error/line").asInt() + " " + json.at("/error/code").asText())
            .toList();
    assertThat(errors)
        .containsExactlyInAnyOrder(
            "1 invalid_json",
            "2 invalid_json",
            "3 missing_custom_id",
            "6 duplicate_custom_id",
            "7 invalid_url",
            "8 invalid_method",
            "9 missing_body");
    assertThat(report.succeeded()).isEqualTo(1);
    assertThat(report.failed()).isEqualTo(7);
    assertThat(report.isAllAnswered()).isFalse();
  }

  @Test
  void anotherRunAsksOnlyForWhatIsMissingOrFailedForNoFaultOfTheRequest() throws Exception {
    // Given: a first run with an answer, a settled error, a passing error, and a broken line
    write(
        input,
        line("ok", false),
        line("bad", false),
        line("busy", false),
        "broken",
        line("late", false));
    Function<String, String> first =
        body ->
            body.contains("busy")
                ? "fail:overloaded"
                : body.contains("bad")
                    ? "fail:invalid_request"
                    : body.contains("late") ? "fail:deadline_exceeded" : "hi";
    assertThat(run(BatchSpec.bulk(input, output), first).failed()).isEqualTo(4);
    assertThat(results(output).get("late").at("/error/code").asText()).isEqualTo("batch_expired");
    assertThat(results(output).get("bad").at("/response/status_code").asInt()).isEqualTo(400);
    assertThat(results(output).get("bad").at("/response/body/error/code").asText())
        .isEqualTo("invalid_request");

    // When
    Map<String, String> asked = new ConcurrentHashMap<>();
    BatchReport report =
        run(
            BatchSpec.bulk(input, output),
            body -> {
              asked.put(body, body);
              return "again";
            });

    // Then
    assertThat(asked.keySet()).hasSize(2).allMatch(b -> b.contains("busy") || b.contains("late"));
    assertThat(results(output)).containsKeys("ok", "bad", "busy", "late");
    assertThat(Files.readAllLines(output)).hasSize(5);
    assertThat(report.continued()).isEqualTo(2);
    assertThat(report.succeeded()).isEqualTo(3);
    assertThat(report.failed()).isEqualTo(2);
  }

  @Test
  void aTornLastLineIsRepairedAndItsRequestRunAgain() throws Exception {
    // Given
    write(input, line("a", false), line("b", false));
    run(BatchSpec.bulk(input, output), body -> "hi");
    String whole = Files.readString(output);
    Files.writeString(output, whole.substring(0, whole.length() - 20));

    // When
    BatchReport report = run(BatchSpec.bulk(input, output), body -> "hi");

    // Then
    assertThat(report.continued()).isEqualTo(1);
    assertThat(results(output)).containsOnlyKeys("a", "b");
    assertThat(Files.readAllLines(output)).hasSize(2);
  }

  @Test
  void aWholeLastLineWithoutItsEndIsKept() throws Exception {
    // Given
    write(input, line("a", false), line("b", false));
    run(BatchSpec.bulk(input, output), body -> "hi");
    Files.writeString(output, Files.readString(output).stripTrailing());
    Files.writeString(input, line("c", false) + "\n", StandardOpenOption.APPEND);

    // When
    BatchReport report = run(BatchSpec.bulk(input, output), body -> "hi");

    // Then
    assertThat(report.continued()).isEqualTo(2);
    assertThat(results(output)).containsOnlyKeys("a", "b", "c");
  }

  @Test
  void failuresGoToTheErrorsFileWhereOneIsNamed() throws Exception {
    // Given
    write(input, line("ok", false), line("bad", false), "broken");
    Path errors = folder.resolve("errors.jsonl");
    BatchSpec spec =
        new BatchSpec(
            input,
            output,
            Optional.of(errors),
            Priority.BULK,
            2,
            Optional.empty(),
            Optional.empty());
    Function<String, String> answers = body -> body.contains("bad") ? "fail:model_not_found" : "hi";

    // When
    run(spec, answers);
    BatchReport second = run(spec, answers);

    // Then
    assertThat(results(output)).containsOnlyKeys("ok");
    assertThat(Files.readAllLines(errors)).hasSize(2);
    assertThat(second.continued()).isEqualTo(2);
  }

  @Test
  void noMoreThanTheLimitAreInThePoolAtOnce() throws Exception {
    // Given
    write(
        input, IntStream.range(0, 200).mapToObj(i -> line("r" + i, false)).toArray(String[]::new));
    BatchSpec spec =
        new BatchSpec(
            input, output, Optional.empty(), Priority.BULK, 5, Optional.empty(), Optional.empty());

    // When
    try (AnsweringPool pool = new AnsweringPool(body -> "hi")) {
      BatchReport report = run(spec, pool);

      // Then
      assertThat(report.succeeded()).isEqualTo(200);
      assertThat(pool.mostInFlight()).isBetween(1, 5);
    }
    assertThat(results(output)).hasSize(200);
  }

  @Test
  void aStoppedJobCancelsWhatIsInThePoolAndLeavesItForTheNextRun() throws Exception {
    // Given
    write(input, line("quick", false), line("slow", false));
    AtomicInteger asked = new AtomicInteger();
    BatchReport stopped;
    try (AnsweringPool pool =
            new AnsweringPool(
                body -> {
                  asked.incrementAndGet();
                  return body.contains("slow") ? AnsweringPool.SILENCE : "hi";
                });
        BatchJob job = BatchJob.open(BatchSpec.bulk(input, output))) {
      CompletableFuture<BatchReport> running =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return job.run(pool.client(), BatchProgress.NONE);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      await().until(() -> asked.get() == 2 && Files.size(output) > 0);

      // When
      job.stop();
      stopped = running.get(20, TimeUnit.SECONDS);
      await().until(() -> pool.topics().contains("sluice.control"));
    }

    // Then
    assertThat(stopped.isComplete()).isFalse();
    assertThat(results(output)).containsOnlyKeys("quick");
    assertThat(run(BatchSpec.bulk(input, output), body -> "hi").isAllAnswered()).isTrue();
  }

  @Test
  void unusableFilesAreRefusedBeforeAnyWork() throws Exception {
    // Given
    write(input, line("a", false));

    // Then
    refused(BatchSpec.bulk(folder.resolve("none.jsonl"), output), "none.jsonl: no such file");
    refused(BatchSpec.bulk(folder, output), "it is a directory");
    refused(BatchSpec.bulk(Path.of("/dev/null"), output), "it is not a regular file");
    refused(BatchSpec.bulk(input, folder), "it is a directory");
    refused(BatchSpec.bulk(input, folder.resolve("no/where.jsonl")), "no such file or folder");
    refused(BatchSpec.bulk(input, input), "must not be the same file as");
  }

  @Test
  void anInputThatChangesIsToldAndItsAnswersAreKept() throws Exception {
    // Given
    write(input, line("a", false));
    try (AnsweringPool pool = new AnsweringPool(body -> "hi");
        BatchJob job = BatchJob.open(BatchSpec.bulk(input, output))) {
      // When
      Files.writeString(input, line("b", false) + "\n", StandardOpenOption.APPEND);

      // Then
      assertThatThrownBy(() -> job.run(pool.client(), BatchProgress.NONE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("changed from 1 to 2; run the same command again");
    }
    assertThat(results(output)).containsOnlyKeys("a", "b");
    assertThat(run(BatchSpec.bulk(input, output), body -> "hi").continued()).isEqualTo(2);
  }

  @Test
  void aFileOfSomethingElseIsNotOverwritten() throws Exception {
    // Given
    write(input, line("a", false));
    Files.writeString(output, "my precious notes\nmore of them\n");

    // Then
    refused(BatchSpec.bulk(input, output), "line 1 is not a batch result");
    assertThat(output).hasContent("my precious notes\nmore of them\n");
  }

  private static void refused(BatchSpec spec, String reason) {
    assertThatThrownBy(() -> BatchJob.open(spec).close())
        .isInstanceOf(BatchFileException.class)
        .hasMessageContaining(reason)
        .message()
        .doesNotContain("\n");
  }

  private static BatchReport run(BatchSpec spec, Function<String, String> answers)
      throws Exception {
    try (AnsweringPool pool = new AnsweringPool(answers)) {
      return run(spec, pool);
    }
  }

  private static BatchReport run(BatchSpec spec, AnsweringPool pool) throws Exception {
    try (BatchJob job = BatchJob.open(spec)) {
      return job.run(pool.client(), BatchProgress.NONE);
    }
  }

  private static String line(String customId, boolean isStreamed) {
    return Json.text(
        Map.of(
            "custom_id",
            customId,
            "method",
            "POST",
            "url",
            "/v1/chat/completions",
            "body",
            Map.of(
                "model",
                "sluice-8b",
                "stream",
                isStreamed,
                "messages",
                List.of(Map.of("role", "user", "content", customId)))));
  }

  private static void write(Path file, String... lines) throws IOException {
    Files.writeString(file, String.join("\n", lines) + "\n");
  }

  private static Map<String, JsonNode> results(Path file) throws IOException {
    Map<String, JsonNode> results = new HashMap<>();
    List<String> ids = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      JsonNode json = tree(line);
      if (json.path("custom_id").isTextual()) {
        ids.add(json.path("custom_id").asText());
        results.put(json.path("custom_id").asText(), json);
      }
    }
    assertThat(ids).doesNotHaveDuplicates();
    return results;
  }

  private static JsonNode tree(String line) {
    try {
      return Json.mapper().readTree(line);
    } catch (IOException e) {
      throw new AssertionError("not JSON: " + line, e);
    }
  }
}
