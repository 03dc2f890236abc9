package io.sluice.simulator.text;

import java.util.List;

/**
 * A small grammar of plain English about building and running things. It produces an endless text
 * in passages, each of which is a sentence, a list or a code block, drawn from a random sequence.
 *
 * <p>Every passage starts with its own separator, so that a text may end after any passage without
 * trailing white space. The first passage starts with an upper-case ASCII letter (after a space if
 * requested), which {@link Origin} relies on.
 */
final class Prose {

  private static final List<String> OPENERS =
      List.of(
          "In practice, ",
          "Most of the time, ",
          "As a rule, ",
          "On a quiet day, ",
          "In the end, ",
          "At first glance, ",
          "For most teams, ",
          "After a while, ",
          "Strictly speaking, ",
          "To keep it simple, ",
          "Over the years, ",
          "If you look closely, ");
  private static final List<String> ADJECTIVES =
      List.of(
          "small",
          "patient",
          "careful",
          "bright",
          "quiet",
          "steady",
          "modern",
          "naïve",
          "honest",
          "narrow",
          "generous",
          "familiar",
          "early",
          "gentle",
          "reliable",
          "curious",
          "open",
          "crowded",
          "simple",
          "well-kept");
  private static final List<String> SUBJECTS =
      List.of(
          "river",
          "queue",
          "engine",
          "harbour",
          "garden",
          "library",
          "market",
          "workshop",
          "café",
          "railway",
          "scheduler",
          "lighthouse",
          "kitchen",
          "team",
          "bridge",
          "archive",
          "sluice",
          "orchestra",
          "bakery",
          "observatory");
  private static final List<String> VERBS =
      List.of(
          "shapes",
          "carries",
          "balances",
          "follows",
          "supports",
          "measures",
          "explains",
          "outlives",
          "improves",
          "protects",
          "slows",
          "rewards",
          "mirrors",
          "connects",
          "surprises");
  private static final List<String> OBJECTS =
      List.of(
          "the flow of work",
          "a long chain of small decisions",
          "the people who depend on it",
          "the first draft",
          "every request that arrives",
          "the cost of waiting",
          "the rhythm of the day",
          "a plan that nobody wrote down",
          "the next generation",
          "whatever comes downstream",
          "the shape of the whole",
          "an old résumé of good ideas",
          "the difference between fast and hurried",
          "the work of a single afternoon");
  private static final List<String> TAILS =
      List.of(
          " without much noise",
          " one step at a time",
          " long before anyone notices",
          " as long as the limits are clear",
          " even under heavy load",
          " at a small price",
          " when there is room to think",
          " in ways that are easy to measure",
          " because somebody cared about the details",
          " from morning until late evening",
          "",
          "");
  private static final List<String> ASIDES =
      List.of(
          " — and this is the point — ",
          " — at least on paper — ",
          " — more often than not — ",
          ", oddly enough, ",
          ", to nobody’s surprise, ");
  private static final List<String> REMARKS =
      List.of(
          "That is why it pays to start with the simplest thing that works.",
          "Nobody plans for this, yet it happens every week.",
          "The numbers tell the same story.",
          "It sounds obvious; it rarely is.",
          "A déjà vu, perhaps, but a useful one.",
          "Small changes add up quickly here. 🙂",
          "So far, so good. ✅",
          "Once it runs, it runs for years. 🚀",
          "Think of it as mise en place: everything ready before the fire is lit.");
  private static final List<String> VARIABLES =
      List.of("level", "items", "depth", "total", "rate", "tokens", "blocks", "queue");
  private static final List<String> CALLS =
      List.of("measure", "drain", "refill", "balance", "observe", "settle");

  private final RandomSequence random;

  Prose(long seed) {
    random = new RandomSequence(seed);
  }

  /** Returns the first passage, which always begins a sentence. */
  String first(boolean afterSpace) {
    String sentence = capital(sentence());
    return afterSpace ? " " + sentence : sentence;
  }

  /**
   * Returns the next passage, including the white space that separates it from the previous one.
   */
  String next() {
    return switch (random.below(24)) {
      case 0 -> codeBlock();
      case 1 -> list();
      case 2, 3, 4 -> "\n\n" + capital(sentence());
      case 5, 6 -> " " + random.pick(REMARKS);
      default -> " " + capital(sentence());
    };
  }

  private String sentence() {
    StringBuilder sentence = new StringBuilder();
    if (random.oneIn(3)) {
      sentence.append(random.pick(OPENERS));
    }
    sentence.append(random.oneIn(4) ? "every " : "the ").append(random.pick(ADJECTIVES));
    sentence.append(' ').append(random.pick(SUBJECTS));
    sentence.append(random.oneIn(9) ? random.pick(ASIDES) : " ");
    clause(sentence);
    if (random.oneIn(4)) {
      sentence.append(random.oneIn(2) ? ", and it " : ", while the " + random.pick(SUBJECTS) + " ");
      clause(sentence);
    }
    return sentence.append(random.pick(TAILS)).append('.').toString();
  }

  private void clause(StringBuilder sentence) {
    sentence.append(random.pick(VERBS)).append(' ').append(random.pick(OBJECTS));
  }

  private String list() {
    StringBuilder list = new StringBuilder("\n\nThree things help:\n");
    for (int i = 1; i <= 3; i++) {
      list.append('\n').append(i).append(". **").append(capital(random.pick(ADJECTIVES)));
      list.append(' ').append(random.pick(SUBJECTS)).append("**: it ");
      clause(list);
      list.append('.');
    }
    return list.toString();
  }

  private String codeBlock() {
    String variable = random.pick(VARIABLES);
    String call = random.pick(CALLS);
    int limit = 2 + random.below(98);
    return "\n\nA short sketch makes it concrete:\n\n```python\ndef %s(%s, limit=%s):\n    while %s > limit:\n        %s -= 1  # one step at a time\n    return %s\n```\n\nNothing more is needed."
        .formatted(call, variable, limit, variable, variable, variable);
  }

  private static String capital(String words) {
    return Character.toUpperCase(words.charAt(0)) + words.substring(1);
  }
}
