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
import io.sluice.gateway.openapi.ApiErrors;
import io.sluice.gateway.openapi.NeedsApiKey;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;

/** {@code /v1/models}: what the living pool serves. */
@Tag(name = "Models")
@NeedsApiKey
@ApiErrors
@Controller("/v1/models")
@ExecuteOn(TaskExecutors.BLOCKING)
final class ModelsController {
  private final FleetModels models;

  ModelsController(FleetModels models) {
    this.models = models;
  }

  /** Lists the models and adapters of all workers whose engine answers. */
  @Get(produces = MediaType.APPLICATION_JSON)
  @ApiResponse(responseCode = "200", ref = "ModelList")
  byte[] listModels() {
    ObjectNode list = Json.mapper().createObjectNode().put("object", "list");
    ArrayNode data = list.putArray("data");
    models.all().forEach(model -> data.add(card(model)));
    return Json.bytes(list);
  }

  /**
   * Returns a model.
   *
   * @param id the name of the model; its slashes may be sent as they are
   */
  @Get(value = "/{id:.+}", produces = MediaType.APPLICATION_JSON)
  @ApiResponse(responseCode = "200", ref = "Model")
  @ApiResponse(responseCode = "404", ref = "ModelNotFound")
  byte[] retrieveModel(String id) {
    return models
        .find(id)
        .map(model -> Json.bytes(card(model)))
        .orElseThrow(
            () ->
                new ApiException(
                    ErrorKind.MODEL_NOT_FOUND, "the pool serves no model '" + id + "'", "model"));
  }

  private ObjectNode card(ServedModel model) {
    return model.toJson(models.startSeconds());
  }
}
