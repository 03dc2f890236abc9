package io.sluice.simulator.http;

import static java.util.stream.Collectors.joining;

import io.netty.handler.codec.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The table of routes, and the place where errors become responses. */
final class Api implements Consumer<Exchange> {

  private static final Logger LOG = LoggerFactory.getLogger(Api.class);

  /** Paths that the HTTP metrics leave out. */
  private static final Set<String> UNCOUNTED =
      Set.of("/metrics", "/health", "/load", "/ping", "/version");

  private record Route(List<HttpMethod> methods, Consumer<Exchange> endpoint) {}

  private final Map<String, Route> routes = new HashMap<>();
  private final ApiKeys keys;
  private final CrossOrigin crossOrigin;

  Api(
      GenerationEndpoint generation,
      TokenEndpoint tokens,
      ServerEndpoint server,
      ApiKeys keys,
      CrossOrigin crossOrigin) {
    this.keys = keys;
    this.crossOrigin = crossOrigin;
    get("/health", server::health);
    routes.put("/ping", new Route(List.of(HttpMethod.GET, HttpMethod.POST), server::health));
    get("/version", server::version);
    get("/load", exchange -> server.load(exchange, generation.load()));
    routes.put("/metrics", new Route(List.of(HttpMethod.GET, HttpMethod.POST), server::metrics));
    get("/v1/models", server::models);
    post("/v1/chat/completions", generation::chat);
    post("/v1/completions", generation::completion);
    post("/invocations", generation::invocation);
    post("/tokenize", tokens::tokenize);
    post("/detokenize", tokens::detokenize);
    post(
        "/inference/v1/generate",
        _ -> {
          throw ApiError.scaleOutDisabled();
        });
  }

  /** Adds the routes that exist only in dev mode. */
  void add(DevEndpoint dev) {
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

  /** Adds the routes that exist only when adapters can change at run time. */
  void add(LoraEndpoint lora) {
    post("/v1/load_lora_adapter", lora::load);
    post("/v1/unload_lora_adapter", lora::unload);
  }

  private void get(String path, Consumer<Exchange> endpoint) {
    routes.put(path, new Route(List.of(HttpMethod.GET), endpoint));
  }

  private void post(String path, Consumer<Exchange> endpoint) {
    routes.put(path, new Route(List.of(HttpMethod.POST), endpoint));
  }

  @Override
  public void accept(Exchange exchange) {
    if (exchange.isPreflight()) {
      exchange.reply(
          crossOrigin.preflightStatus(),
          "text/plain; charset=utf-8",
          crossOrigin.preflightText().getBytes(StandardCharsets.US_ASCII));
      return;
    }
    if (!keys.allow(exchange)) {
      exchange.replyJson(401, "{\"error\":\"Unauthorized\"}".getBytes(StandardCharsets.US_ASCII));
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
      String allowed = route.methods().stream().map(HttpMethod::name).collect(joining(", "));
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
      LOG.error("event=request_failed path={}", exchange.path(), e);
      ApiError error = ApiError.engineFailure();
      exchange.replyJson(error.status(), error.body());
    }
  }

  /** Sends the client to another path, with the same query. */
  private static void redirect(Exchange exchange, String path) {
    String query = exchange.rawQuery().isEmpty() ? "" : "?" + exchange.rawQuery();
    String host = exchange.header("host").orElse("localhost");
    exchange.reply(307, "", new byte[0], "location", "http://" + host + path + query);
  }

  private static String withoutSlash(Exchange exchange) {
    return exchange.path().substring(0, exchange.path().length() - 1);
  }

  private static byte[] detail(String detail) {
    return ("{\"detail\":\"" + detail + "\"}").getBytes(StandardCharsets.US_ASCII);
  }
}
