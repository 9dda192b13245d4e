package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.micrometer.core.instrument.MeterRegistry;
import io.nodepool.vocabulary.Metric;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the requests to the API server: all sent requests by verb and resource, and all answered
 * requests with their HTTP code as the metric {@link Metric#API_REQUESTS}.
 */
public final class RequestMeter implements Interceptor {
  /** Observes single requests, on any thread. */
  @FunctionalInterface
  public interface Listener {
    /** A request is about to be sent. */
    void sending(String verb, URI uri);
  }

  private final MeterRegistry meters;
  private final Listener listener;
  private final ConcurrentHashMap<String, LongAdder> sent = new ConcurrentHashMap<>();

  /** A meter that counts into a registry. */
  public RequestMeter(MeterRegistry meters) {
    this(meters, (verb, uri) -> {});
  }

  /** A meter that counts into a registry, and notifies a listener. */
  public RequestMeter(MeterRegistry meters, Listener listener) {
    this.meters = meters;
    this.listener = listener;
  }

  /** The requests sent so far. */
  public RequestCounts counts() {
    TreeMap<String, Long> counts = new TreeMap<>();
    sent.forEach((kind, count) -> counts.put(kind, count.sum()));
    return new RequestCounts(counts);
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    sent.computeIfAbsent(verb(request) + " " + resource(request.uri()), kind -> new LongAdder())
        .increment();
    listener.sending(verb(request), request.uri());
  }

  @Override
  public void after(
      HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> body) {
    meters
        .counter(
            Metric.API_REQUESTS.id(),
            "verb",
            verb(request),
            "resource",
            resource(request.uri()),
            "code",
            Integer.toString(response.code()))
        .increment();
  }

  private static String verb(HttpRequest request) {
    String type = request instanceof StandardHttpRequest known ? known.getContentType() : null;
    return verb(request.method(), request.uri(), Objects.requireNonNullElse(type, ""));
  }

  /**
   * The verb of a request as in the API server's own metrics, where a server-side apply is not a
   * patch.
   */
  public static String verb(String method, URI uri, String contentType) {
    String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
    return switch (method.toUpperCase(Locale.ROOT)) {
      case "GET" -> query.contains("watch=true") ? "watch" : isCollection(uri) ? "list" : "get";
      case "POST" -> "create";
      case "PUT" -> "update";
      case "PATCH" -> contentType.contains("apply-patch") ? "apply" : "patch";
      default -> method.toLowerCase(Locale.ROOT);
    };
  }

  /**
   * The resource of a request, with its subresource: {@code nodes/status}; the path of a request
   * for no object, such as {@code version}.
   */
  public static String resource(URI uri) {
    List<String> parts = resourceParts(uri);
    return switch (parts.size()) {
      case 0 -> uri.getPath().replaceFirst("^/", "");
      case 1, 2 -> parts.getFirst();
      default -> parts.getFirst() + "/" + parts.get(2);
    };
  }

  private static boolean isCollection(URI uri) {
    return resourceParts(uri).size() == 1;
  }

  /** Resource, name and subresource; empty for a path that is not an object's. */
  private static List<String> resourceParts(URI uri) {
    List<String> parts = List.of(uri.getPath().replaceFirst("^/", "").split("/", -1));
    int start = parts.getFirst().equals("api") ? 2 : parts.getFirst().equals("apis") ? 3 : -1;
    if (start < 0 || parts.size() <= start) {
      return List.of();
    }
    boolean namespaced = parts.get(start).equals("namespaces") && parts.size() > start + 2;
    return parts.subList(namespaced ? start + 2 : start, parts.size());
  }
}
