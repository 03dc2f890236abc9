package io.sluice.gateway.openapi;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;

/** {@code /openapi.yaml} and {@code /openapi.json}: the API's description, for everybody. */
@Controller
@Tag(name = "Operation")
@ExecuteOn(TaskExecutors.BLOCKING)
final class OpenApiController {
  private final byte[] yaml;
  private final byte[] json;

  OpenApiController() {
    OpenApiDocument document = OpenApiDocument.read();
    this.yaml = document.toYaml().getBytes(UTF_8);
    this.json = document.toJson();
  }

  /** Returns this document. */
  @Get(value = "/openapi.yaml", produces = MediaType.ALL)
  @ApiResponse(responseCode = "200", ref = "OpenApiYaml")
  HttpResponse<byte[]> getOpenApiYaml() {
    return HttpResponse.ok(yaml).contentType("application/yaml");
  }

  /** Returns this document as JSON. */
  @Get(value = "/openapi.json", produces = MediaType.ALL)
  @ApiResponse(responseCode = "200", ref = "OpenApiJson")
  HttpResponse<byte[]> getOpenApiJson() {
    return HttpResponse.ok(json).contentType(MediaType.APPLICATION_JSON_TYPE);
  }
}
