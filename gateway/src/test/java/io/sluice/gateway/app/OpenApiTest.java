package io.sluice.gateway.app;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.type.Argument;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.annotation.Head;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.web.router.Router;
import io.micronaut.web.router.UriRouteInfo;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** The OpenAPI document of a gateway that has API keys. It needs neither a key nor the pool. */
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
class OpenApiTest {
  private ApplicationContext context;
  private EmbeddedServer server;
  private OpenAPI document;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    Path keys = Files.writeString(folder.resolve("keys"), "");
    context = PoollessGateway.start("file:" + keys);
    server = context.getBean(EmbeddedServer.class).start();
    document = parse(get("/openapi.yaml").body()).getOpenAPI();
  }

  @AfterAll
  void stop() {
    context.close();
  }

  @Test
  void itIsValid() throws Exception {
    // When
    HttpResponse<String> response = get("/openapi.yaml");

    // Then
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("content-type")).contains("application/yaml");
    assertThat(parse(response.body()).getMessages()).isEmpty();
    assertThat(response.body()).doesNotContain("'*/*'", "format: byte");
  }

  private static SwaggerParseResult parse(String text) {
    ParseOptions options = new ParseOptions();
    options.setResolve(true);
    return new OpenAPIV3Parser().readContents(text, List.of(), options);
  }

  @Test
  void itIsTheSameAsJson() throws Exception {
    // When
    HttpResponse<String> response = get("/openapi.json");

    // Then
    assertThat(response.headers().firstValue("content-type")).contains("application/json");
    assertThat(parse(response.body()).getMessages()).isEmpty();
    assertThat(parse(response.body()).getOpenAPI()).isEqualTo(document);
  }

  @Test
  void itHasTheRoutesOfTheGatewayAndNoOthers() {
    // Given
    Set<String> documented = new TreeSet<>();
    document
        .getPaths()
        .forEach(
            (path, item) ->
                item.readOperationsMap()
                    .keySet()
                    .forEach(method -> documented.add(method + " " + path)));

    // Then
    assertThat(documented).isEqualTo(routes().map(OpenApiTest::name).collect(toSet()));
  }

  /** Without those that Micronaut adds: HEAD of what has GET. */
  private Stream<UriRouteInfo<?, ?>> routes() {
    return context
        .getBean(Router.class)
        .uriRoutes()
        .filter(
            route ->
                route.getHttpMethod() != HttpMethod.HEAD
                    || route.getTargetMethod().hasAnnotation(Head.class));
  }

  @Test
  void itHasTheParametersOfTheRoutes() {
    assertThat(routes())
        .allSatisfy(
            route -> {
              Operation operation = operation(route);
              assertThat(names(operation, "path"))
                  .isEqualTo(Set.copyOf(route.getUriMatchTemplate().getVariableNames()));
              assertThat(names(operation, "query")).containsAll(queryValues(route));
            });
  }

  private static Set<String> queryValues(UriRouteInfo<?, ?> route) {
    Set<String> names = new HashSet<>();
    for (Argument<?> argument : route.getTargetMethod().getArguments()) {
      if (argument.isAnnotationPresent(QueryValue.class)) {
        names.add(
            argument
                .getAnnotationMetadata()
                .stringValue(QueryValue.class)
                .orElse(argument.getName()));
      }
    }
    return names;
  }

  private Set<String> names(Operation operation, String in) {
    return Stream.ofNullable(operation.getParameters())
        .flatMap(List::stream)
        .filter(parameter -> parameter.getIn().equals(in))
        .map(Parameter::getName)
        .collect(toSet());
  }

  @Test
  void everyOperationIsDescribed() {
    // Given
    List<Operation> operations =
        document.getPaths().values().stream()
            .flatMap(path -> path.readOperations().stream())
            .toList();

    // Then
    assertThat(operations).extracting(Operation::getOperationId).doesNotHaveDuplicates();
    assertThat(operations)
        .allSatisfy(
            operation -> {
              assertThat(operation.getSummary()).isNotBlank();
              assertThat(operation.getTags()).hasSize(1);
              assertThat(operation.getResponses()).containsKey("200");
            });
  }

  private Operation operation(UriRouteInfo<?, ?> route) {
    return document
        .getPaths()
        .get(path(route))
        .readOperationsMap()
        .get(PathItem.HttpMethod.valueOf(route.getHttpMethod().name()));
  }

  @Test
  void aNameOfAModelMayContainSlashes() {
    // Given
    Router router = context.getBean(Router.class);

    // Then
    assertThat(Stream.of("org/model", "org%2Fmodel", "a/b/c").map(name -> id(router, name)))
        .containsExactly("org/model", "org/model", "a/b/c");
  }

  private static Object id(Router router, String name) {
    return router
        .findAllClosest(io.micronaut.http.HttpRequest.GET("/v1/models/" + name))
        .getFirst()
        .getVariableValues()
        .get("id");
  }

  private HttpResponse<String> get(String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(URI.create(server.getURL() + path)).build(),
          BodyHandlers.ofString());
    }
  }

  private static String name(UriRouteInfo<?, ?> route) {
    return route.getHttpMethod() + " " + path(route);
  }

  /** Without the pattern of a variable. */
  private static String path(UriRouteInfo<?, ?> route) {
    return route.getUriMatchTemplate().toPathString().replaceAll(":[^}]*}", "}");
  }
}
