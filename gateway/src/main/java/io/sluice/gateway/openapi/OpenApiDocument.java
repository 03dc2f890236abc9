package io.sluice.gateway.openapi;

import io.sluice.common.protocol.Json;
import io.swagger.v3.oas.annotations.OpenAPIDefinition;
import io.swagger.v3.oas.annotations.info.Info;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/** The document that was made when the gateway was compiled, without what only confuses readers. */
@OpenAPIDefinition(
    info =
        @Info(
            title = "Sluice gateway",
            version = "1",
            description =
                """
                OpenAI's and Anthropic's APIs, served by a pool of inference engines.

                The schemas name the fields that matter to most clients. Engines take more: fields \
                of a completion that are not listed here reach the engine unchanged, and so do \
                vLLM's own.

                Error responses have OpenAI's shape, those below `/v1/messages` Anthropic's. A \
                response of any operation below `/v1` has the headers `x-request-id` and \
                `openai-processing-ms`."""))
final class OpenApiDocument {
  private static final String RESOURCE = "/META-INF/swagger/sluice-gateway.yml";
  private static final String REFERENCE = "$ref";
  private static final String DESCRIPTION = "description";

  private final Object root;

  private OpenApiDocument(Object root) {
    this.root = root;
  }

  static OpenApiDocument read() {
    try (InputStream resource = OpenApiDocument.class.getResourceAsStream(RESOURCE)) {
      Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
      Object root = yaml.load(Objects.requireNonNull(resource, RESOURCE));
      clean(root);
      return new OpenApiDocument(root);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void clean(Object node) {
    if (node instanceof List<?> list) {
      list.forEach(OpenApiDocument::clean);
    } else if (node instanceof Map<?, ?> map) {
      // By the specification, fields next to a reference are ignored.
      if (map.get(REFERENCE) instanceof String) {
        map.keySet().removeIf(key -> !key.equals(REFERENCE));
      }
      // A description of one sentence equals the summary.
      map.remove(DESCRIPTION, map.get("summary"));
      map.values().forEach(OpenApiDocument::clean);
    }
  }

  byte[] toJson() {
    return Json.bytes(root);
  }

  String toYaml() {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(FlowStyle.BLOCK);
    return new Yaml(new Lines(options), options).dump(root);
  }

  /** Writes a text of several lines as such. */
  private static final class Lines extends Representer {
    Lines(DumperOptions options) {
      super(options);
    }

    @Override
    protected Node representScalar(Tag tag, String value, ScalarStyle style) {
      return super.representScalar(tag, value, value.contains("\n") ? ScalarStyle.LITERAL : style);
    }
  }
}
