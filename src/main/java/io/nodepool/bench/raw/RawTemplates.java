package io.nodepool.bench.raw;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Event;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.util.List;
import java.util.Set;

/**
 * Templates of requests about scratch objects, of the same size as the measured requests, made from
 * objects of a pool at its target. {@code @name@} is the name of the scratch object. {@code @n@} is
 * the number of the write, so that each write changes the object.
 */
public final class RawTemplates {
  /** How a request is sent. */
  interface Method {
    Reply send(ApiRequests requests, String path, String body);
  }

  /** One request with placeholders. */
  record Template(Method method, String path, String body) {
    /** A change in this format. */
    static Template patch(ApiRequests.PatchType type, String path, String body) {
      return new Template((requests, to, what) -> requests.patch(to, type, what), path, body);
    }

    /** Fills in the placeholders and sends the request. */
    Reply send(ApiRequests requests, String name, long number) {
      return method.send(requests, filled(path, name, number), filled(body, name, number));
    }

    private static String filled(String text, String name, long number) {
      return text.replace(NAME, name).replace(NUMBER, Long.toString(number));
    }
  }

  private static final String NAME = "@name@";
  private static final String NUMBER = "@n@";
  private static final String MANAGED = "?fieldManager=nodepool-bench";
  private static final String POOL = ApiPaths.pool(RawClient.POOL);
  private static final String SPARE =
      "/api/v1/namespaces/" + OperatorRuntime.NAMESPACE + "/configmaps";
  private static final String ADMITTED =
      "{\"v\":1,\"seq\":1,\"stage\":\"Admitted\",\"causes\":[{\"cause\":\"ScaleDown\",\"ref\":\"Idle\",\"at\":\"2026-01-01T00:00:00Z\"}],\"cordon\":\"Ours\"}";
  private static final Set<String> OURS = Set.of("CWRegistered", "CWActive");
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;

  private final JsonNode host;
  private final JsonNode node;
  private final JsonNode pool;
  private final JsonNode event;

  /**
   * Creates templates from these objects.
   *
   * @param host a Host that runs for a pool
   * @param node its Node
   * @param pool the pool
   * @param event an Event about a Node
   */
  public RawTemplates(JsonNode host, JsonNode node, JsonNode pool, JsonNode event) {
    this.host = host;
    this.node = node;
    this.pool = pool;
    this.event = event;
  }

  /** Templates from the objects of a cluster in which this pool has a registered Node. */
  public static RawTemplates read(BenchCluster cluster, String pool) {
    Event event =
        cluster.events().stream()
            .filter(each -> each.getReason().equals("CWNodeRegistered"))
            .filter(each -> each.getInvolvedObject().getKind().equals("Node"))
            .findFirst()
            .orElseThrow(() -> BenchFailure.because("No Event CWNodeRegistered is about a Node."));
    String node = event.getInvolvedObject().getName();
    return new RawTemplates(
        cluster.read(ApiPaths.host(node)),
        cluster.read(ApiPaths.node(node)),
        cluster.read(ApiPaths.pool(pool)),
        cluster.read(ApiPaths.EVENTS + "/" + event.getMetadata().getName()));
  }

  /** A free Host, which exists before the measurement starts. */
  Template freeHost() {
    ObjectNode body = fresh(host, NAME);
    body.putObject("spec").set("machine", host.at("/spec/machine"));
    return new Template(ApiRequests::post, ApiPaths.HOSTS + MANAGED, body.toString());
  }

  /** The status of a free Host. */
  Template freeHostStatus() {
    ObjectNode body = MAKE.objectNode();
    body.putObject("status")
        .put("phase", "Free")
        .put("tenancy", 0)
        .put("since", host.at("/status/since").asText());
    return Template.patch(
        ApiRequests.PatchType.MERGE, ApiPaths.host(NAME) + "/status" + MANAGED, body.toString());
  }

  /** The scratch pool that receives the writes about pools. The operator does not know its type. */
  Template scratchPool() {
    ObjectNode body = fresh(pool, NAME);
    body.set("spec", pool.get("spec"));
    return new Template(ApiRequests::post, ApiPaths.POOLS + MANAGED, body.toString());
  }

  /** The object that receives the writes of rare kinds. */
  Template spare() {
    ObjectNode body = MAKE.objectNode();
    body.put("apiVersion", "v1").put("kind", "ConfigMap");
    body.putObject("metadata").put("name", NAME);
    return new Template(ApiRequests::post, SPARE + MANAGED, body.toString());
  }

  /**
   * The template for a kind of request; a small patch of a small object replaces rare kinds.
   *
   * @param nth the number among requests of its kind on its object, from 1
   */
  Template of(RawLife life, String kind, long nth) {
    return switch (life) {
      case GROWTH ->
          switch (kind) {
            case "patch hosts" -> nth == 1 ? assign() : reconfigure();
            case "patch hosts/status" -> report("On", "Running");
            case "create nodes" -> join();
            case "patch nodes" -> untaint();
            default -> common(kind);
          };
      case REMOVAL ->
          switch (kind) {
            case "patch hosts" -> nth == 1 ? stop() : nth == 2 ? release() : reconfigure();
            case "patch hosts/status" -> nth == 1 ? report("Off", "Stopped") : report("On", "Free");
            case "delete nodes" -> nth == 1 ? delete() : other();
            case "patch nodes" -> nth == 1 ? admit() : untaint();
            case RawLife.POD_LIST -> list();
            default -> common(kind);
          };
    };
  }

  private Template common(String kind) {
    return switch (kind) {
      case "create events" -> emit();
      case "patch nodes/status" -> register();
      case "apply nodepools/status" -> publish();
      default -> other();
    };
  }

  private static Template delete() {
    return new Template(ApiRequests::delete, ApiPaths.node(NAME), "{}");
  }

  private static Template list() {
    return new Template(
        (requests, path, _) -> requests.get(path),
        ApiPaths.PODS + "?fieldSelector=spec.nodeName%3D" + NAME,
        "");
  }

  private Template assign() {
    ObjectNode assignment = host.at("/spec/assignment").deepCopy();
    assignment.put("operation", assignment.path("operation").asText() + NUMBER);
    return patch(
        ApiPaths.host(NAME),
        whilePowerIs("On")
            .set("/spec/tenancy", 1)
            .set("/spec/assignment", assignment)
            .set("/spec/configuration", host.at("/spec/configuration"))
            .set("/spec/power", "On"));
  }

  /** A Host is assigned once; further patches change another field. */
  private static Template reconfigure() {
    return patch(ApiPaths.host(NAME), whilePowerIs("On").set("/spec/configuration", NUMBER));
  }

  /** The status that a fleet reports while the Host's spec has this power. */
  private Template report(String power, String phase) {
    ObjectNode status = host.path("status").deepCopy();
    status.put("phase", phase).put("bootId", status.path("bootId").asText() + NUMBER);
    return patch(
        ApiPaths.host(NAME) + "/status" + MANAGED, whilePowerIs(power).set("/status", status));
  }

  private static JsonPatch whilePowerIs(String power) {
    return new JsonPatch().test("/spec/power", power);
  }

  /** Admits the disruption of a Node, and cordons it. */
  private static Template admit() {
    String record = "/metadata/annotations/" + JsonPatch.pointer(NodeAnnotations.REMOVAL.key());
    return patch(
        ApiPaths.node(NAME),
        new JsonPatch()
            .test("/metadata/name", NAME)
            .set(record, ADMITTED)
            .set("/spec/unschedulable", true));
  }

  private static Template stop() {
    return patch(ApiPaths.host(NAME), whilePowerIs("On").set("/spec/power", "Off"));
  }

  private static Template release() {
    return patch(
        ApiPaths.host(NAME),
        whilePowerIs("Off").remove("/spec/assignment").set("/spec/power", "On"));
  }

  private static Template patch(String path, JsonPatch patch) {
    return Template.patch(ApiRequests.PatchType.JSON, path, patch.json());
  }

  private Template join() {
    ObjectNode body = fresh(node, NAME);
    body.set("spec", node.get("spec"));
    ObjectNode status = node.path("status").deepCopy();
    ArrayNode conditions = status.putArray("conditions");
    for (JsonNode condition : node.at("/status/conditions")) {
      if (!OURS.contains(condition.path("type").asText())) {
        conditions.add(condition);
      }
    }
    body.set("status", status);
    return new Template(ApiRequests::post, ApiPaths.NODES + MANAGED, body.toString());
  }

  /** Removes the initial taint, as Kubernetes does once a Node is Ready. */
  private Template untaint() {
    ObjectNode body = MAKE.objectNode();
    body.putObject("metadata").putObject("annotations").put("write", NUMBER);
    body.putObject("spec").set("taints", node.at("/spec/taints"));
    return Template.patch(ApiRequests.PatchType.STRATEGIC, ApiPaths.node(NAME), body.toString());
  }

  private Template register() {
    ObjectNode body = MAKE.objectNode();
    ArrayNode conditions = body.putObject("status").putArray("conditions");
    for (JsonNode condition : node.at("/status/conditions")) {
      if (OURS.contains(condition.path("type").asText())) {
        ObjectNode copy = conditions.addObject();
        copy.setAll((ObjectNode) condition);
        copy.put("message", condition.path("message").asText() + NUMBER);
      }
    }
    return Template.patch(
        ApiRequests.PatchType.STRATEGIC, ApiPaths.node(NAME) + "/status", body.toString());
  }

  private Template emit() {
    ObjectNode body = event.deepCopy();
    body.putObject("metadata").put("name", NAME + "." + NUMBER).put("namespace", "default");
    return new Template(ApiRequests::post, ApiPaths.EVENTS, body.toString());
  }

  private Template publish() {
    ObjectNode body = MAKE.objectNode();
    body.put("apiVersion", "compute.coreweave.com/v1alpha1").put("kind", "NodePool");
    body.putObject("metadata").put("name", RawClient.POOL);
    ObjectNode status = pool.path("status").deepCopy();
    status.put("nodeProfile", status.path("nodeProfile").asText() + NUMBER);
    body.set("status", status);
    return Template.patch(
        ApiRequests.PatchType.APPLY, POOL + "/status" + MANAGED + "&force=true", body.toString());
  }

  private static Template other() {
    ObjectNode body = MAKE.objectNode();
    body.putObject("data").put("write", NUMBER);
    return Template.patch(
        ApiRequests.PatchType.MERGE, SPARE + "/" + RawClient.POOL + MANAGED, body.toString());
  }

  /** A copy with the kind, labels and annotations of an object under a name. */
  public static ObjectNode fresh(JsonNode object, String name) {
    ObjectNode fresh = MAKE.objectNode();
    fresh.set("apiVersion", object.get("apiVersion"));
    fresh.set("kind", object.get("kind"));
    ObjectNode metadata = fresh.putObject("metadata").put("name", name);
    for (String field : List.of("labels", "annotations")) {
      if (object.at("/metadata").has(field)) {
        metadata.set(field, object.at("/metadata/" + field));
      }
    }
    return fresh;
  }
}
