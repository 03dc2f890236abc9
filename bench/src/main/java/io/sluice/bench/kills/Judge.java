package io.sluice.bench.kills;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.direct.DirectCaller;
import io.sluice.bench.direct.DirectReply;
import io.sluice.bench.direct.Question;
import io.sluice.bench.direct.WholeAnswer;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.PersistentReader;
import io.sluice.bench.gateway.StreamCursor;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/** Compares what clients saw with the answers of an undisturbed engine. */
final class Judge {
  private static final Duration READ_WITHIN = Duration.ofSeconds(90);

  private final Rereader rereader;
  private final URI engine;

  /**
   * @param rereader reads the answers whose streams broke
   * @param engine gives the same answers as the engines that are asked
   */
  Judge(Rereader rereader, URI engine) {
    this.rereader = rereader;
    this.engine = engine;
  }

  /** Reads an answer from its beginning. */
  interface Rereader {
    /** Of servers that keep no answers. */
    Rereader NONE = requestId -> "";

    /** Reads at the last gateway, which is never the one that fails. */
    static Rereader of(Gateways gateways) {
      return requestId -> {
        var cursor = new StreamCursor(requestId);
        new PersistentReader(gateways, cursor, gateways.count() - 1).read(READ_WITHIN);
        return cursor.text().text();
      };
    }

    String text(String requestId) throws InterruptedException;
  }

  KillRow row(String what, Streams streams, List<Sighting> seen)
      throws IOException, InterruptedException {
    Map<String, DirectReply> answers = answers(streams.bodies());
    int right = 0;
    int continued = 0;
    int lost = 0;
    int wrong = 0;
    for (int stream = 0; stream < seen.size(); stream++) {
      Sighting one = seen.get(stream);
      Map<Integer, String> texts =
          WholeAnswer.of(Objects.requireNonNull(answers.get(Integer.toString(stream))).body())
              .texts();
      if (one.end() == Sighting.End.DONE && one.texts().equals(texts)) {
        right++;
      } else if (one.end() == Sighting.End.DONE) {
        wrong++;
      } else if (streams.requestId(stream).isPresent()
          && rereader.text(streams.requestId(stream).get()).equals(texts.get(0))) {
        continued++;
      } else if (one.end() == Sighting.End.BROKEN) {
        lost++;
      }
    }
    return new KillRow(what, seen, right, continued, lost, wrong, OptionalLong.empty());
  }

  private Map<String, DirectReply> answers(List<ObjectNode> bodies)
      throws IOException, InterruptedException {
    List<Question> questions = new ArrayList<>();
    for (ObjectNode body : bodies) {
      questions.add(new Question(Integer.toString(questions.size()), "/v1/chat/completions", body));
    }
    try (DirectCaller caller = new DirectCaller()) {
      return caller.ask(questions, question -> engine);
    }
  }
}
