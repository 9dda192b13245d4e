package io.nodepool.plugin.request;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.Similar;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.ApiRequests.PatchType;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The requests of the plugin; a request that fails is a {@link CommandFailure}. */
public final class ClusterClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PAGE = 500;

  /** A list, with the version to watch it from. */
  public record Listed(List<JsonNode> items, String version) {}

  /** Up to this many Nodes, Pods are listed Node by Node. */
  private static final int FEW = 10;

  private final ApiRequests requests;
  private final DryRun dryRun;

  /** The version of each list at its last read, by path. */
  private final Map<String, String> versions = new HashMap<>();

  /** Requests to the cluster of a user. */
  public ClusterClient(ApiRequests requests, DryRun dryRun) {
    this.requests = requests;
    this.dryRun = dryRun;
  }

  /** The dry-run mode. */
  public DryRun dryRun() {
    return dryRun;
  }

  private Reply write(String path, Function<String, Reply> send) {
    return switch (dryRun) {
      case NONE -> send.apply(path);
      case CLIENT -> new Reply.Ok("{}");
      case SERVER -> send.apply(path + "?dryRun=All");
    };
  }

  private Reply patch(String path, PatchType type, String body) {
    return write(path, to -> requests.patch(to, type, body));
  }

  /** A Node. */
  public NodeReading node(String name) {
    return new NodeReading(object(ApiPaths.NODES, name));
  }

  /** The Nodes of all NodePools. */
  public List<NodeReading> nodes() {
    return nodes("");
  }

  /**
   * The Nodes of all NodePools with these labels.
   *
   * @param labels a selector; empty text for all
   */
  public List<NodeReading> nodes(String labels) {
    return nodesWith(NodeLabels.NODE_POOL.key(), labels);
  }

  /** The Nodes of a NodePool. */
  public List<NodeReading> nodesOf(String pool) {
    return nodesOf(pool, "");
  }

  /** The Nodes of a NodePool with these labels. */
  public List<NodeReading> nodesOf(String pool, String labels) {
    return nodesWith(NodeLabels.NODE_POOL.key() + "=" + pool, labels);
  }

  private List<NodeReading> nodesWith(String pool, String labels) {
    String selector = labels.isEmpty() ? pool : pool + "," + labels;
    return all(ApiPaths.NODES, selector).stream().map(NodeReading::new).toList();
  }

  /** All objects of a list; empty if this user may not list them, or the kind does not exist. */
  public Optional<List<JsonNode>> listable(String path) {
    return isReadable(read(ApiPaths.page(path, 1, "", "")))
        ? Optional.of(all(path, ""))
        : Optional.empty();
  }

  /** An object; empty if this user may not read it, or it does not exist. */
  public Optional<JsonNode> find(String path) {
    Reply reply = read(path);
    return isReadable(reply) ? Optional.of(parsed(succeeded(reply))) : Optional.empty();
  }

  /** Whether this user may not read an object. */
  boolean isForbidden(String path) {
    return read(path) instanceof Reply.Rejected(int code, String _) && code == Reply.FORBIDDEN;
  }

  private boolean isReadable(Reply reply) {
    if (reply instanceof Reply.Rejected(int code, String _)
        && (code == Reply.NOT_FOUND || code == Reply.FORBIDDEN)) {
      return false;
    }
    succeeded(reply);
    return true;
  }

  private List<JsonNode> all(String path, String selector) {
    List<JsonNode> items = new ArrayList<>();
    String version = "";
    String next = "";
    do {
      JsonNode page = get(ApiPaths.page(path, PAGE, selector, next));
      items.addAll(items(page));
      version = page.at("/metadata/resourceVersion").asText("");
      next = page.at("/metadata/continue").asText("");
    } while (!next.isEmpty());
    versions.put(path, version);
    return items;
  }

  /**
   * Waits until the list changes after its last read, or the time has passed.
   *
   * @param path the path of the list
   */
  public void awaitList(String path, Duration atMost) {
    String version = versions.getOrDefault(path, "");
    Optional<Reply> refused = requests.awaitChange(path + "?resourceVersion=" + version, atMost);
    refused
        .filter(
            reply -> !(reply instanceof Reply.Rejected(int code, String _) && code == Reply.GONE))
        .ifPresent(this::succeeded);
  }

  /** A NodePool. */
  public PoolReading pool(String name) {
    return new PoolReading(object(ApiPaths.POOLS, name));
  }

  /** All NodePools. */
  public List<PoolReading> pools() {
    return pools("");
  }

  /** The NodePools with these labels. */
  public List<PoolReading> pools(String labels) {
    return all(ApiPaths.POOLS, labels).stream().map(PoolReading::new).toList();
  }

  /** All NodePools; none if this user may not list them. */
  public List<PoolReading> readablePools() {
    return items(readable(ApiPaths.POOLS)).stream().map(PoolReading::new).toList();
  }

  /** Whether an object exists, as far as this user may know. */
  public boolean exists(String path) {
    return isReadable(read(path));
  }

  /** All Hosts. */
  public List<JsonNode> hosts() {
    return hosts("");
  }

  /** The Hosts with these labels. */
  public List<JsonNode> hosts(String labels) {
    return all(ApiPaths.HOSTS, labels);
  }

  /** The fleet's offer; empty if this user may not read it, or there is none. */
  public Optional<String> offer(String namespace) {
    String text =
        readable(ApiPaths.configMap(namespace, OfferDocument.NAME))
            .path("data")
            .path(OfferDocument.KEY)
            .asText("");
    return Optional.of(text).filter(each -> !each.isEmpty());
  }

  /** All Hosts; none if this user may not list them. */
  public List<JsonNode> readableHosts() {
    return items(readable(ApiPaths.HOSTS));
  }

  /** A Host. */
  public JsonNode host(String name) {
    return object(ApiPaths.HOSTS, name);
  }

  /**
   * The signals about the machine of a Node, the strongest first. Objects that this user may not
   * read are left out.
   */
  public List<SignalReading> signals(String node, Instant now) {
    return SignalReading.of(
        readable(ApiPaths.host(node)), readable(ApiPaths.SIGNALS + "/" + node), heartbeats(), now);
  }

  /** The last heartbeats of the sources of signals; none if this user may not list them. */
  public Map<String, String> heartbeats() {
    return items(readable(ApiPaths.SOURCES)).stream()
        .collect(
            Collectors.toMap(
                each -> each.at("/metadata/name").asText(""),
                each -> each.at("/spec/heartbeatAt").asText("")));
  }

  /** The reports of monitors about all Hosts, by name. */
  public Map<String, JsonNode> signalsByHost() {
    return all(ApiPaths.SIGNALS, "").stream()
        .collect(
            Collectors.toMap(each -> each.at("/metadata/name").asText(""), Function.identity()));
  }

  private JsonNode readable(String path) {
    Reply reply = read(path);
    return reply instanceof Reply.Rejected ? JSON.createObjectNode() : parsed(succeeded(reply));
  }

  /** Changes a Host by a merge patch; if it has changed, the reply is a conflict. */
  public Reply patchHost(JsonNode seen, ObjectNode patch) {
    JsonNode metadata = seen.path("metadata");
    String path = ApiPaths.host(metadata.path("name").asText());
    return patchUnchanged(path, metadata.path("resourceVersion").asText(), patch);
  }

  private Reply patchUnchanged(String path, String version, ObjectNode patch) {
    patch.withObjectProperty("metadata").put("resourceVersion", version);
    return patch(path, PatchType.MERGE, patch.toString());
  }

  /** The user name of these requests in the API server; empty if unknown. */
  public Optional<String> userName() {
    ObjectNode question = JSON.createObjectNode();
    question.put("apiVersion", "authentication.k8s.io/v1").put("kind", "SelfSubjectReview");
    return requests.post(ApiPaths.OWN_USER, question.toString()) instanceof Reply.Ok(String body)
        ? Optional.of(parsed(body).at("/status/userInfo/username").asText(""))
            .filter(name -> !name.isEmpty())
        : Optional.empty();
  }

  /** Changes the spec of a NodePool; if it has changed, the reply is a conflict. */
  public Reply patchPool(PoolReading seen, ObjectNode patch) {
    return patchUnchanged(ApiPaths.pool(seen.name()), seen.version(), patch);
  }

  /** Sets annotations of a NodePool, by their keys. */
  public void annotatePool(String name, Map<String, String> annotations) {
    ObjectNode patch = JSON.createObjectNode();
    ObjectNode set = patch.putObject("metadata").putObject("annotations");
    annotations.forEach(set::put);
    succeeded(patch(ApiPaths.pool(name), PatchType.MERGE, patch.toString()));
  }

  /** Removes an annotation of a NodePool. */
  public void removeFromPool(String name, PoolAnnotations annotation) {
    ObjectNode patch = JSON.createObjectNode();
    patch.putObject("metadata").putObject("annotations").putNull(annotation.key());
    succeeded(patch(ApiPaths.pool(name), PatchType.MERGE, patch.toString()));
  }

  /** The Pods that are bound to a Node. */
  public Listed pods(String node) {
    JsonNode list = get(podsOf(node));
    return new Listed(items(list), list.at("/metadata/resourceVersion").asText(""));
  }

  /** The Pods that are bound to any of these Nodes. */
  List<JsonNode> podsOn(List<String> nodes) {
    return nodes.size() > FEW
        ? all(ApiPaths.PODS, "").stream()
            .filter(pod -> nodes.contains(pod.at("/spec/nodeName").asText("")))
            .toList()
        : nodes.stream().flatMap(node -> pods(node).items().stream()).toList();
  }

  /** All Namespaces; none if this user may not list them. */
  List<JsonNode> readableNamespaces() {
    return items(readable(ApiPaths.NAMESPACES));
  }

  private static String podsOf(String node) {
    return ApiPaths.PODS + "?fieldSelector=" + encoded("spec.nodeName=" + node);
  }

  /** The Events about a Node, as they are stored. */
  public List<JsonNode> events(String node) {
    return events("Node", node);
  }

  /** The Events about a NodePool, as they are stored. */
  public List<JsonNode> poolEvents(String pool) {
    return events("NodePool", pool);
  }

  private List<JsonNode> events(String kind, String name) {
    String selector = "involvedObject.kind=%s,involvedObject.name=%s".formatted(kind, name);
    return items(get(ApiPaths.EVENTS + "?fieldSelector=" + encoded(selector)));
  }

  private static List<JsonNode> items(JsonNode list) {
    return list.path("items").valueStream().toList();
  }

  /** Changes a Node by a merge patch. */
  public void mergeNode(String name, JsonNode patch) {
    succeeded(patch(ApiPaths.node(name), PatchType.MERGE, patch.toString()));
  }

  /** Changes a Node by a merge patch; if it has changed, the reply is a conflict. */
  public Reply patchNode(NodeReading seen, ObjectNode patch) {
    return patchUnchanged(ApiPaths.node(seen.name()), seen.version(), patch);
  }

  /** Changes the status of a Node by a JSON patch; the reply may be a conflict. */
  public Reply patchStatus(String name, String patch) {
    return patch(ApiPaths.node(name) + "/status", PatchType.JSON, patch);
  }

  /** Asks for the eviction of a Pod; the reply is the answer of its budgets. */
  public Reply evict(String namespace, String pod, JsonNode eviction) {
    return write(
        ApiPaths.pod(namespace, pod) + "/eviction", to -> requests.post(to, eviction.toString()));
  }

  /** Waits until a Pod of the Node changes, or the time has passed. */
  public void awaitPods(String node, String version, Duration atMost) {
    await(podsOf(node), version, atMost);
  }

  /** Waits until the Node changes, or the time has passed. */
  public void awaitNode(NodeReading seen, Duration atMost) {
    String path = ApiPaths.NODES + "?fieldSelector=" + encoded("metadata.name=" + seen.name());
    await(path, seen.version(), atMost);
  }

  /** Waits until the NodePool changes, or the time has passed. */
  public void awaitPool(PoolReading seen, Duration atMost) {
    String path = ApiPaths.POOLS + "?fieldSelector=" + encoded("metadata.name=" + seen.name());
    await(path, seen.version(), atMost);
  }

  private void await(String path, String version, Duration atMost) {
    requests.awaitChange(path + "&resourceVersion=" + version, atMost).ifPresent(this::succeeded);
  }

  /** An object of a list; if it does not exist, the failure lists similar names. */
  private JsonNode object(String list, String name) {
    Reply reply = read(list + "/" + name);
    if (reply instanceof Reply.Rejected(int code, String message) && code == Reply.NOT_FOUND) {
      List<String> known =
          items(readable(ApiPaths.page(list, PAGE, "", ""))).stream()
              .map(each -> each.at("/metadata/name").asText(""))
              .toList();
      throw new CommandFailure(message + Similar.hint(name, known));
    }
    return parsed(succeeded(reply));
  }

  private Reply read(String path) {
    Reply reply = requests.get(path);
    if (reply instanceof Reply.Lost(String why)) {
      throw new CommandFailure("%s: %s".formatted(requests.server(), why));
    }
    return reply;
  }

  private JsonNode get(String path) {
    return parsed(succeeded(read(path)));
  }

  /**
   * The body of a successful reply.
   *
   * @throws CommandFailure with the server's message for any other reply
   */
  public String succeeded(Reply reply) {
    return switch (reply) {
      case Reply.Ok(String body) -> body;
      case Reply.Rejected(int code, String message) ->
          throw new CommandFailure(
              code == Reply.UNAUTHORIZED
                  ? "the API server rejects the credentials: " + message
                  : message);
      case Reply.NotSent(String why) ->
          throw new CommandFailure("%s: %s".formatted(requests.server(), why));
      case Reply.Lost(String why) ->
          throw new CommandFailure("the outcome of the request is unknown: " + why);
    };
  }

  @Override
  public void close() {
    requests.close();
  }

  private static JsonNode parsed(String body) {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new CommandFailure("the answer of the API server is not JSON", e);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
