package io.sluice.simulator.endpoint;

import io.sluice.simulator.fault.FaultBoard;
import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.openai.request.FormatOptions;
import io.sluice.simulator.openai.request.RequestReader;
import io.sluice.simulator.openai.request.ServedModel;
import io.sluice.simulator.openai.request.Tokenization;
import io.sluice.simulator.openai.request.UnreadableBody;
import io.sluice.simulator.openai.response.ResponseFormats;
import io.sluice.simulator.serving.EngineDriver;
import io.sluice.simulator.text.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes of the server. It also turns errors into responses. */
public final class Api implements Consumer<Exchange> {

  private static final Logger log = LoggerFactory.getLogger(Api.class);

  /** Paths that are not in the HTTP metrics. */
  private static final Set<String> UNCOUNTED =
      Set.of("/metrics", "/health", "/load", "/ping", "/version");

  private record Route(List<String> methods, Consumer<Exchange> endpoint) {}

  private final Map<String, Route> routes = new HashMap<>();
  private final ApiKeys keys;
  private volatile Runnable onEngineDead = () -> {};

  /** Creates the routes of a server for one model. */
  public Api(
      ServedModel model,
      ApiOptions options,
      FormatOptions format,
      Tokenizer tokenizer,
      EngineDriver driver,
      ServerMetrics metrics,
      FaultBoard faults) {
    keys = new ApiKeys(options.apiKeys());
    addServer(new ServerEndpoint(model, driver, metrics, faults));
    addGeneration(
        new GenerationEndpoint(
            new RequestReader(model, format, tokenizer),
            driver,
            new ResponseFormats(model, format, tokenizer),
            options,
            faults,
            metrics,
            () -> onEngineDead.run()));
    addTokenization(new Tokenization(tokenizer, model));
    if (options.devMode()) {
      addDev(new DevEndpoint(driver));
    }
    if (options.runtimeLora()) {
      addLora(new LoraEndpoint(model.loras()));
    }
  }

  /**
   * Sets the action that runs whenever a request gets 500 because the engine is dead: a request
   * that arrives after the death, or one that waits for a whole answer. A stream, whose head was
   * already sent, ends with an error frame instead, and vLLM does not notice.
   */
  public void onEngineDead(Runnable action) {
    onEngineDead = action;
  }

  private void addServer(ServerEndpoint server) {
    get("/health", server::health);
    routes.put("/ping", new Route(List.of("GET", "POST"), server::health));
    get("/version", server::version);
    routes.put("/metrics", new Route(List.of("GET", "POST"), server::metrics));
    get("/v1/models", server::models);
  }

  private void addGeneration(GenerationEndpoint generation) {
    get(
        "/load",
        exchange -> exchange.replyJson(200, ascii("{\"server_load\":" + generation.load() + "}")));
    post("/v1/chat/completions", generation::chat);
    post("/v1/completions", generation::completion);
    post("/invocations", generation::invocation);
    post(
        "/inference/v1/generate",
        _ -> {
          throw ApiError.scaleOutDisabled();
        });
  }

  private void addTokenization(Tokenization tokens) {
    post(
        "/tokenize",
        exchange -> exchange.replyJson(200, tokens.tokenize(RequestBody.of(exchange))));
    post(
        "/detokenize",
        exchange -> exchange.replyJson(200, tokens.detokenize(RequestBody.of(exchange))));
  }

  private void addDev(DevEndpoint dev) {
    post("/sleep", dev::sleep);
    post("/wake_up", dev::wakeUp);
    get("/is_sleeping", dev::isSleeping);
    post("/pause", dev::pause);
    post("/resume", dev::resume);
    get("/is_paused", dev::isPaused);
    post("/reset_prefix_cache", dev::resetPrefixCache);
    post("/reset_mm_cache", dev::nothingToReset);
    post("/reset_encoder_cache", dev::nothingToReset);
  }

  private void addLora(LoraEndpoint lora) {
    post("/v1/load_lora_adapter", lora::load);
    post("/v1/unload_lora_adapter", lora::unload);
  }

  private void get(String path, Consumer<Exchange> endpoint) {
    routes.put(path, new Route(List.of("GET"), endpoint));
  }

  private void post(String path, Consumer<Exchange> endpoint) {
    routes.put(path, new Route(List.of("POST"), endpoint));
  }

  @Override
  public void accept(Exchange exchange) {
    if (!keys.allow(exchange)) {
      exchange.replyJson(401, ascii("{\"error\":\"Unauthorized\"}"));
      return;
    }
    Route route = routes.get(exchange.path());
    if (route == null) {
      if (exchange.path().endsWith("/") && routes.containsKey(withoutSlash(exchange))) {
        redirect(exchange, withoutSlash(exchange));
        return;
      }
      exchange.replyJson(404, detail("Not Found"));
      return;
    }
    if (!UNCOUNTED.contains(exchange.path())) {
      exchange.count();
    }
    if (!route.methods().contains(exchange.method())) {
      String allowed = String.join(", ", route.methods());
      exchange.reply(405, "application/json", detail("Method Not Allowed"), "allow", allowed);
      return;
    }
    try {
      route.endpoint().accept(exchange);
    } catch (ApiError error) {
      exchange.replyJson(error.status(), error.body());
    } catch (UnreadableBody unreadable) {
      exchange.replyJson(400, detail(String.valueOf(unreadable.getMessage())));
    } catch (RuntimeException e) {
      log.error("event=request_failed path={}", exchange.path(), e);
      ApiError error = ApiError.engineFailure();
      exchange.replyJson(error.status(), error.body());
    }
  }

  /** Redirects the client to another path with the same query. */
  private static void redirect(Exchange exchange, String path) {
    String query = exchange.rawQuery().isEmpty() ? "" : "?" + exchange.rawQuery();
    String host = exchange.header("host").orElse("localhost");
    exchange.reply(307, "", new byte[0], "location", "http://" + host + path + query);
  }

  private static String withoutSlash(Exchange exchange) {
    return exchange.path().substring(0, exchange.path().length() - 1);
  }

  private static byte[] detail(String detail) {
    return ascii("{\"detail\":\"" + detail + "\"}");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
