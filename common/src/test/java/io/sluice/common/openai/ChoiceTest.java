package io.sluice.common.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChoiceTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                           | ''  | ''  | false | true",
        "{'text':''}                                                  | ''  | ''  | false | true",
        "{'text':'a'}                                                 | a   | a   | true  | true",
        "{'text':null}                                                | ''  | ''  | false | true",
        "{'delta':{}}                                                 | ''  | ''  | false | true",
        "{'delta':{'role':'assistant','content':''}}                  | ''  | ''  | false | true",
        "{'delta':{'content':null,'tool_calls':[],'refusal':null}}    | ''  | ''  | false | true",
        "{'delta':{'content':'a'}}                                    | a   | a   | true  | true",
        "{'delta':{'reasoning':'r'}}                                  | ''  | r   | true  | false",
        "{'delta':{'reasoning_content':'r','content':'a'}}            | a   | ra  | true  | false",
        "{'delta':{'tool_calls':[{'index':0}]}}                       | ''  | ''  | true  | false",
        "{'delta':{'content':[{'type':'thinking'}]}}                  | ''  | ''  | true  | true",
        "{'delta':{'refusal':'no'}}                                   | ''  | ''  | true  | false",
        "{'message':{'content':'a'}}                                  | ''  | ''  | false | true"
      })
  void aChunkSaysWhatItAdds(
      String json, String text, String allText, boolean hasOutput, boolean isPlainText) {
    Choice choice = Choice.firstOfChunk(answer(json));

    assertThat(choice.text()).isEqualTo(text);
    assertThat(choice.allText()).isEqualTo(allText);
    assertThat(choice.hasOutput()).isEqualTo(hasOutput);
    assertThat(choice.isPlainText()).isEqualTo(isPlainText);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'message':{'content':'a'}}                          | a   | true",
        "{'message':{'content':null,'tool_calls':[{}]}}       | ''  | true",
        "{'text':'a'}                                         | a   | false",
        "{'delta':{'content':'a'}}                            | ''  | false"
      })
  void aWholeAnswerSaysAllOfIt(String json, String text, boolean hasMessage) {
    Choice choice = Choice.firstOfWhole(answer(json));

    assertThat(choice.text()).isEqualTo(text);
    assertThat(choice.hasMessage()).isEqualTo(hasMessage);
  }

  @Test
  void aMessageCallsToolsOrRefuses() {
    Choice calls =
        Choice.firstOfChunk(
            answer(
                """
                {'delta':{'tool_calls':[
                  {'index':1,'id':'c','function':{'name':'f','arguments':'{}'}},
                  {'id':null,'function':{'arguments':null}}]}}"""));
    Choice refusal = Choice.firstOfWhole(answer("{'message':{'refusal':'no','tool_calls':null}}"));

    assertThat(calls.refusal()).isEmpty();
    assertThat(calls.toolCalls())
        .containsExactly(
            new ToolCall(1, Optional.of("c"), "f", "{}"),
            new ToolCall(0, Optional.empty(), "", ""));
    assertThat(refusal.refusal()).isEqualTo("no");
    assertThat(refusal.toolCalls()).isEmpty();
  }

  @Test
  void choicesHaveNumbersAndEnds() {
    JsonNode answer =
        answer("{},{'index':3,'finish_reason':'stop','stop_reason':7},{'finish_reason':null}");

    assertThat(Choice.ofChunk(answer)).extracting(Choice::index).containsExactly(0, 3, 0);
    assertThat(Choice.ofWhole(answer))
        .extracting(Choice::isEnd)
        .containsExactly(false, true, false);
    Choice ended = Choice.ofChunk(answer).get(1);
    assertThat(ended.finishReason()).contains("stop");
    assertThat(ended.stopReason().asInt()).isEqualTo(7);
    assertThat(Choice.firstOfChunk(answer).finishReason()).isEmpty();
    assertThat(Choice.firstOfChunk(answer).stopReason().isMissingNode()).isTrue();
  }

  @Test
  void anAnswerMayHaveNoChoices() {
    JsonNode nothing = json("{'choices':null}");

    assertThat(Choice.ofChunk(nothing)).isEmpty();
    assertThat(Choice.ofWhole(nothing)).isEmpty();
    assertThat(Choice.firstOfChunk(nothing)).isEqualTo(Choice.NONE);
    assertThat(Choice.firstOfWhole(nothing)).isEqualTo(Choice.NONE);
    assertThat(Choice.NONE.hasOutput()).isFalse();
    assertThat(Choice.NONE.isEnd()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'text':'abc'}                             | 2 | {'text':'a'}                           | 0",
        "{'text':'abc'}                             | 5 | {'text':''}                            | 2",
        "{'delta':{'content':'abc'}}                | 1 | {'delta':{'content':'ab'}}             | 0",
        "{'delta':{'reasoning':'r','content':'a'}}  | 2 | {'delta':{'reasoning':'','content':''}} | 0",
        "{'delta':{'reasoning':'xy','reasoning_content':'xy'}} | 1 | {'delta':{'reasoning':'x','reasoning_content':'x'}} | 0",
        "{'delta':{'content':null}}                 | 1 | {'delta':{'content':null}}             | 1",
        "{'delta':{}}                               | 1 | {'delta':{}}                           | 1"
      })
  void charactersAreRemovedFromTheEnd(String json, int characters, String shorter, int left) {
    Choice choice = Choice.firstOfChunk(answer(json));

    assertThat(choice.shorten(characters)).isEqualTo(left);
    assertThat(choice.json()).isEqualTo(json(shorter));
  }

  private static JsonNode answer(String choices) {
    return json("{'choices':[" + choices + "]}");
  }

  private static JsonNode json(String json) {
    return Json.known(json.replace('\'', '"'));
  }
}
