package io.sluice.simulator.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class TokenRulesTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();
  private static final int DOT = TOKENIZER.encode(".").get(0);
  private static final int EVERY = TOKENIZER.encode(" every").get(0);
  private static final Set<Integer> FEW =
      Set.of(TOKENIZER.encode(" yes").get(0), TOKENIZER.encode(" no").get(0), DOT);

  @Property(tries = 100)
  void bannedWordsAndTokensAreNotGeneratedAndTheTextCanBeContinued(
      @ForAll @IntRange(min = 0, max = 500) int number,
      @ForAll @IntRange(min = 0, max = 200) int cut) {
    TokenRules rules = new TokenRules(Set.of(), Set.of(EVERY), List.of("river", "queue"));
    TokenIds prompt = TOKENIZER.encode("question " + number + "\n");

    TokenIds whole = prose(rules, prompt, 200);
    TokenIds rest = prose(rules, prompt.plus(whole.first(cut)), 200 - cut);

    assertThat(TOKENIZER.decode(whole)).doesNotContain("river", "queue");
    assertThat(whole.toArray()).doesNotContain(EVERY);
    assertThat(whole.first(cut).plus(rest)).isEqualTo(whole);
  }

  @Property(tries = 100)
  void onlyAllowedTokensAreGeneratedAndTheTextCanBeContinued(
      @ForAll @IntRange(min = 0, max = 500) int number,
      @ForAll @IntRange(min = 0, max = 50) int cut) {
    TokenIds prompt = TOKENIZER.encode("question " + number + "\n");

    TokenIds whole = allowed(FEW, prompt, 50);
    TokenIds rest = allowed(FEW, prompt.plus(whole.first(cut)), 50 - cut);

    assertThat(FEW).containsAll(Arrays.stream(whole.toArray()).boxed().toList());
    assertThat(whole.first(cut).plus(rest)).isEqualTo(whole);
  }

  @Test
  void allAllowedTokensAreGeneratedEventually() {
    TokenIds whole = allowed(FEW, TOKENIZER.encode("Yes or no?"), 100);

    assertThat(Arrays.stream(whole.toArray()).boxed()).containsAll(FEW);
  }

  @Test
  void theEndTokenComesOnlyAfterTheMinimumTokensEvenIfItIsAllowed() {
    TokenRules rules = new TokenRules(Set.of(DOT, Tokenizer.END_OF_TEXT), Set.of(), List.of());
    AllowedTokens tokens = new AllowedTokens(TOKENIZER, rules, "m", new byte[0], 0, false, 30);
    TokenIds first = take(tokens::nextToken, 30);

    assertThat(first.toArray()).containsOnly(DOT);
    assertThat(take(tokens::nextToken, 100).toArray()).contains(Tokenizer.END_OF_TEXT);
  }

  @Test
  void aTextIsGeneratedEvenIfTheRulesCannotBeKept() {
    TokenRules rules = new TokenRules(Set.of(), Set.of(), List.of("e"));

    assertThat(prose(rules, TOKENIZER.encode("Hi"), 20).size()).isEqualTo(20);
  }

  @Test
  void aTextWhoseEndIsBannedGoesOn() {
    TokenRules rules = new TokenRules(Set.of(), Set.of(Tokenizer.END_OF_TEXT), List.of());
    byte[] prompt = "Hi".getBytes(StandardCharsets.UTF_8);
    Generation generation = Generation.of(TOKENIZER, "m", prompt, rules, 0, false, 0);

    assertThat(take(generation::nextToken, 1000).toArray()).doesNotContain(Tokenizer.END_OF_TEXT);
  }

  private static TokenIds prose(TokenRules rules, TokenIds prompt, int tokens) {
    Generation generation =
        Generation.of(TOKENIZER, "m", TOKENIZER.bytes(prompt), rules, 0, true, 0);
    return take(generation::nextToken, tokens);
  }

  private static TokenIds allowed(Set<Integer> ids, TokenIds prompt, int tokens) {
    TokenRules rules = new TokenRules(ids, Set.of(), List.of());
    AllowedTokens source =
        new AllowedTokens(TOKENIZER, rules, "m", TOKENIZER.bytes(prompt), 0, false, 0);
    return take(source::nextToken, tokens);
  }

  private static TokenIds take(IntSupplier source, int tokens) {
    int[] ids = new int[tokens];
    Arrays.setAll(ids, i -> source.getAsInt());
    return TokenIds.of(ids);
  }
}
