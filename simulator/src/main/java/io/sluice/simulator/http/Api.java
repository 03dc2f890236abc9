package io.sluice.simulator.http;

import io.netty.handler.codec.http.HttpMethod;
import java.nio.charset.StandardCharsets;
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

  private final Map<String, Route> routes;

  Api(GenerationEndpoint generation, TokenEndpoint tokens, ServerEndpoint server) {
    List<HttpMethod> get = List.of(HttpMethod.GET);
    List<HttpMethod> post = List.of(HttpMethod.POST);
    routes =
        Map.of(
            "/health", new Route(get, server::health),
            "/ping", new Route(List.of(HttpMethod.GET, HttpMethod.POST), server::health),
            "/version", new Route(get, server::version),
            "/load", new Route(get, server::load),
            "/metrics", new Route(get, server::metrics),
            "/v1/models", new Route(get, server::models),
            "/v1/chat/completions", new Route(post, generation::chat),
            "/v1/completions", new Route(post, generation::completion),
            "/tokenize", new Route(post, tokens::tokenize),
            "/detokenize", new Route(post, tokens::detokenize));
  }

  @Override
  public void accept(Exchange exchange) {
    Route route = routes.get(exchange.path());
    if (route == null) {
      replyDetail(exchange, 404, "Not Found");
      return;
    }
    if (!UNCOUNTED.contains(exchange.path())) {
      exchange.count();
    }
    if (!route.methods().contains(exchange.method())) {
      replyDetail(exchange, 405, "Method Not Allowed");
      return;
    }
    try {
      route.endpoint().accept(exchange);
    } catch (ApiError error) {
      exchange.replyJson(error.status(), error.body());
    } catch (RuntimeException e) {
      LOG.error("event=request_failed path={}", exchange.path(), e);
      ApiError error = ApiError.engineFailure();
      exchange.replyJson(error.status(), error.body());
    }
  }

  private static void replyDetail(Exchange exchange, int status, String detail) {
    exchange.replyJson(
        status, ("{\"detail\":\"" + detail + "\"}").getBytes(StandardCharsets.US_ASCII));
  }
}
