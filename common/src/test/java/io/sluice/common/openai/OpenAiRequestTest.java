package io.sluice.common.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.Endpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpenAiRequestTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "{}                                              | -  | 16",
        "{'max_tokens':7}                                | 7  | 7",
        "{'max_tokens':0}                                | 0  | 0",
        "{'max_tokens':null}                             | -  | -",
        "{'max_completion_tokens':5}                     | 5  | 16",
        "{'max_completion_tokens':5,'max_tokens':7}      | 5  | 7",
        "{'max_completion_tokens':null,'max_tokens':7}   | 7  | 7",
        "{'max_tokens':'7'}                              | -  | -",
        "{'max_tokens':7.5}                              | -  | -",
        "{'max_tokens':99999999999}                      | -  | -"
      })
  void theFirstFieldThatIsSetCounts(String body, Integer chat, Integer completion)
      throws IOException {
    assertThat(boxed(request(Endpoint.CHAT_COMPLETIONS, body))).isEqualTo(chat);
    assertThat(boxed(request(Endpoint.COMPLETIONS, body))).isEqualTo(completion);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                              | true",
        "{'max_tokens':1}                                | true",
        "{'max_tokens':0}                                | false",
        "{'max_tokens':null}                             | true",
        "{'max_tokens':'7'}                              | false",
        "{'max_completion_tokens':5,'max_tokens':'7'}    | false",
        "{'max_completion_tokens':5,'max_tokens':0}      | true",
        "{'max_completion_tokens':0}                     | false"
      })
  void aLimitAllowsTokensOrNone(String body, boolean allowsTokens) throws IOException {
    assertThat(request(Endpoint.CHAT_COMPLETIONS, body).allowsTokens()).isEqualTo(allowsTokens);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'prompt':'a'}                            | 1 | 1 | true",
        "{'prompt':[1,2]}                          | 1 | 1 | true",
        "{'prompt':['a']}                          | 1 | 1 | false",
        "{'prompt':['a','b'],'n':2}                | 2 | 2 | false",
        "{'prompt':[[1,2],[3]]}                    | 2 | 1 | false",
        "{'prompt':[]}                             | 1 | 1 | false",
        "{'prompt':'a','n':2}                      | 1 | 2 | false",
        "{'prompt':'a','n':0}                      | 1 | 1 | true",
        "{'prompt':'a','n':null,'best_of':null}    | 1 | 1 | true",
        "{'prompt':'a','n':'many'}                 | 1 | 1 | true",
        "{'prompt':'a','n':'2'}                    | 1 | 2 | false",
        "{'prompt':'a','best_of':'2'}              | 1 | 1 | false",
        "{'prompt':'a','n':99999999999}            | 1 | 2147483647 | false",
        "{'prompt':'a','best_of':3}                | 1 | 1 | false"
      })
  void aCompletionMayHaveSeveralAnswers(String body, int prompts, int choices, boolean isOne)
      throws IOException {
    OpenAiRequest request = request(Endpoint.COMPLETIONS, body);

    assertThat(request.prompts()).isEqualTo(prompts);
    assertThat(request.choices()).isEqualTo(choices);
    assertThat(request.isOneAnswer()).isEqualTo(isOne);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                            | false",
        "{'response_format':null}                      | false",
        "{'response_format':{'type':'text'}}           | false",
        "{'response_format':{'type':'json_object'}}    | true",
        "{'guided_regex':null}                         | false",
        "{'guided_regex':'a+'}                         | true",
        "{'guided_json':{}}                            | true",
        "{'structured_outputs':{'choice':['a']}}       | true"
      })
  void anAnswerWithASchemaOrAGrammarIsStructured(String body, boolean isStructured)
      throws IOException {
    assertThat(request(Endpoint.CHAT_COMPLETIONS, body).isStructured()).isEqualTo(isStructured);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}            | false",
        "{'x':null}    | false",
        "{'x':false}   | false",
        "{'x':[]}      | false",
        "{'x':{}}      | false",
        "{'x':true}    | true",
        "{'x':0}       | true",
        "{'x':'no'}    | true",
        "{'x':[0]}     | true"
      })
  void aFieldIsSetIfItAsksForSomething(String body, boolean isSet) throws IOException {
    assertThat(request(Endpoint.CHAT_COMPLETIONS, body).isSet("x")).isEqualTo(isSet);
  }

  @Test
  void textsAreThoseOfMessagesAndPromptsInOrder() throws IOException {
    String body =
        "{'messages':[{'content':'a'},{'content':[{'text':'b'},{'image_url':{}}]},5],"
            + "'prompt':['c',[1]],'stop':['x','y']}";
    OpenAiRequest request = request(Endpoint.CHAT_COMPLETIONS, body);

    assertThat(request.promptTexts()).containsExactly("a", "b", "c");
    assertThat(request.stopTexts()).containsExactly("x", "y");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'prompt':'text'}                                                              | 0",
        "{'messages':5}                                                                 | 0",
        "{'messages':['a',5,{'content':'text'},{'content':5},{'content':['a',5]}]}      | 0",
        "{'messages':[{'content':[{'type':'text','text':'b'},{'refusal':'no'}]}]}       | 0",
        "{'messages':[{'content':[{'type':'image_url','image_url':{'url':'data'}}]}]}   | 4",
        "{'messages':[{'content':[{'image_url':'data'},{'image_url':'more'}]}]}         | 8",
        "{'messages':[{'content':[{'input_audio':{'data':'abc','format':'wav'}}]}]}     | 6",
        "{'messages':[{'content':'a'},{'content':[{'file':{'file_data':['abc',1]}}]}]}  | 3"
      })
  void whatIsNotTextInMessagesIsMedia(String body, int characters) throws IOException {
    assertThat(request(Endpoint.CHAT_COMPLETIONS, body).mediaCharacters()).isEqualTo(characters);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[1]", "'x'", "{", "{} {}"})
  void whatIsNotAnObjectIsNotARequest(String body) {
    assertThatThrownBy(() -> request(Endpoint.COMPLETIONS, body)).isInstanceOf(IOException.class);
  }

  private static OpenAiRequest request(Endpoint endpoint, String body) throws IOException {
    return OpenAiRequest.parse(endpoint, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private static Integer boxed(OpenAiRequest request) {
    var limit = request.maxTokens();
    return limit.isPresent() ? limit.getAsInt() : null;
  }
}
