package io.sluice.gateway.responses.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.reply.ReplyEvent;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseEventsTest {
  private static final CreatedResponse CREATED = Made.created("{'model':'m','input':'x'}");

  @Test
  void theInputIsNotNeededForTheEvents() {
    // Given
    CreatedResponse created = Made.created("{'model':'m','instructions':'i','input':'long'}");
    created.earlier().addObject().put("content", "longer");
    List<ReplyEvent> log = List.of(Made.text("Hi"), Made.finished("stop"));

    // When
    CreatedResponse shown = created.shown();

    // Then
    assertThat(shown.request()).isEqualTo(Made.json("{'model':'m','instructions':'i'}"));
    assertThat(shown.earlier()).isEmpty();
    assertThat(Made.events(shown, log)).isEqualTo(Made.events(created, log));
    assertThat(created.request().path("input").asText()).isEqualTo("long");
  }

  @Test
  void aMessageIsToldInTheOrderOfOpenAi() {
    // When
    List<ResponseEvent> events =
        Made.events(CREATED, List.of(Made.text("Hel"), Made.text("lo"), Made.finished("stop")));

    // Then
    assertThat(events)
        .extracting(ResponseEvent::type)
        .containsExactly(
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed");
    assertThat(events.get(4).data())
        .hasToString(
            "{\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_"
                + Made.ID
                + "_0\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hel\",\"logprobs\":[]}");
    JsonNode response = events.getLast().data().json().path("response");
    assertThat(response.path("id").asText()).isEqualTo("resp_" + Made.ID);
    assertThat(response.path("status").asText()).isEqualTo("completed");
    assertThat(response.at("/output/0/content/0/text").asText()).isEqualTo("Hello");
    assertThat(response.path("created_at").asLong()).isEqualTo(1_790_000_000);
    assertThat(response.path("completed_at").asLong()).isEqualTo(1_790_000_003);
    assertThat(response.path("usage"))
        .isEqualTo(
            Made.json(
                """
                {'input_tokens':3,'input_tokens_details':{'cached_tokens':2,'cache_write_tokens':0},'output_tokens':4,
                 'output_tokens_details':{'reasoning_tokens':1},'total_tokens':7}"""));
  }

  @Test
  void aBackgroundResponseIsQueuedUntilItsFirstReply() {
    // Given
    ResponseEvents events =
        new ResponseEvents(Made.created("{'model':'m','input':'x','background':true}"));

    // Then
    assertThat(events.begin())
        .extracting(ResponseEvent::type)
        .containsExactly("response.created", "response.queued");
    assertThat(events.response().path("status").asText()).isEqualTo("queued");
    assertThat(events.next(Made.text("x")).getFirst().type()).isEqualTo("response.in_progress");
  }

  @Test
  void reasoningTextAndCallsAreItemsOfTheirOwn() {
    // When
    ResponseEvents events = new ResponseEvents(CREATED);
    var _ = events.begin();
    var _ = events.next(Made.delta("{'role':'assistant','content':''}"));
    var _ = events.next(Made.delta("{'reasoning_content':'Hm.'}"));
    var _ = events.next(Made.delta("{'content':'I look.'}"));
    var _ = events.next(call(0, "c1", "f", "{\\\"a\\\":"));
    var _ = events.next(call(1, "c2", "g", "{"));
    var _ = events.next(Made.delta("{'tool_calls':[{'index':0,'function':{'arguments':'1}'}}]}"));
    var _ = events.next(Made.delta("{'tool_calls':[{'index':1,'function':{'arguments':'}'}}]}"));
    var last = events.next(Made.finished("tool_calls"));

    // Then
    JsonNode output = events.response().path("output");
    assertThat(output).hasSize(4);
    assertThat(output.get(0).path("type").asText()).isEqualTo("reasoning");
    assertThat(output.get(0).at("/content/0/text").asText()).isEqualTo("Hm.");
    assertThat(output.get(1).path("id").asText()).isEqualTo("msg_" + Made.ID + "_1");
    assertThat(output.get(2))
        .isEqualTo(
            Made.json(
                """
                {'id':'fc_%s_2','type':'function_call','status':'completed','call_id':'c1',
                 'name':'f','arguments':'{\\'a\\':1}'}"""
                    .formatted(Made.ID)
                    .replace("\\'", "\\\"")));
    assertThat(output.get(3).path("arguments").asText()).isEqualTo("{}");
    assertThat(last)
        .extracting(ResponseEvent::type)
        .containsExactly(
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed");
  }

  @Test
  void anAnswerThatBeginsAgainIsTheNextItem() {
    // When
    List<ResponseEvent> events =
        Made.events(
            CREATED,
            List.of(Made.text("lost"), Made.restarted(), Made.text("kept"), Made.finished("stop")));

    // Then
    JsonNode closed =
        events.stream()
            .filter(event -> event.type().equals("response.output_item.done"))
            .map(event -> event.data().json())
            .findFirst()
            .orElseThrow();
    assertThat(closed.at("/item/status").asText()).isEqualTo("incomplete");
    JsonNode output = events.getLast().data().json().at("/response/output");
    assertThat(output).hasSize(1);
    assertThat(output.at("/0/id").asText()).isEqualTo("msg_" + Made.ID + "_1");
    assertThat(output.at("/0/content/0/text").asText()).isEqualTo("kept");
  }

  @ParameterizedTest
  @CsvSource({"length,max_output_tokens", "content_filter,content_filter"})
  void anAnswerThatStopsEarlySaysWhy(String finishReason, String reason) {
    // When
    List<ResponseEvent> events =
        Made.events(CREATED, List.of(Made.text("x"), Made.finished(finishReason)));

    // Then
    assertThat(events.getLast().type()).isEqualTo("response.incomplete");
    JsonNode response = events.getLast().data().json().path("response");
    assertThat(response.path("status").asText()).isEqualTo("incomplete");
    assertThat(response.at("/incomplete_details/reason").asText()).isEqualTo(reason);
    assertThat(response.at("/output/0/status").asText()).isEqualTo("incomplete");
  }

  @Test
  void anErrorOfThePoolIsAFailure() {
    // When
    List<ResponseEvent> events =
        Made.events(CREATED, List.of(Made.text("x"), Made.failed(ErrorKind.ENGINE_ERROR)));

    // Then
    assertThat(events.getLast().type()).isEqualTo("response.failed");
    assertThat(events.getLast().data().json().at("/response/error"))
        .isEqualTo(Made.json("{'code':'server_error','message':'because'}"));
  }

  @Test
  void aCancelledResponseIsReportedAsIncomplete() {
    // When
    List<ResponseEvent> events =
        Made.events(CREATED, List.of(Made.text("x"), Made.failed(ErrorKind.CANCELLED)));

    // Then
    assertThat(events.getLast().type()).isEqualTo("response.incomplete");
    assertThat(events.getLast().data().json().at("/response/status").asText())
        .isEqualTo("cancelled");
  }

  @Test
  void theClosingChunkCountsOnceAlsoIfItComesTwice() {
    // Given a closing chunk with text, as tokens and as the end
    String closing =
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"!\"},\"finish_reason\":\"stop\"}]}";
    var heldBack =
        new ReplyEvent.Tokens(
            "!", 1, 0, OptionalLong.empty(), Optional.empty(), Utf8Text.of(closing));
    ResponseEvents twice = new ResponseEvents(CREATED);
    ResponseEvents once = new ResponseEvents(CREATED);

    // When
    var _ = twice.next(heldBack);
    var _ = twice.next(Made.completed("stop", closing));
    var _ = once.next(Made.completed("stop", closing));

    // Then
    assertThat(twice.response().at("/output/0/content/0/text").asText()).isEqualTo("!");
    assertThat(once.response()).isEqualTo(twice.response());
  }

  @Test
  void logProbabilitiesStayWithTheirText() {
    // When
    ResponseEvents events = new ResponseEvents(CREATED);
    String chunk =
        """
        {"choices":[{"index":0,"delta":{"content":"x"},"logprobs":{"content":[{"token":"x",\
        "logprob":-0.5,"bytes":[120],"top_logprobs":[]}]}}]}""";
    var delta =
        events
            .next(
                new ReplyEvent.Tokens(
                    "x", 0, 1, OptionalLong.empty(), Optional.empty(), Utf8Text.of(chunk)))
            .getLast();

    // Then
    assertThat(delta.data().json().at("/logprobs/0/logprob").asDouble()).isEqualTo(-0.5);
    assertThat(events.response().at("/output/0/content/0/logprobs/0/token").asText())
        .isEqualTo("x");
  }

  @Test
  void whatTheLogDoesNotHoldTakesNoNumber() {
    // Given
    ResponseEvents events = new ResponseEvents(CREATED);
    var begun = events.begin();
    var broken =
        new ReplyEvent.Failed(ErrorKind.UNAVAILABLE, "gone", OptionalLong.empty(), "{}", true);

    // Then
    ResponseEvent error = events.interruption(broken);
    assertThat(error.type()).isEqualTo("error");
    assertThat(error.sequenceNumber()).isEqualTo(begun.getLast().sequenceNumber());
    assertThatThrownBy(() -> events.next(broken)).isInstanceOf(IllegalArgumentException.class);
    assertThat(events.isEnded()).isFalse();
  }

  @Test
  void theResponseRepeatsWhatWasAskedFor() {
    // When
    JsonNode response =
        new ResponseEvents(
                Made.created(
                    """
                    {'model':'m','input':'x','instructions':'i','max_output_tokens':9,
                     'temperature':0.5,'metadata':{'k':'v'},'previous_response_id':'resp_1',
                     'reasoning':{'effort':'low'},'store':false,'user':'u','tool_choice':'none',
                     'tools':[{'type':'function','name':'f'}],
                     'text':{'format':{'type':'json_object'}}}"""))
            .response();

    // Then
    assertThat(response.path("instructions").asText()).isEqualTo("i");
    assertThat(response.path("max_output_tokens").asInt()).isEqualTo(9);
    assertThat(response.path("temperature").asDouble()).isEqualTo(0.5);
    assertThat(response.path("top_p").isNull()).isTrue();
    assertThat(response.at("/metadata/k").asText()).isEqualTo("v");
    assertThat(response.path("previous_response_id").asText()).isEqualTo("resp_1");
    assertThat(response.at("/reasoning/effort").asText()).isEqualTo("low");
    assertThat(response.path("store").asBoolean()).isFalse();
    assertThat(response.at("/tools/0/strict").isBoolean()).isTrue();
    assertThat(response.at("/text/format/type").asText()).isEqualTo("json_object");
  }

  private static ReplyEvent call(int index, String id, String name, String arguments) {
    return Made.delta(
        "{'tool_calls':[{'index':%d,'id':'%s','function':{'name':'%s','arguments':'%s'}}]}"
            .formatted(index, id, name, arguments));
  }
}
