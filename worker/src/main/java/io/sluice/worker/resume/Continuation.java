package io.sluice.worker.resume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.dialect.MessageContinuation;
import io.sluice.worker.engine.dialect.TokenIdSupport;
import io.sluice.worker.reply.PartialReply;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** How an engine is made to go on after what the log holds already. */
public sealed interface Continuation {

  /** What the log holds. */
  PartialReply begun();

  /** Changes the engine's request so that what comes next follows that. */
  void applyTo(ObjectNode body);

  /** The engine's endpoint that can do it. */
  default Endpoint endpoint(Endpoint asked) {
    return asked;
  }

  /**
   * Whether the ids in the log and those that come next are the tokens of one text. What goes on
   * after a text may have been cut inside of a token.
   */
  default boolean keepsIds() {
    return true;
  }

  /** Output tokens that are in the log already. */
  default int tokens() {
    return begun().fold().tokens();
  }

  /**
   * How many tokens may follow, where the caller set no limit and the engine has told its own; that
   * would count from here again.
   */
  default OptionalInt left() {
    return OptionalInt.empty();
  }

  /** How it goes on, in a word, for logs and metrics. */
  default String way() {
    return "text";
  }

  /** How many of them the engine gets as a part of its prompt. */
  default int tokensInPrompt() {
    return tokens();
  }

  /** Their text. */
  default String text() {
    return begun().text();
  }

  /** What the answer's first chunk said of it; empty if there is none. */
  default Optional<PartialReply.Origin> origin() {
    return begun().origin();
  }

  /** Nothing was made yet, or nothing of it counts, though a claim that says so may be to come. */
  record FromStart(PartialReply begun) implements Continuation {
    @Override
    public int tokens() {
      return 0;
    }

    @Override
    public String text() {
      return "";
    }

    @Override
    public Optional<PartialReply.Origin> origin() {
      return Optional.empty();
    }

    @Override
    public String way() {
      return "start";
    }

    @Override
    public int tokensInPrompt() {
      return 0;
    }

    @Override
    public void applyTo(ObjectNode body) {}
  }

  /** Tokens were made that hold no text yet: from the start, with less to make. */
  record AfterSilence(PartialReply begun, OptionalInt left) implements Continuation {
    @Override
    public int tokensInPrompt() {
      return 0;
    }

    @Override
    public boolean keepsIds() {
      return false;
    }

    @Override
    public void applyTo(ObjectNode body) {}
  }

  /** The engine continues the assistant's message. */
  record InMessage(PartialReply begun, OptionalInt left, MessageContinuation how)
      implements Continuation {
    @Override
    public boolean keepsIds() {
      return false;
    }

    @Override
    public void applyTo(ObjectNode body) {
      how.apply(body, text());
    }
  }

  /** The text follows the prompt. */
  record AfterPrompt(PartialReply begun, OptionalInt left) implements Continuation {
    @Override
    public boolean keepsIds() {
      return false;
    }

    @Override
    public void applyTo(ObjectNode body) {
      body.put("prompt", body.path("prompt").asText() + text());
    }
  }

  /**
   * The very tokens follow the prompt's, so nothing depends on how text is made of tokens, or
   * tokens of text.
   *
   * @param outputIds those of the log
   */
  record AfterIds(
      PartialReply begun,
      List<Integer> promptIds,
      List<Integer> outputIds,
      OptionalInt left,
      TokenIdSupport how)
      implements Continuation {
    @Override
    public String way() {
      return "ids";
    }

    @Override
    public Endpoint endpoint(Endpoint asked) {
      return how.endpoint();
    }

    @Override
    public void applyTo(ObjectNode body) {
      how.continueAfter(body, promptIds, outputIds);
    }
  }

  /** The answer is whole; only its end has to be said. */
  record Finished(PartialReply begun, String reason, Optional<JsonNode> stopReason)
      implements Continuation {
    @Override
    public String way() {
      return "end";
    }

    @Override
    public void applyTo(ObjectNode body) {}
  }

  /** From the very start. */
  static Continuation fromStart() {
    return new FromStart(new PartialReply());
  }
}
