package io.sluice.gateway.responses.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.sluice.common.protocol.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChatBodyTest {

  @Test
  void aTextIsAMessageOfTheUser() throws Exception {
    assertThat(chat("{'model':'m','input':'Hello'}"))
        .isEqualTo(
            json(
                """
                {'model':'m','messages':[{'role':'user','content':'Hello'}],
                 'stream':true,'stream_options':{'include_usage':true}}"""));
  }

  @Test
  void instructionsComeBeforeTheConversationAndTheInput() throws Exception {
    // Given
    ArrayNode earlier = (ArrayNode) json("[{'role':'user','content':'1'}]");

    // When
    JsonNode chat =
        ChatBody.streamed(json("{'model':'m','input':'2','instructions':'Be short.'}"), earlier);

    // Then
    assertThat(chat.path("messages"))
        .isEqualTo(
            json(
                """
                [{'role':'system','content':'Be short.'},{'role':'user','content':'1'},
                 {'role':'user','content':'2'}]"""));
  }

  @Test
  void itemsBecomeMessagesAndCallsJoinTheMessageBeforeThem() throws Exception {
    // When
    JsonNode messages =
        messages(
            """
            [{'role':'developer','content':'Be short.'},
             {'type':'message','role':'user','content':[{'type':'input_text','text':'a'},
               {'type':'input_text','text':'b'}]},
             {'type':'reasoning','id':'rs_1','summary':[]},
             {'type':'message','role':'assistant','content':[{'type':'output_text','text':'I look.'}]},
             {'type':'function_call','call_id':'c1','name':'f','arguments':'{}'},
             {'type':'function_call','call_id':'c2','name':'g','arguments':'{}'},
             {'type':'function_call_output','call_id':'c1','output':'one'},
             {'type':'function_call_output','call_id':'c2','output':[{'type':'input_text','text':'two'}]},
             {'type':'function_call','call_id':'c3','name':'h','arguments':'{}'}]""");

    // Then
    assertThat(messages)
        .isEqualTo(
            json(
                """
                [{'role':'system','content':'Be short.'},
                 {'role':'user','content':'ab'},
                 {'role':'assistant','content':'I look.','tool_calls':[
                   {'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}},
                   {'id':'c2','type':'function','function':{'name':'g','arguments':'{}'}}]},
                 {'role':'tool','content':'one','tool_call_id':'c1'},
                 {'role':'tool','content':'two','tool_call_id':'c2'},
                 {'role':'assistant','content':null,'tool_calls':[
                   {'id':'c3','type':'function','function':{'name':'h','arguments':'{}'}}]}]"""));
  }

  @Test
  void picturesStayParts() throws Exception {
    assertThat(
            messages(
                """
                [{'role':'user','content':[{'type':'input_text','text':'What?'},
                 {'type':'input_image','image_url':'data:x','detail':'low'}]}]"""))
        .isEqualTo(
            json(
                """
                [{'role':'user','content':[{'type':'text','text':'What?'},
                 {'type':'image_url','image_url':{'url':'data:x','detail':'low'}}]}]"""));
  }

  @Test
  void everyOptionHasItsPlaceInAChat() throws Exception {
    // When
    JsonNode chat =
        chat(
            """
            {'model':'m','input':'x','max_output_tokens':7,'temperature':0.5,'top_p':0.9,
             'metadata':{'k':'v'},'user':'u','service_tier':'flex','prompt_cache_key':'p',
             'truncation':'auto','reasoning':{'effort':'low'},'parallel_tool_calls':false,
             'include':['message.output_text.logprobs'],'top_logprobs':2,
             'tools':[{'type':'function','name':'f','parameters':{'type':'object'},'strict':true}],
             'tool_choice':{'type':'function','name':'f'},
             'text':{'format':{'type':'json_schema','name':'s','schema':{'type':'object'},'strict':true}}}""");

    // Then
    assertThat(chat)
        .isEqualTo(
            json(
                """
                {'model':'m','messages':[{'role':'user','content':'x'}],
                 'stream':true,'stream_options':{'include_usage':true},
                 'max_completion_tokens':7,'temperature':0.5,'top_p':0.9,
                 'metadata':{'k':'v'},'user':'u','service_tier':'flex','prompt_cache_key':'p',
                 'truncate_prompt_tokens':-1,'reasoning_effort':'low','parallel_tool_calls':false,
                 'logprobs':true,'top_logprobs':2,
                 'tools':[{'type':'function','function':
                   {'name':'f','parameters':{'type':'object'},'strict':true}}],
                 'tool_choice':{'type':'function','function':{'name':'f'}},
                 'response_format':{'type':'json_schema','json_schema':
                   {'name':'s','schema':{'type':'object'},'strict':true}}}"""));
  }

  @Test
  void aChoiceAmongNoToolsIsLeftOut() throws Exception {
    assertThat(chat("{'model':'m','input':'x','tools':[],'tool_choice':'auto'}"))
        .noneMatch(field -> field.asText().equals("auto"));
  }

  @Test
  void theConversationContinuesWithWhatWasAnswered() throws Exception {
    // When
    ArrayNode next =
        ChatBody.conversation(
            json("{'input':'2','instructions':'Be short.'}"),
            (ArrayNode) json("[{'role':'user','content':'1'}]"),
            (ArrayNode)
                json(
                    """
                    [{'type':'message','role':'assistant','content':
                      [{'type':'output_text','text':'three'}]}]"""));

    // Then
    assertThat(next)
        .isEqualTo(
            json(
                """
                [{'role':'user','content':'1'},{'role':'user','content':'2'},
                 {'role':'assistant','content':'three'}]"""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'input':'x'} | model
          {'model':'m'} | input
          {'model':'m','input':[{'type':'item_reference','id':'x'}]} | input[0].type
          {'model':'m','input':[{'role':'king','content':'x'}]} | input[0].role
          {'model':'m','input':[{'role':'user','content':[{'type':'input_file'}]}]} | input[0].content[0].type
          {'model':'m','input':[{'type':'function_call','name':'f'}]} | input[0].call_id
          {'model':'m','input':'x','tools':[{'type':'web_search'}]} | tools[0].type
          {'model':'m','input':'x','tools':[{'type':'function','name':'f'}],'tool_choice':{'type':'mcp'}} | tool_choice.type
          {'model':'m','input':'x','text':{'format':{'type':'xml'}}} | text.format.type
          {'model':'m','input':'x','truncation':'some'} | truncation
          {'model':'m','input':'x','background':true,'store':false} | store
          {'model':'m','input':'x','conversation':'c'} | conversation
          """)
  void whatThePoolCannotDoIsRefusedByItsName(String body, String param) {
    assertThatThrownBy(() -> chat(body))
        .isInstanceOfSatisfying(
            InvalidFieldException.class, e -> assertThat(e.param()).isEqualTo(param))
        .hasMessageStartingWith(param + " ");
  }

  private static JsonNode messages(String input) throws Exception {
    return chat("{'model':'m','input':" + input + "}").path("messages");
  }

  private static JsonNode chat(String body) throws Exception {
    return ChatBody.streamed(json(body), Json.mapper().createArrayNode());
  }

  private static JsonNode json(String text) throws Exception {
    return Json.mapper().readTree(text.replace('\'', '"'));
  }
}
