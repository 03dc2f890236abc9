package io.sluice.bench.batch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.direct.DirectReply;
import io.sluice.bench.direct.Question;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckerTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ANSWER =
      """
      {"object":"text_completion","model":"m","choices":[{"index":0,"text":"one two",\
      "finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}\
      """;
  private static final String REFUSAL =
      """
      {"error":{"message":"no","type":"invalid_request_error","code":400}}\
      """;
  private static final PlannedLine GOOD = request(1, LineKind.COMPLETION, "good");
  private static final PlannedLine BAD = request(2, LineKind.BAD_FIELD, "bad");
  private static final PlannedLine BROKEN =
      new PlannedLine(3, LineKind.NO_JSON, "{", Optional.empty(), Optional.empty());

  private static final String GOOD_RESULT = result("good", 200, ANSWER);
  private static final String BAD_RESULT = result("bad", 400, REFUSAL);
  private static final String BROKEN_RESULT =
      """
      {"id":"b","custom_id":null,"response":null,\
      "error":{"code":"invalid_json","message":"line 3: no","line":3}}\
      """;

  @TempDir private Path folder;

  @Test
  void aCompleteAndRightBatchHasNoFindings() throws Exception {
    Verdict verdict = check(List.of(GOOD_RESULT), List.of(BAD_RESULT, BROKEN_RESULT));

    assertThat(verdict.findings()).isEmpty();
    assertThat(verdict.equal()).isEqualTo(1);
    assertThat(verdict.shown()).contains("errors            expected 2, unexpected 0\n");
  }

  @Test
  void aResultThatIsMissingOrDoubledIsFound() throws Exception {
    Verdict verdict = check(List.of(GOOD_RESULT, GOOD_RESULT), List.of(BROKEN_RESULT));

    assertThat(verdict.findings())
        .containsExactly("line 1 (COMPLETION) has 2 results", "line 2 (BAD_FIELD) has no result");
  }

  @Test
  void anotherTextFinishReasonOrCountIsFound() throws Exception {
    for (String change : List.of("one two>one too", "length>stop", "s\":2>s\":3", "s\":3>s\":4")) {
      String[] parts = change.split(">");
      String other = GOOD_RESULT.replace(parts[0], parts[1]);

      Verdict verdict = check(List.of(other), List.of(BAD_RESULT, BROKEN_RESULT));

      assertThat(verdict.findings()).as(change).hasSize(1);
    }
  }

  @Test
  void aResultInTheWrongFileOrOfNoLineIsFound() throws Exception {
    Verdict verdict =
        check(
            List.of(BAD_RESULT, result("other", 200, ANSWER)), List.of(GOOD_RESULT, BROKEN_RESULT));

    assertThat(verdict.findings()).hasSize(3);
  }

  @Test
  void anErrorWithAnotherStatusOrWithoutItsFieldsIsFound() throws Exception {
    for (String other : List.of(result("bad", 500, REFUSAL), result("bad", 400, "{}"))) {
      assertThat(check(List.of(GOOD_RESULT), List.of(other, BROKEN_RESULT)).findings()).hasSize(1);
    }
  }

  private Verdict check(List<String> output, List<String> errors) throws IOException {
    Path outputFile = Files.write(folder.resolve("output.jsonl"), output);
    Path errorFile = Files.write(folder.resolve("errors.jsonl"), errors);
    Map<String, DirectReply> direct =
        Map.of(
            "good", new DirectReply(200, JSON.readTree(ANSWER)),
            "bad", new DirectReply(400, JSON.readTree(REFUSAL)));
    return Checker.check(List.of(GOOD, BAD, BROKEN), Results.of(outputFile, errorFile), direct);
  }

  private static PlannedLine request(int number, LineKind kind, String id) {
    var question = new Question(id, "/v1/completions", JSON.createObjectNode());
    return new PlannedLine(number, kind, "{}", Optional.of(id), Optional.of(question));
  }

  private static String result(String id, int status, String body) {
    return """
    {"id":"b","custom_id":"%s","response":{"status_code":%d,"request_id":"r","body":%s},\
    "error":null}\
    """
        .formatted(id, status, body);
  }
}
