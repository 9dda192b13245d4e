package io.nodepool.whatif;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.nodepool.fleet.Host;
import io.nodepool.health.HostSignals;
import io.nodepool.health.SignalSource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.HostSignalsSpec;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.api.SignalSourceSpec;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.SignalConversion;
import io.nodepool.kubernetes.convert.document.AlertsDocument;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.PodBudget;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.HostObject;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The objects of a virtual world as a real API server has them, and as {@code kubectl get -A -o
 * json --show-managed-fields} prints them.
 */
public final class ListedText {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final WorldCluster cluster;
  private final List<PodBudget> budgets;
  private final ArrayNode items = JSON.createArrayNode();

  private ListedText(WorldCluster cluster, List<PodBudget> budgets) {
    this.cluster = cluster;
    this.budgets = budgets;
  }

  /**
   * The text.
   *
   * @param budgets of the Pods, each with a name in its Namespace
   * @param alerts the document of the user's changes of the alerts; empty without any
   * @param requests when the request on a Node was set
   */
  public static String of(
      WorldCluster cluster,
      List<PodBudget> budgets,
      Optional<String> alerts,
      Function<Node, RequestTimes> requests) {
    ListedText text = new ListedText(cluster, budgets);
    cluster.pools().values().forEach(pool -> text.add(PoolObject.of(pool)));
    cluster.hosts().values().forEach(text::host);
    cluster.nodes().values().forEach(node -> text.node(node, requests.apply(node)));
    cluster.pods().values().forEach(text::pod);
    cluster.list(WorldCluster.Kind.NAMESPACES).forEach(text::namespace);
    cluster.list(WorldCluster.Kind.SIGNALS).forEach(text::reported);
    budgets.forEach(text::budget);
    text.configMap(OfferDocument.NAME, OfferDocument.KEY, OfferDocument.write(cluster.offer()));
    alerts.ifPresent(document -> text.configMap(AlertsDocument.NAME, AlertsDocument.KEY, document));
    ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "List");
    list.set("items", text.items);
    return list.toString();
  }

  private void add(HasMetadata object) {
    items.add(tree(object));
  }

  private static ObjectNode tree(HasMetadata object) {
    try {
      return (ObjectNode) JSON.readTree(ApiSerialization.shared().asJson(object));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The metadata that each object has. */
  static ObjectMetaBuilder metadata(String name, String uid, long version) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withUid(uid)
        .withResourceVersion(Long.toString(version));
  }

  private void host(Host host) {
    ObjectNode object = (ObjectNode) HostObject.of(host);
    object.put("apiVersion", "fleet.nodepool.io/v1alpha1").put("kind", "Host");
    ObjectNode metadata = (ObjectNode) object.get("metadata");
    metadata.put("resourceVersion", Long.toString(host.version()));
    host.deliveries()
        .released()
        .ifPresent(at ->
            metadata
                .putObject("annotations")
                .put(
                    HostAnnotations.SET_ASIDE_ENDED.key(),
                    JSON.createObjectNode().put("at", at.toString()).toString()));
    items.add(object);
  }

  private void node(Node node, RequestTimes times) {
    ObjectNode object = tree(NodeObject.of(node));
    ArrayNode managed = object.withObjectProperty("metadata").putArray("managedFields");
    times
        .label()
        .ifPresent(at -> managed.add(entry("f:labels", NodeLabels.PENDING_STATE.key(), at)));
    times
        .policy()
        .ifPresent(
            at -> managed.add(entry("f:annotations", NodeAnnotations.REBOOT_POLICY.key(), at)));
    items.add(object);
  }

  private static ObjectNode entry(String under, String key, Instant at) {
    ObjectNode entry =
        JSON.createObjectNode()
            .put("manager", "kubectl-" + under.substring(2))
            .put("operation", "Update")
            .put("apiVersion", "v1")
            .put("time", ObjectFacts.seconds(at))
            .put("fieldsType", "FieldsV1");
    entry.putObject("fieldsV1").putObject("f:metadata").putObject(under).putObject("f:" + key);
    return entry;
  }

  private void pod(Pod pod) {
    TreeMap<String, String> labels = new TreeMap<>();
    budgets.stream()
        .filter(budget -> budget.pods().contains(pod.uid()))
        .forEach(budget -> labels.put(label(budget), "true"));
    add(PodObject.of(pod, labels));
  }

  /** Protected are the Pods with this label. */
  private static String label(PodBudget budget) {
    return "example.com/" + name(budget);
  }

  private static String name(PodBudget budget) {
    return budget.name().substring(budget.name().indexOf('/') + 1);
  }

  /** As its controller reports it: a Pod whose deletion was requested is no healthy one. */
  private void budget(PodBudget budget) {
    List<Pod> pods =
        cluster.pods().values().stream().filter(pod -> budget.pods().contains(pod.uid())).toList();
    int healthy = (int) pods.stream().filter(pod -> pod.deletedAt().isEmpty()).count();
    int desired = pods.size() - budget.allowed();
    add(
        new PodDisruptionBudgetBuilder()
            .withMetadata(metadata(name(budget), "uid-" + name(budget), 1).build())
            .editMetadata()
            .withNamespace(budget.name().substring(0, budget.name().indexOf('/')))
            .endMetadata()
            .withNewSpec()
            .withNewSelector()
            .addToMatchLabels(label(budget), "true")
            .endSelector()
            .endSpec()
            .withNewStatus()
            .withExpectedPods(pods.size())
            .withCurrentHealthy(healthy)
            .withDesiredHealthy(desired)
            .withDisruptionsAllowed(Math.max(0, healthy - desired))
            .endStatus()
            .build());
  }

  private void namespace(Observation seen) {
    if (seen instanceof Observation.NamespaceSeen(Namespace namespace)) {
      ObjectMetaBuilder metadata = metadata(namespace.name(), namespace.uid(), namespace.version());
      namespace
          .organization()
          .ifPresent(value -> metadata.addToLabels(NamespaceLabels.ORGANIZATION.key(), value));
      if (namespace.terminating()) {
        metadata.withDeletionTimestamp(ObjectFacts.seconds(Instant.EPOCH));
      }
      add(new NamespaceBuilder().withMetadata(metadata.build()).build());
    }
  }

  private void reported(Observation seen) {
    switch (seen) {
      case Observation.SignalsSeen(HostSignals about) -> add(signals(about));
      case Observation.SourceSeen(SignalSource source) -> {
        SignalSourceResource object = new SignalSourceResource();
        object.setMetadata(metadata(source.name(), source.uid(), source.version()).build());
        object.setSpec(new SignalSourceSpec());
        object.getSpec().heartbeatAt = ObjectFacts.seconds(source.heartbeatAt());
        add(object);
      }
      default -> throw new IllegalArgumentException("no report: " + seen);
    }
  }

  private static HostSignalsResource signals(HostSignals about) {
    HostSignalsResource object = new HostSignalsResource();
    ObjectMetaBuilder metadata = metadata(about.host(), about.uid(), about.version());
    about
        .hostUid()
        .ifPresent(uid ->
            metadata.addToOwnerReferences(
                new OwnerReferenceBuilder()
                    .withApiVersion("fleet.nodepool.io/v1alpha1")
                    .withKind("Host")
                    .withName(about.host())
                    .withUid(uid)
                    .build()));
    object.setMetadata(metadata.build());
    object.setSpec(new HostSignalsSpec());
    about
        .signals()
        .forEach(signal ->
            object.getSpec().signals.put(signal.key().text(), SignalConversion.entry(signal)));
    return object;
  }

  private void configMap(String name, String key, String text) {
    add(
        new ConfigMapBuilder()
            .withMetadata(metadata(name, "uid-" + name, 1).build())
            .editMetadata()
            .withNamespace(OfferDocument.NAMESPACE)
            .endMetadata()
            .addToData(key, text)
            .build());
  }
}
