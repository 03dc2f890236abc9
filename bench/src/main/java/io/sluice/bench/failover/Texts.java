package io.sluice.bench.failover;

import io.sluice.bench.direct.DirectCaller;
import io.sluice.bench.direct.DirectReply;
import io.sluice.bench.direct.Question;
import io.sluice.bench.direct.WholeAnswer;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Compares texts with those of an undisturbed engine.
 *
 * @param engine gives the same answers as the engines of the pool
 */
record Texts(URI engine) {

  /** Returns what is wrong with the answers. */
  List<String> problems(List<ClientAnswer> answers) throws IOException, InterruptedException {
    List<Question> questions = new ArrayList<>();
    for (ClientAnswer answer : answers) {
      String id = Integer.toString(questions.size());
      questions.add(new Question(id, "/v1/chat/completions", answer.body()));
    }
    Map<String, DirectReply> replies;
    try (DirectCaller caller = new DirectCaller()) {
      replies = caller.ask(questions, question -> engine);
    }
    List<String> problems = new ArrayList<>();
    for (int at = 0; at < answers.size(); at++) {
      DirectReply reply = Objects.requireNonNull(replies.get(Integer.toString(at)));
      String right = WholeAnswer.of(reply.body()).texts().getOrDefault(0, "");
      ClientAnswer answer = answers.get(at);
      if (answer.problem().isPresent()) {
        problems.add(answer.problem().get());
      } else if (!answer.text().equals(right)) {
        problems.add("another text: %s, instead of %s".formatted(answer.text(), right));
      }
    }
    return problems;
  }
}
