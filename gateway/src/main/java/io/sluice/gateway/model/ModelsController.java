package io.sluice.gateway.model;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiException;

/** {@code /v1/models}: what the living pool serves. */
@Controller("/v1/models")
@ExecuteOn(TaskExecutors.BLOCKING)
final class ModelsController {
  private final FleetModels models;

  ModelsController(FleetModels models) {
    this.models = models;
  }

  @Get(produces = MediaType.APPLICATION_JSON)
  byte[] list() {
    ObjectNode list = Json.mapper().createObjectNode().put("object", "list");
    ArrayNode data = list.putArray("data");
    models.all().forEach(model -> data.add(card(model)));
    return Json.bytes(list);
  }

  /** Names of models contain slashes. */
  @Get(value = "/{+id}", produces = MediaType.APPLICATION_JSON)
  byte[] show(String id) {
    return models
        .find(id)
        .map(model -> Json.bytes(card(model)))
        .orElseThrow(
            () ->
                new ApiException(
                    ErrorKind.MODEL_NOT_FOUND, "the pool serves no model '" + id + "'", "model"));
  }

  private ObjectNode card(ServedModel model) {
    return model.toJson(models.created(model));
  }
}
