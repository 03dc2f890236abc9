package io.sluice.bench.batch;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.direct.Question;
import io.sluice.bench.process.EngineKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** Plans all lines of a batch file. Equal seeds give equal files. */
final class BatchPlan {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CHATS = "/v1/chat/completions";
  private static final String COMPLETIONS = "/v1/completions";

  /** A stop text that is so frequent that most answers end at it. */
  private static final String STOP = "er";

  private static final List<String> TOPICS =
      List.of("rivers", "clocks", "bridges", "bread", "glaciers", "violins", "lighthouses", "moss");

  private final long seed;
  private final EngineKind engines;
  private final Random random;
  private final List<PlannedLine> lines = new ArrayList<>();

  private BatchPlan(long seed, EngineKind engines) {
    this.seed = seed;
    this.engines = engines;
    this.random = new Random(seed);
  }

  /** Plans a number of lines, of all kinds according to their weights. */
  static List<PlannedLine> of(long seed, int count, EngineKind engines) {
    var plan = new BatchPlan(seed, engines);
    List<LineKind> deck = List.of();
    for (int number = 1; number <= count; number++) {
      if (deck.isEmpty()) {
        deck = plan.deck();
      }
      plan.lines.add(plan.line(number, deck.removeFirst()));
    }
    return List.copyOf(plan.lines);
  }

  private List<LineKind> deck() {
    List<LineKind> deck = new ArrayList<>();
    for (LineKind kind : LineKind.values()) {
      deck.addAll(Collections.nCopies(kind.weight(), kind));
    }
    Collections.shuffle(deck, random);
    return deck;
  }

  private PlannedLine line(int number, LineKind kind) {
    String id = String.format(Locale.ROOT, "batch-%d-%05d", seed, number);
    ObjectNode body = body(kind, id);
    String endpoint = body.has("prompt") ? COMPLETIONS : CHATS;
    return switch (kind) {
      case NO_JSON -> {
        String text = text(id, endpoint, body);
        yield broken(number, kind, text.substring(0, text.length() / 2), Optional.empty());
      }
      case NO_ID -> broken(number, kind, text("", endpoint, body), Optional.empty());
      case BAD_URL -> broken(number, kind, text(id, "/v1/moderations", body), Optional.of(id));
      case REPEATED_ID -> {
        String earlier = earlierId().orElse(id);
        yield earlier.equals(id)
            ? line(number, LineKind.CHAT)
            : broken(number, kind, text(earlier, endpoint, body), Optional.of(earlier));
      }
      default ->
          new PlannedLine(
              number,
              kind,
              text(id, endpoint, body),
              Optional.of(id),
              Optional.of(new Question(id, endpoint, body)));
    };
  }

  private static PlannedLine broken(
      int number, LineKind kind, String text, Optional<String> customId) {
    return new PlannedLine(number, kind, text, customId, Optional.empty());
  }

  private Optional<String> earlierId() {
    List<String> ids =
        lines.stream().flatMap(line -> line.question().stream()).map(Question::id).toList();
    return ids.isEmpty() ? Optional.empty() : Optional.of(ids.get(random.nextInt(ids.size())));
  }

  private static String text(String id, String url, ObjectNode body) {
    ObjectNode line = JSON.createObjectNode();
    if (!id.isEmpty()) {
      line.put("custom_id", id);
    }
    line.put("method", "POST").put("url", url).set("body", body);
    return line.toString();
  }

  private ObjectNode body(LineKind kind, String id) {
    String prompt = prompt(id);
    ObjectNode body = JSON.createObjectNode().put("model", engines.model()).put("temperature", 0);
    body.put("max_tokens", between(10, 40));
    switch (kind) {
      case COMPLETION -> body.put("prompt", prompt);
      case LONG_PROMPT -> chat(body, lengthened(prompt));
      case TOO_LONG -> chat(body, (prompt + " ").repeat(engines.maxModelLen() / 4));
      case LONG_ANSWER -> prompted(body, prompt).put("max_tokens", between(60, 120));
      case STOP -> prompted(body, prompt).put("max_tokens", between(40, 100)).put("stop", STOP);
      case CHOICES -> chat(body, prompt).put("n", 2).put("temperature", 1).put("seed", 5);
      case UNKNOWN_MODEL -> chat(body, prompt).put("model", "nobody-serves-this");
      case BAD_FIELD -> prompted(body, prompt).put("temperature", "lukewarm");
      case TWO_LIKELIEST -> prompted(body, prompt).put("n", 2);
      default -> chat(body, prompt);
    }
    if (kind == LineKind.LONG_ANSWER) {
      body.put("ignore_eos", true);
    }
    if (random.nextBoolean()) {
      body.put("stream", true);
    }
    return body;
  }

  private ObjectNode prompted(ObjectNode body, String prompt) {
    return random.nextBoolean() ? chat(body, prompt) : body.put("prompt", prompt);
  }

  private static ObjectNode chat(ObjectNode body, String prompt) {
    body.putArray("messages").addObject().put("role", "user").put("content", prompt);
    return body;
  }

  /** Returns a prompt that no other line has, because it contains the line's id. */
  private String prompt(String id) {
    return "%s: tell me %d things about %s.".formatted(id, 2 + random.nextInt(8), topic());
  }

  private String topic() {
    return TOPICS.get(random.nextInt(TOPICS.size()));
  }

  /** Returns a text that fits into the context even if each of its characters is a token. */
  private String lengthened(String prompt) {
    int characters = between(engines.maxModelLen() / 6, engines.maxModelLen() / 3);
    var text = new StringBuilder(prompt);
    while (text.length() < characters) {
      text.append(" Think of ").append(topic()).append(" too, and of what they cost.");
    }
    return text.toString();
  }

  private int between(int from, int to) {
    return from + random.nextInt(to - from + 1);
  }
}
