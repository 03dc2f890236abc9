package io.sluice.verify.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An engine that is verified, and what it reports about itself.
 *
 * @param client the client for the engine
 * @param model the model to use
 * @param maxModelLen its context in tokens; 0 if it does not report it
 * @param loras the names of its adapters
 * @param version the version that it reports; empty if it reports none
 */
public record Engine(
    EngineClient client, String model, int maxModelLen, List<String> loras, String version)
    implements AutoCloseable {

  /** The path of chat completions. */
  public static final String CHAT = "/v1/chat/completions";

  /** The path of completions. */
  public static final String COMPLETIONS = "/v1/completions";

  /** Copies the list. */
  public Engine {
    loras = List.copyOf(loras);
  }

  /**
   * Reads what an engine serves.
   *
   * @param model the model to use; empty for the first one in the engine's list. It is not checked
   *     if the engine has no list of models
   * @throws IllegalStateException if the engine has no list of models and none is given, or if it
   *     serves other models; the message contains its answer
   */
  public static Engine at(URI url, Optional<String> model, Optional<String> apiKey) {
    EngineClient client = new EngineClient(url, apiKey);
    EngineAnswer models = client.get("/v1/models");
    JsonNode card = models.json().at("/data/0");
    List<String> loras = new ArrayList<>();
    for (JsonNode each : models.json().path("data")) {
      if (each.path("id").asText().equals(model.orElse(""))) {
        card = each;
      }
      if (each.path("parent").isTextual()) {
        loras.add(each.path("id").asText());
      }
    }
    boolean hasList = models.status() == 200 && !card.isMissingNode();
    String id = hasList ? card.path("id").asText() : model.orElse("");
    if (id.isEmpty() || !model.orElse(id).equals(id)) {
      client.close();
      throw new IllegalStateException(
          "%s does not serve %s: /v1/models answered %d %s; %s"
              .formatted(
                  client.base(),
                  model.orElse("a model"),
                  models.status(),
                  models.body(),
                  hasList ? "choose a model of this list" : "name its model with --model"));
    }
    String version = client.get("/version").json().path("version").asText("");
    return new Engine(client, id, context(card), loras, version);
  }

  /** Returns the context length. llama.cpp reports it in another field. */
  private static int context(JsonNode card) {
    return card.path("max_model_len").asInt(card.at("/meta/n_ctx").asInt());
  }

  /** Sends a small chat request with additional fields. */
  public EngineAnswer chat(String more) {
    return client.post(CHAT, chatBody(more));
  }

  /** Returns the body of a small chat request with additional fields. */
  public String chatBody(String more) {
    return "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"Say hello.\"}]%s}"
        .formatted(model, more.isEmpty() ? "" : "," + more);
  }

  /** Sends a completion request with these fields and the model. */
  public EngineAnswer completion(String more) {
    return client.post(COMPLETIONS, "{\"model\":\"%s\",%s}".formatted(model, more));
  }

  @Override
  public void close() {
    client.close();
  }
}
