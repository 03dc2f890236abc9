package io.sluice.gateway.messages.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.StreamUsage;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiException;

/**
 * Translates requests of the Messages API into bodies of chat requests. The result depends on
 * nothing else, so that a request that is sent again is the same. Unknown fields are left out.
 */
public final class ChatBody {
  private static final String TEMPLATE = "chat_template_kwargs";
  private static final String THINKING = "enable_thinking";

  private ChatBody() {}

  /**
   * Translates the body of {@code POST /v1/messages}.
   *
   * @throws ApiException if a field is missing, wrong, or cannot be translated
   */
  public static ObjectNode of(JsonNode body) {
    Field request = new Field(body, "");
    ObjectNode chat = ofPrompt(body);
    chat.set("max_tokens", request.at("max_tokens").wholeNumber(1));
    sampling(request, chat);
    stream(request, chat);
    caller(request, chat);
    output(request.at("output_config"), chat);
    thinking(request, chat);
    return chat;
  }

  /**
   * Translates what belongs to the prompt: the fields of {@code POST /v1/messages/count_tokens}.
   *
   * @throws ApiException if a field is missing, wrong, or cannot be translated
   */
  public static ObjectNode ofPrompt(JsonNode body) {
    Field request = new Field(body, "");
    ObjectNode chat = Json.mapper().createObjectNode().put("model", request.at("model").text());
    chat.set("messages", ChatMessages.of(request));
    ToolFields.translate(request, chat);
    return chat;
  }

  private static void sampling(Field request, ObjectNode chat) {
    for (String name : new String[] {"temperature", "top_p"}) {
      if (request.at(name).isSet()) {
        chat.set(name, request.at(name).number());
      }
    }
    Field topK = request.at("top_k");
    if (topK.isSet()) {
      chat.set("top_k", topK.wholeNumber(0));
    }
    Field stops = request.at("stop_sequences");
    if (stops.isSet() && !stops.elements().isEmpty()) {
      var stop = chat.putArray("stop");
      stops.elements().forEach(text -> stop.add(text.text()));
    }
  }

  private static void stream(Field request, ObjectNode chat) {
    if (request.at("stream").isTrue()) {
      StreamUsage.askFor(chat);
    }
  }

  /** The options of the pool are in {@code metadata}, next to Anthropic's own field. */
  private static void caller(Field request, ObjectNode chat) {
    Field metadata = request.at("metadata");
    if (metadata.isSet()) {
      ObjectNode options = metadata.object().deepCopy();
      JsonNode user = options.remove("user_id");
      if (user != null && user.isTextual()) {
        chat.set("user", user);
      }
      if (!options.isEmpty()) {
        chat.set("metadata", options);
      }
    }
    // Anthropic's own values ask for nothing that a pool could do, and engines may refuse them.
    switch (request.at("service_tier").value().asText("")) {
      case "flex", "priority" -> chat.set("service_tier", request.at("service_tier").value());
      default -> {}
    }
  }

  private static void output(Field config, ObjectNode chat) {
    if (config.at("effort").isSet()) {
      chat.put("reasoning_effort", config.at("effort").text());
    }
    Field format = config.at("format");
    if (format.isSet()) {
      if (!format.at("type").text().equals("json_schema")) {
        throw format.at("type").wrong("must be json_schema");
      }
      chat.putObject("response_format")
          .put("type", "json_schema")
          .putObject("json_schema")
          .put("name", "answer")
          .set("schema", format.at("schema").object());
    }
  }

  /** Models with a switch for their reasoning have it in the chat template. */
  private static void thinking(Field request, ObjectNode chat) {
    Field template = request.at(TEMPLATE);
    ObjectNode arguments =
        template.isSet() ? template.object().deepCopy() : Json.mapper().createObjectNode();
    Field thinking = request.at("thinking");
    if (thinking.isSet() && !arguments.has(THINKING)) {
      switch (thinking.at("type").text()) {
        case "enabled" -> arguments.put(THINKING, true);
        case "disabled" -> arguments.put(THINKING, false);
        // The model decides.
        default -> {}
      }
    }
    if (!arguments.isEmpty()) {
      chat.set(TEMPLATE, arguments);
    }
  }
}
