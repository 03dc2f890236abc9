package io.sluice.simulator.structured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaValueTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonSchemaFactory VALIDATORS =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"minLength\":40},\"b\":{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":-9,\"exclusiveMaximum\":-7},\"minItems\":3}},\"required\":[\"a\",\"b\"],\"additionalProperties\":false}",
        "{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"string\"}]}",
        "{\"type\":[\"string\",\"null\"],\"maxLength\":2}",
        "{\"type\":\"string\",\"pattern\":\"^[A-Z]{2}-\\\\d{4}$\"}",
        "{\"type\":\"string\",\"pattern\":\"^[a-z]+$\",\"minLength\":6,\"maxLength\":8}",
        "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"pattern\":\"a|b\"},\"uniqueItems\":true}",
        "{\"type\":\"number\",\"multipleOf\":0.5,\"minimum\":0.7}",
        "{\"type\":\"number\",\"exclusiveMinimum\":1,\"exclusiveMaximum\":1.25}",
        "{\"type\":\"integer\",\"multipleOf\":7,\"minimum\":15}",
        "{\"type\":\"array\",\"items\":{\"enum\":[1,2,3]},\"uniqueItems\":true,\"minItems\":3}",
        "{\"type\":\"array\",\"prefixItems\":[{\"const\":\"x\"},{\"type\":\"boolean\"}],\"items\":false}",
        "{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"properties\":{\"y\":{\"type\":\"integer\"}},\"required\":[\"y\"]}],\"$defs\":{\"a\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\",\"format\":\"date\"}},\"required\":[\"x\"]}}}",
        "{\"$ref\":\"#/$defs/node\",\"$defs\":{\"node\":{\"type\":\"object\",\"properties\":{\"value\":{\"type\":\"integer\"},\"next\":{\"anyOf\":[{\"$ref\":\"#/$defs/node\"},{\"type\":\"null\"}]}},\"required\":[\"value\",\"next\"]}}}",
        "{\"type\":\"object\",\"minProperties\":3,\"additionalProperties\":{\"type\":\"integer\"}}"
      })
  void aValueIsValidForItsSchema(String schema) throws IOException {
    assertValid(JSON.readTree(schema));
  }

  @Property(tries = 300)
  void aValueIsValidForAnySchemaOfTheUnderstoodKind(@ForAll("schemas") JsonNode schema) {
    assertValid(schema);
    assertThat(SchemaValue.of(schema)).isEqualTo(SchemaValue.of(schema));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"strnig\"}",
        "{\"$ref\":\"#/$defs/none\"}",
        "{\"type\":\"integer\",\"minimum\":5,\"maximum\":4}",
        "{\"enum\":[]}",
        "{\"type\":\"string\",\"pattern\":\"a{5}\",\"maxLength\":4}",
        "{\"type\":\"array\",\"minItems\":3,\"maxItems\":2}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]}",
        "[]"
      })
  void aSchemaThatNoValueMeetsIsRejectedWithAReason(String schema) {
    assertThatThrownBy(() -> SchemaValue.of(JSON.readTree(schema)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("JSON schema");
  }

  @Test
  void optionalPropertiesAreFilledIn() throws IOException {
    assertThat(
            SchemaValue.of(
                    JSON.readTree(
                        "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}"))
                .toString())
        .isEqualTo("{\"city\":\"a plain city\"}");
  }

  @Provide
  Arbitrary<JsonNode> schemas() {
    return schema(3);
  }

  private static Arbitrary<JsonNode> schema(int depth) {
    Arbitrary<JsonNode> leaf =
        Arbitraries.oneOf(
            Combinators.combine(
                    Arbitraries.integers().between(-50, 50), Arbitraries.integers().between(0, 9))
                .as(
                    (least, span) ->
                        object("integer").put("minimum", least).put("maximum", least + span)),
            Combinators.combine(
                    Arbitraries.integers().between(0, 30), Arbitraries.integers().between(0, 30))
                .as(
                    (least, span) ->
                        object("string").put("minLength", least).put("maxLength", least + span)),
            Arbitraries.of("boolean", "null", "number", "string").map(SchemaValueTest::object));
    if (depth == 0) {
      return leaf;
    }
    Arbitrary<JsonNode> inner = schema(depth - 1);
    Arbitrary<JsonNode> list =
        Combinators.combine(inner, Arbitraries.integers().between(0, 4))
            .as((items, least) -> object("array").put("minItems", least).set("items", items));
    Arbitrary<JsonNode> record =
        inner
            .list()
            .ofMaxSize(4)
            .map(
                properties -> {
                  ObjectNode schema = object("object");
                  schema.putObject("properties");
                  schema.putArray("required");
                  schema.put("additionalProperties", false);
                  for (int i = 0; i < properties.size(); i++) {
                    schema.withObject("/properties").set("p" + i, properties.get(i));
                    if (i % 2 == 0) {
                      schema.withArray("required").add("p" + i);
                    }
                  }
                  return schema;
                });
    return Arbitraries.oneOf(leaf, list, record);
  }

  private static ObjectNode object(String type) {
    return JSON.createObjectNode().put("type", type);
  }

  private static void assertValid(JsonNode schema) {
    JsonNode value = SchemaValue.of(schema);
    assertThat(VALIDATORS.getSchema(schema).validate(value))
        .as("%s for %s", value, schema)
        .isEmpty();
  }
}
