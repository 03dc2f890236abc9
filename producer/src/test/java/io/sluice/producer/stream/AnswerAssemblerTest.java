package io.sluice.producer.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class AnswerAssemblerTest {

  @Property
  void howeverATextIsCutItComesTogetherAgain(@ForAll @Size(max = 20) List<String> pieces)
      throws Exception {
    // Given
    AnswerAssembler chat = new AnswerAssembler(Endpoint.CHAT_COMPLETIONS);
    AnswerAssembler completion = new AnswerAssembler(Endpoint.COMPLETIONS);

    // When
    for (String piece : pieces) {
      String text = Json.text(piece);
      chat.append(tree("{'choices':[{'index':0,'delta':{'content':%TEXT%}}]}", text));
      completion.append(tree("{'choices':[{'index':0,'text':%TEXT%}]}", text));
    }

    // Then
    String whole = String.join("", pieces);
    assertThat(chat.whole().at("/choices/0/message/content").asText("")).isEqualTo(whole);
    assertThat(completion.whole().at("/choices/0/text").asText("")).isEqualTo(whole);
  }

  @Test
  void aStreamOfAnEngineBecomesTheAnswerItWouldHaveGivenWhole() throws Exception {
    // Given
    AnswerAssembler answer = new AnswerAssembler(Endpoint.CHAT_COMPLETIONS);

    // When
    answer.append(
        tree(
            "{'id':'c','object':'chat.completion.chunk','created':5,'model':'m','choices':[{'index':0,'delta':{'role':'assistant','content':''},'logprobs':null,'finish_reason':null}]}"));
    answer.append(
        tree(
            "{'id':'c','object':'chat.completion.chunk','created':5,'model':'m','choices':[{'index':0,'delta':{'reasoning':'hm'},'logprobs':null,'finish_reason':null}]}"));
    answer.append(
        tree(
            "{'id':'c','created':5,'model':'m','choices':[{'index':0,'delta':{'content':'Hi'},'logprobs':{'content':[{'token':'Hi'}]},'finish_reason':null}]}"));
    answer.append(
        tree(
            "{'id':'c','created':5,'model':'m','choices':[{'index':0,'delta':{'content':''},'finish_reason':'stop','stop_reason':null}],'usage':{'prompt_tokens':1,'completion_tokens':2}}"));

    // Then
    assertThat(answer.whole())
        .isEqualTo(
            tree(
                "{'id':'c','created':5,'model':'m','usage':{'prompt_tokens':1,'completion_tokens':2},'object':'chat.completion','choices':[{'index':0,'finish_reason':'stop','stop_reason':null,'message':{'role':'assistant','content':'Hi','reasoning':'hm'},'logprobs':{'content':[{'token':'Hi'}]}}]}"));
  }

  @Test
  void toolCallsAreJoinedByTheirIndex() throws Exception {
    // Given
    AnswerAssembler answer = new AnswerAssembler(Endpoint.CHAT_COMPLETIONS);

    // When
    answer.append(
        tree(
            "{'choices':[{'index':0,'delta':{'tool_calls':[{'id':'t1','type':'function','index':0,'function':{'name':'f','arguments':''}}]}}]}"));
    answer.append(
        tree(
            "{'choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'function':{'arguments':'{}'}}]}}]}"));
    answer.append(
        tree(
            "{'choices':[{'index':0,'delta':{'tool_calls':[{'id':'t2','type':'function','index':1,'function':{'name':'g','arguments':'[]'}}]},'finish_reason':'tool_calls'}]}"));

    // Then
    JsonNode message = answer.whole().at("/choices/0/message");
    assertThat(message.path("content").isNull()).isTrue();
    assertThat(message.path("tool_calls"))
        .isEqualTo(
            tree(
                "[{'id':'t1','type':'function','function':{'name':'f','arguments':'{}'}},{'id':'t2','type':'function','function':{'name':'g','arguments':'[]'}}]"));
  }

  @Test
  void choicesAreKeptApartAndARestartForgetsThem() throws Exception {
    // Given
    AnswerAssembler answer = new AnswerAssembler(Endpoint.CHAT_COMPLETIONS);
    answer.append(tree("{'choices':[{'index':1,'delta':{'content':'b'}}]}"));
    answer.append(tree("{'choices':[{'index':0,'delta':{'content':'a'}}]}"));
    assertThat(answer.whole().at("/choices/0/message/content").asText()).isEqualTo("a");
    assertThat(answer.whole().at("/choices/1/message/content").asText()).isEqualTo("b");

    // When
    answer.restart();

    // Then
    assertThat(answer.whole().path("choices")).isEmpty();
  }

  @Test
  void whatTheChunksHaveOfReasoningAndToolCallsIsNotInTheRest() throws Exception {
    // Given
    AnswerAssembler answer = new AnswerAssembler(Endpoint.CHAT_COMPLETIONS);
    answer.append(
        tree(
            "{'choices':[{'index':0,'delta':{'reasoning':'Hm','tool_calls':[{'index':0,'id':'c1','type':'function','function':{'name':'f','arguments':'{1'}}]}}]}"));

    // When
    JsonNode rest =
        answer.rest(
            tree(
                "{'object':'chat.completion','choices':[{'index':0,'message':{'reasoning':'Hm','tool_calls':[{'id':'c1','type':'function','function':{'name':'f','arguments':'{12}'}},{'id':'c2','type':'function','function':{'name':'g','arguments':'{}'}}]},'finish_reason':'tool_calls'}]}"));

    // Then
    assertThat(rest)
        .isEqualTo(
            tree(
                "{'object':'chat.completion.chunk','choices':[{'index':0,'finish_reason':'tool_calls','delta':{'tool_calls':[{'index':0,'function':{'arguments':'2}'}},{'id':'c2','type':'function','function':{'name':'g','arguments':'{}'},'index':1}]}}]}"));
  }

  @Test
  void afterARestartTheRestIsTheWholeAnswer() throws Exception {
    // Given
    AnswerAssembler answer = new AnswerAssembler(Endpoint.COMPLETIONS);
    answer.append(tree("{'choices':[{'index':0,'text':'void'}]}"));
    answer.restart();
    answer.append(tree("{'choices':[{'index':0,'text':'be'}]}"));
    JsonNode whole = tree("{'object':'text_completion','choices':[{'index':0,'text':'begun'}]}");

    // When, then
    assertThat(answer.rest(whole).at("/choices/0/text").asText()).isEqualTo("gun");
    assertThat(whole.at("/choices/0/text").asText()).isEqualTo("begun");
  }

  private static JsonNode tree(String json) throws IOException {
    return Json.tree(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private static JsonNode tree(String json, String text) throws IOException {
    return Json.tree(
        json.replace('\'', '"').replace("%TEXT%", text).getBytes(StandardCharsets.UTF_8));
  }
}
