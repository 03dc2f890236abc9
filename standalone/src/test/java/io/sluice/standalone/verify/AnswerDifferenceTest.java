package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswerDifferenceTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'a':1}|{'a':1}",
        "{'a':[1,{'b':'x'}]}|{'a':[1,{'b':'x'}]}",
        "{'id':'1','created':1,'a':null}|{'id':'2','created':2}",
        "{'logprob':-1.501}|{'logprob':-1.502}",
      })
  void theSameAnswersDoNotDiffer(String one, String other) throws Exception {
    assertThat(AnswerDifference.between(json(one), json(other))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'a':1}|{'a':2}|/a is 2 instead of 1",
        "{'a':1}|{}|/a is missing instead of 1",
        "{}|{'a':1}|/a is 1 instead of missing",
        "{'a':['x','y']}|{'a':['x','z']}|/a/1 is \"z\" instead of \"y\"",
        "{'a':[1,2]}|{'a':[1]}|/a is [1] instead of [1,2]",
        "{'logprob':-1.5}|{'logprob':-2.5}|/logprob is -2.5 instead of -1.5",
      })
  void theFirstDifferenceIsToldWithItsPlace(String one, String other, String difference)
      throws Exception {
    assertThat(AnswerDifference.between(json(one), json(other))).contains(difference);
  }

  @Test
  void everyOptionHasItsOwnName() {
    assertThat(MatrixCase.all()).extracting(MatrixCase::name).doesNotHaveDuplicates();
    assertThat(MatrixCase.all()).hasSizeGreaterThan(40);
  }

  @Test
  void anAdapterIsAskedForWhereTheEngineHasOne() {
    assertThat(MatrixCase.of(0, List.of())).noneMatch(MatrixCase::isForAdapter);
    assertThat(MatrixCase.of(0, List.of("adapter"))).isEqualTo(MatrixCase.all());
    assertThat(MatrixCase.all()).filteredOn(MatrixCase::isForAdapter).hasSize(1);
  }

  @Test
  void aContextIsFilledWhereThatIsSoon() {
    assertThat(MatrixCase.of(2_048, List.of()).getLast())
        .returns("completion, a full context", MatrixCase::name)
        .returns(2_048 - 60, filling -> filling.body().path("prompt").size());
    assertThat(MatrixCase.of(131_072, List.of())).isEqualTo(MatrixCase.of(0, List.of()));
  }

  private static JsonNode json(String text) throws Exception {
    return Json.tree(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }
}
