package io.sluice.worker.engine.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ModelCard;
import io.sluice.worker.engine.EngineAnswer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineIdentityTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_790_000_100);
  private static final String LONG = "x".repeat(EngineIdentity.LONGEST_TEXT + 1);

  /** {@code vllm serve /models/x --served-model-name a b --lora-modules sql=/loras/sql}. */
  private static final String VLLM =
      """
      {"object":"list","data":[
        {"id":"a","object":"model","created":1790000000,"owned_by":"vllm","root":"/models/x",
         "parent":null,"max_model_len":2048,"permission":[]},
        {"id":"b","object":"model","created":1790000000,"owned_by":"vllm","root":"/models/x",
         "parent":null,"max_model_len":2048,"permission":[]},
        {"id":"sql","object":"model","created":1790000000,"owned_by":"vllm","root":"/loras/sql",
         "parent":"a","max_model_len":null,"permission":[]}]}
      """;

  @Test
  void itReadsTheCardsOfAllModels() {
    // When
    EngineIdentity identity = parse(VLLM);

    // Then
    assertThat(identity.models()).containsExactly("a", "b", "sql");
    assertThat(identity.dialect()).isEqualTo(EngineDialects.VLLM);
    assertThat(identity.maxModelLen()).hasValue(2_048);
    assertThat(identity.cards().get("b"))
        .isEqualTo(
            new ModelCard(
                Optional.of("/models/x"),
                Optional.empty(),
                Optional.of("vllm"),
                OptionalInt.of(2_048),
                OptionalLong.of(1_790_000_000)));
    assertThat(identity.cards().get("sql"))
        .isEqualTo(
            new ModelCard(
                Optional.of("/loras/sql"),
                Optional.of("a"),
                Optional.of("vllm"),
                OptionalInt.empty(),
                OptionalLong.of(1_790_000_000)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "{'id':'m'}                                                    | -    | -        | -",
        "{'id':'m','root':null,'parent':null,'owned_by':null}          | -    | -        | -",
        "{'id':'m','root':7,'parent':{},'owned_by':[]}                 | -    | -        | -",
        "{'id':'m','root':'','parent':' ','owned_by':''}               | -    | -        | -",
        "{'id':'m','root':'m','parent':'m','owned_by':'sglang'}        | -    | -        | sglang",
        "{'id':'m','root':'base','parent':'base'}                      | -    | base     | -",
        "{'id':'m','owned_by':'llamacpp','meta':{'n_ctx':512}}         | -    | -        | llamacpp"
      })
  void aCardHoldsOnlyWhatIsNotTheDefault(String card, String root, String parent, String owner) {
    // When
    ModelCard read = parse("{\"data\":[" + card.replace('\'', '"') + "]}").cards().get("m");

    // Then
    assertThat(read.root()).isEqualTo(Optional.ofNullable(root));
    assertThat(read.parent()).isEqualTo(Optional.ofNullable(parent));
    assertThat(read.ownedBy()).isEqualTo(Optional.ofNullable(owner));
  }

  @ParameterizedTest
  @CsvSource({
    "1700000000, 1700000000",
    "1790000101, 1790000100",
    "1790000000000, 1790000100",
    "0, 1790000100",
    "-1, 1790000100",
    "null, 1790000100"
  })
  void aModelWasCreatedInThePastElseNow(String told, long created) {
    // When
    EngineIdentity identity = parse("{\"data\":[{\"id\":\"m\",\"created\":%s}]}".formatted(told));

    // Then
    assertThat(identity.cards().get("m").created()).hasValue(created);
  }

  @Test
  void textsThatAreTooLongAreIgnored() {
    // When
    EngineIdentity identity =
        parse(
            "{\"data\":[{\"id\":\"%1$s\"},{\"id\":\"m\",\"root\":\"%1$s\",\"parent\":\"%1$s\",\"owned_by\":\"%1$s\"}]}"
                .formatted(LONG));

    // Then
    assertThat(identity.models()).containsExactly("m");
    assertThat(identity.cards().get("m"))
        .isEqualTo(ModelCard.EMPTY.createdBy(OptionalLong.of(NOW.getEpochSecond())));
  }

  @Test
  void modelsBeyondALimitAndRepeatedOnesAreIgnored() {
    // Given
    String cards =
        IntStream.rangeClosed(0, EngineIdentity.MOST_MODELS)
            .mapToObj("{\"id\":\"m%1$d\"},{\"id\":\"m%1$d\",\"parent\":\"other\"}"::formatted)
            .collect(Collectors.joining(","));

    // When
    EngineIdentity identity = parse("{\"data\":[" + cards + "]}");

    // Then
    assertThat(identity.models())
        .hasSize(EngineIdentity.MOST_MODELS)
        .startsWith("m0", "m1")
        .doesNotContain("m" + EngineIdentity.MOST_MODELS);
    assertThat(identity.cards().values()).allMatch(card -> card.parent().isEmpty());
  }

  @Test
  void aModelThatIsListedCanComeFirst() {
    // Given
    EngineIdentity identity = parse(VLLM.replace("2048,\"permission\":[]},", "4096},"));

    // When
    EngineIdentity adapter = identity.startingWith("sql");

    // Then
    assertThat(adapter.models()).containsExactly("sql", "a", "b");
    assertThat(adapter.maxModelLen()).hasValue(4_096);
    assertThat(identity.startingWith("c").models()).containsExactly("a", "b", "sql");
  }

  /** vLLM names the base of an adapter as the adapter does, which need not be a name it serves. */
  @Test
  void anAdapterWhoseParentIsNotListedHasTheContextOfAnotherModel() {
    // Given
    EngineIdentity identity = parse(VLLM.replace("\"parent\":\"a\"", "\"parent\":\"meta/x\""));

    // When
    EngineIdentity adapter = identity.startingWith("sql");

    // Then
    assertThat(adapter.maxModelLen()).hasValue(2_048);
  }

  @Test
  void aModelThatWasKnownBeforeKeepsTheEarlierTime() {
    // Given
    EngineIdentity before = parse(VLLM);

    // When
    EngineIdentity after =
        parse(VLLM.replace("1790000000", "1790000050").replace("\"b\"", "\"c\"")).after(before);

    // Then
    assertThat(after.cards().get("a")).isEqualTo(before.cards().get("a"));
    assertThat(after.cards().get("c").created()).hasValue(1_790_000_050);
    assertThat(after.models()).containsExactly("a", "c", "sql");
  }

  private static EngineIdentity parse(String models) {
    return EngineIdentity.parse(
        new EngineAnswer(200, models.getBytes(StandardCharsets.UTF_8)), NOW);
  }
}
