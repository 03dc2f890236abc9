package io.sluice.worker.engine.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineDialects;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How a fake engine speaks, and what a worker must conclude from it. The defaults are a server that
 * has OpenAI's endpoints, rejects unknown fields, and has no health endpoint, metrics or tokenizer.
 */
class SpokenDialect {
  /** Every fake, in the order in which tests use them; a dialect may have several. */
  static final List<SpokenDialect> ALL =
      List.of(
          new Vllm(),
          new OldVllm(),
          new Sglang(),
          new LlamaCpp(),
          new HostedOpenAi(),
          new BareServer());

  private static final Set<String> OPENAI_FIELDS =
      Set.of("model", "messages", "prompt", "max_tokens", "stop", "stream", "stream_options");

  /** An HTTP answer. */
  record Reply(int status, String headers, String body) {
    Reply(int status, String body) {
      this(status, "", body);
    }
  }

  /** What can be wrong with a request. */
  enum Fault {
    PROMPT_TOO_LONG,
    UNKNOWN_MODEL,
    WRONG_KEY,
    OVERLOADED
  }

  /** What the worker must know of the load from the engine's metrics. */
  record Load(double kvUsage, int running, int waiting, long kvTokens, double prefillTokens) {}

  /** For the names of tests. */
  @Override
  public String toString() {
    return getClass().getSimpleName();
  }

  EngineDialect dialect() {
    return EngineDialects.OPENAI;
  }

  /** Returns the answer to a GET. */
  Reply get(String path) {
    return path.equals("/v1/models")
        ? new Reply(200, models("{\"id\":\"m\",\"owned_by\":\"organization-owner\"}"))
        : new Reply(404, "{}");
  }

  /** Returns the answer to a POST to an endpoint that does not generate. */
  Reply post(String path, JsonNode body) {
    return new Reply(404, "{\"detail\":\"Not Found\"}");
  }

  /** Returns the refusal of a request that the engine does not understand, or does not allow. */
  Optional<Reply> refusal(JsonNode body) {
    for (var field : body.properties()) {
      if (!OPENAI_FIELDS.contains(field.getKey())) {
        return Optional.of(unknown(field.getKey()));
      }
    }
    for (var option : body.path("stream_options").properties()) {
      if (!option.getKey().equals("include_usage")) {
        return Optional.of(unknown(option.getKey()));
      }
    }
    return Optional.empty();
  }

  boolean sendsDone() {
    return true;
  }

  /** Adds to a chunk's choice what this engine says besides OpenAI's fields. */
  void choice(ObjectNode choice, JsonNode request, List<Integer> ids) {}

  Reply error(Fault fault) {
    return switch (fault) {
      case PROMPT_TOO_LONG ->
          new Reply(
              400,
              "{\"error\":{\"message\":\"too long\",\"type\":\"invalid_request_error\",\"param\":\"messages\",\"code\":\"context_length_exceeded\"}}");
      case UNKNOWN_MODEL ->
          new Reply(
              404,
              "{\"error\":{\"message\":\"no such model\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}");
      case WRONG_KEY ->
          new Reply(
              401,
              "{\"error\":{\"message\":\"wrong key\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_api_key\"}}");
      case OVERLOADED ->
          new Reply(
              429,
              "retry-after: 2\r\n",
              "{\"error\":{\"message\":\"slow down\",\"type\":\"requests\",\"param\":null,\"code\":\"rate_limit_exceeded\"}}");
    };
  }

  /** Returns what the caller is told of a prompt that is too long. */
  ErrorKind tooLongKind() {
    return ErrorKind.CONTEXT_LENGTH_EXCEEDED;
  }

  /** Returns what the router is told of an engine that is overloaded. */
  FailureCode overloadedCode() {
    return FailureCode.ENGINE_OVERLOADED;
  }

  /** Returns the finish reasons by which the engine says that it gave up. */
  List<String> aborts() {
    return List.of();
  }

  int context() {
    return 131_072;
  }

  Optional<Load> load() {
    return Optional.empty();
  }

  /** Returns the fields of a chat with a stop text as the engine gets it. */
  List<String> preparedFields() {
    return List.of("model", "messages", "stop", "stream", "stream_options");
  }

  List<String> preparedStreamOptions() {
    return List.of("include_usage");
  }

  /** Returns how an interrupted chat without a limit goes on. */
  String chatWay() {
    return "restart";
  }

  /** Returns how an interrupted completion goes on. */
  String completionWay() {
    return "text";
  }

  static String models(String card) {
    return "{\"object\":\"list\",\"data\":[" + card + "]}";
  }

  private static Reply unknown(String field) {
    return new Reply(
        400,
        "{\"error\":{\"message\":\"unknown field "
            + field
            + "\",\"type\":\"invalid_request_error\",\"param\":\""
            + field
            + "\",\"code\":\"unknown_parameter\"}}");
  }

  /** A hosted API: it has no health endpoint, and is judged by its models. */
  static final class HostedOpenAi extends SpokenDialect {}

  /** A server such as {@code transformers serve} without a model folder. */
  static final class BareServer extends SpokenDialect {
    @Override
    Reply get(String path) {
      return switch (path) {
        case "/health" -> new Reply(200, "{\"status\":\"ok\"}");
        case "/v1/models" -> new Reply(500, "Internal Server Error");
        default -> new Reply(404, "{\"detail\":\"Not Found\"}");
      };
    }

    @Override
    boolean sendsDone() {
      return false;
    }

    @Override
    Reply error(Fault fault) {
      return fault == Fault.PROMPT_TOO_LONG
          ? new Reply(422, "{\"detail\":[{\"msg\":\"too long\"}]}")
          : super.error(fault);
    }

    @Override
    ErrorKind tooLongKind() {
      return ErrorKind.INVALID_REQUEST;
    }
  }

  static class Vllm extends SpokenDialect {
    private static final int LIMIT = 2_045;

    @Override
    EngineDialect dialect() {
      return EngineDialects.VLLM;
    }

    @Override
    Reply get(String path) {
      return switch (path) {
        case "/health" -> new Reply(200, "");
        case "/v1/models" ->
            new Reply(200, models("{\"id\":\"m\",\"owned_by\":\"vllm\",\"max_model_len\":2048}"));
        case "/metrics" -> new Reply(200, metrics());
        default -> new Reply(404, "{}");
      };
    }

    String metrics() {
      return """
      # TYPE vllm:num_requests_running gauge
      vllm:num_requests_running{engine="0",model_name="m"} 3.0
      vllm:num_requests_waiting{engine="0",model_name="m"} 2.0
      vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
      vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="100"} 1.0
      vllm:prompt_tokens_total{engine="0",model_name="m"} 500.0
      vllm:prompt_tokens_cached_total{engine="0",model_name="m"} 100.0
      """;
    }

    @Override
    Optional<Reply> refusal(JsonNode body) {
      return body.path("min_tokens").asInt() > LIMIT
          ? Optional.of(
              new Reply(
                  400,
                  "{\"error\":{\"message\":\"min_tokens must be less than or equal to max_tokens="
                      + Math.min(LIMIT, body.path("max_tokens").asInt(LIMIT))
                      + ", got 1000000000.\",\"type\":\"BadRequestError\",\"param\":\"min_tokens\",\"code\":400}}"))
          : Optional.empty();
    }

    @Override
    Reply post(String path, JsonNode body) {
      return switch (path) {
        case "/tokenize" ->
            new Reply(200, "{\"count\":3,\"max_model_len\":2048,\"tokens\":[1,2,3]}");
        case "/detokenize" -> {
          var text = new StringBuilder();
          body.path("tokens").forEach(id -> text.append(FakeEngine.text(id.asInt())));
          yield new Reply(200, "{\"prompt\":\"" + text + "\"}");
        }
        default -> super.post(path, body);
      };
    }

    @Override
    void choice(ObjectNode choice, JsonNode request, List<Integer> ids) {
      choice.putNull("stop_reason");
      if (request.path("return_token_ids").asBoolean(false)) {
        var told = choice.putArray("token_ids");
        ids.forEach(told::add);
      }
    }

    @Override
    Reply error(Fault fault) {
      return switch (fault) {
        case PROMPT_TOO_LONG ->
            new Reply(
                400,
                "{\"error\":{\"message\":\"This model's maximum context length is 2048 tokens.\",\"type\":\"BadRequestError\",\"param\":\"input_tokens\",\"code\":400}}");
        case UNKNOWN_MODEL ->
            new Reply(
                404,
                "{\"error\":{\"message\":\"The model `m` does not exist.\",\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}}");
        case WRONG_KEY -> new Reply(401, "{\"error\":\"Unauthorized\"}");
        case OVERLOADED -> super.error(fault);
      };
    }

    @Override
    List<String> aborts() {
      return List.of("abort", "error");
    }

    @Override
    int context() {
      return 2_048;
    }

    @Override
    Optional<Load> load() {
      return Optional.of(new Load(0.25, 3, 2, 1_600, 400));
    }

    @Override
    List<String> preparedFields() {
      return List.of(
          "model",
          "messages",
          "stop",
          "stream",
          "stream_options",
          "return_token_ids",
          "include_stop_str_in_output");
    }

    @Override
    List<String> preparedStreamOptions() {
      return List.of("include_usage", "continuous_usage_stats");
    }

    @Override
    String chatWay() {
      return "ids";
    }

    @Override
    String completionWay() {
      return "ids";
    }
  }

  /** vLLM as it was before it renamed its metrics. */
  static final class OldVllm extends Vllm {
    @Override
    String metrics() {
      return """
      vllm:num_requests_running{model_name="m"} 3.0
      vllm:num_requests_waiting{model_name="m"} 2.0
      vllm:gpu_cache_usage_perc{model_name="m"} 0.25
      vllm:cache_config_info{block_size="16",num_gpu_blocks="100"} 1.0
      vllm:prompt_tokens_total{model_name="m"} 500.0
      vllm:gpu_prefix_cache_hits_total{model_name="m"} 100.0
      """;
    }
  }

  static final class Sglang extends SpokenDialect {
    @Override
    EngineDialect dialect() {
      return EngineDialects.SGLANG;
    }

    @Override
    Reply get(String path) {
      return switch (path) {
        case "/health" -> new Reply(200, "");
        case "/v1/models" ->
            new Reply(200, models("{\"id\":\"m\",\"owned_by\":\"sglang\",\"max_model_len\":4096}"));
        case "/metrics" ->
            new Reply(
                200,
                """
                sglang:num_running_reqs{model_name="m"} 4.0
                sglang:num_queue_reqs{model_name="m"} 1.0
                sglang:token_usage{model_name="m"} 0.5
                sglang:max_total_num_tokens{model_name="m"} 9000.0
                sglang:prompt_tokens_total{model_name="m"} 700.0
                sglang:cached_tokens_total{model_name="m"} 100.0
                """);
        default -> new Reply(404, "{}");
      };
    }

    @Override
    Optional<Reply> refusal(JsonNode body) {
      return Optional.empty();
    }

    @Override
    Reply error(Fault fault) {
      return switch (fault) {
        case PROMPT_TOO_LONG ->
            new Reply(
                400,
                "{\"object\":\"error\",\"message\":\"The input (5000 tokens) is longer than the model's context length (4096 tokens).\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}");
        case UNKNOWN_MODEL ->
            new Reply(
                404,
                "{\"object\":\"error\",\"message\":\"The model does not exist\",\"type\":\"NotFoundError\",\"param\":null,\"code\":404}");
        case WRONG_KEY -> new Reply(401, "{\"error\":\"Unauthorized\"}");
        case OVERLOADED ->
            new Reply(
                503,
                "{\"object\":\"error\",\"message\":\"The request queue is full.\",\"type\":\"ServiceUnavailable\",\"param\":null,\"code\":503}");
      };
    }

    @Override
    FailureCode overloadedCode() {
      return FailureCode.ENGINE_ERROR;
    }

    @Override
    List<String> aborts() {
      return List.of("abort");
    }

    @Override
    int context() {
      return 4_096;
    }

    @Override
    Optional<Load> load() {
      return Optional.of(new Load(0.5, 4, 1, 9_000, 600));
    }

    @Override
    List<String> preparedStreamOptions() {
      return List.of("include_usage", "continuous_usage_stats");
    }

    @Override
    String chatWay() {
      return "text";
    }
  }

  static final class LlamaCpp extends SpokenDialect {
    @Override
    EngineDialect dialect() {
      return EngineDialects.LLAMA_CPP;
    }

    @Override
    Reply get(String path) {
      return switch (path) {
        case "/health" -> new Reply(200, "{\"status\":\"ok\"}");
        case "/v1/models" ->
            new Reply(
                200,
                models(
                    "{\"id\":\"m\",\"owned_by\":\"llamacpp\",\"meta\":{\"n_ctx\":512,\"n_ctx_train\":4096}}"));
        case "/metrics" ->
            new Reply(
                200,
                """
                llamacpp:requests_processing 2
                llamacpp:requests_deferred 5
                llamacpp:kv_cache_usage_ratio 0.75
                llamacpp:prompt_tokens_total 300
                llamacpp:prompt_tokens_cached_total 50
                """);
        default -> new Reply(404, "{}");
      };
    }

    @Override
    Optional<Reply> refusal(JsonNode body) {
      return Optional.empty();
    }

    @Override
    Reply error(Fault fault) {
      return switch (fault) {
        case PROMPT_TOO_LONG ->
            new Reply(
                400,
                "{\"error\":{\"code\":400,\"message\":\"the request exceeds the available context size\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":600,\"n_ctx\":512}}");
        case UNKNOWN_MODEL ->
            new Reply(
                404,
                "{\"error\":{\"code\":404,\"message\":\"model not found\",\"type\":\"not_found_error\"}}");
        case WRONG_KEY ->
            new Reply(
                401,
                "{\"error\":{\"code\":401,\"message\":\"Invalid API Key\",\"type\":\"authentication_error\"}}");
        case OVERLOADED ->
            new Reply(
                503,
                "{\"error\":{\"code\":503,\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}");
      };
    }

    @Override
    FailureCode overloadedCode() {
      return FailureCode.ENGINE_ERROR;
    }

    @Override
    int context() {
      return 512;
    }

    /** llama.cpp counts the prompt tokens that it computed, cached ones apart. */
    @Override
    Optional<Load> load() {
      return Optional.of(new Load(0.75, 2, 5, 0, 300));
    }
  }
}
