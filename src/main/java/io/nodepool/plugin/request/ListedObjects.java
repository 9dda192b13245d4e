package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.ObjectDocuments;
import io.nodepool.explain.ListedKind;
import io.nodepool.explain.Unlisted;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.document.AlertsDocument;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.leader.LeadingOperator;
import io.nodepool.kubernetes.watch.ListedObservations;
import io.nodepool.kubernetes.write.RequestFields;
import io.nodepool.model.Observation;
import io.nodepool.model.node.PodBudget;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.whatif.Forecast;
import io.nodepool.whatif.Question;
import java.io.Reader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * The objects that the operator's plans depend on, as this user may list them, or from a file.
 *
 * @param observations what an operator would observe of the objects
 * @param budgets the budgets of the Pods, if budgets may be listed
 * @param unlisted the kinds that this user may not list, or that the file does not contain
 * @param operator the leading operator's Lease; empty if it may not be read
 */
public record ListedObjects(
    List<Observation> observations,
    List<PodBudget> budgets,
    Unlisted unlisted,
    Optional<LeadingOperator> operator) {
  /** How a kind of object is listed. */
  private record Kind(Class<? extends HasMetadata> type, String path) {}

  private static final Map<ListedKind, Kind> KINDS =
      new EnumMap<>(
          Map.of(
              ListedKind.POOLS, new Kind(NodePool.class, ApiPaths.POOLS),
              ListedKind.HOSTS, new Kind(HostResource.class, ApiPaths.HOSTS),
              ListedKind.NODES, new Kind(Node.class, ApiPaths.NODES),
              ListedKind.PODS, new Kind(Pod.class, ApiPaths.PODS),
              ListedKind.NAMESPACES, new Kind(Namespace.class, ApiPaths.NAMESPACES),
              ListedKind.SIGNALS, new Kind(HostSignalsResource.class, ApiPaths.SIGNALS),
              ListedKind.SOURCES, new Kind(SignalSourceResource.class, ApiPaths.SOURCES)));

  /** Kinds that count as unknown without a CRD; other kinds then have no objects. */
  private static final Set<ListedKind> NEEDED = EnumSet.of(ListedKind.POOLS, ListedKind.HOSTS);

  /** A Lease that was not renewed for this time has no leader. */
  private static final Duration LED = Duration.ofSeconds(15);

  /** Reports about machines. */
  private static final EnumSet<ListedKind> REPORTED =
      EnumSet.of(ListedKind.SIGNALS, ListedKind.SOURCES, ListedKind.CATALOGUE);

  private static final Map<ListedKind, String> CONFIG_MAPS =
      new EnumMap<>(
          Map.of(ListedKind.OFFER, OfferDocument.NAME, ListedKind.CATALOGUE, AlertsDocument.NAME));

  public ListedObjects {
    observations = List.copyOf(observations);
    budgets = List.copyOf(budgets);
  }

  /** Lists the objects of a cluster. */
  public static ListedObjects of(ClusterClient client) {
    List<HasMetadata> objects = new ArrayList<>();
    Set<ListedKind> unlisted = EnumSet.noneOf(ListedKind.class);
    List<Observation> others = new ArrayList<>();
    KINDS.forEach((kind, how) ->
        client
            .listable(how.path())
            .ifPresentOrElse(
                items ->
                    items.forEach(item -> {
                      objects.add(typed(item, how.type()));
                      requestTimes(kind, item).ifPresent(others::add);
                    }),
                () -> {
                  if (NEEDED.contains(kind) || client.isForbidden(how.path() + "?limit=1")) {
                    unlisted.add(kind);
                  }
                }));
    CONFIG_MAPS.forEach((kind, name) -> {
      String path = ApiPaths.configMap(OfferDocument.NAMESPACE, name);
      Optional<JsonNode> map = client.find(path);
      map.ifPresent(each -> objects.add(typed(each, ConfigMap.class)));
      if (map.isEmpty() && client.isForbidden(path)) {
        unlisted.add(kind);
      } else if (map.isEmpty() && kind == ListedKind.OFFER) {
        others.add(
            new Observation.OfferLost(
                "ConfigMap %s/%s is missing.".formatted(OfferDocument.NAMESPACE, name)));
      }
    });
    client
        .find(ApiPaths.VERSION)
        .ifPresent(version ->
            others.add(new Observation.ApiServerSeen(version.path("gitVersion").asText(""))));
    client
        .listable(ApiPaths.BUDGETS)
        .ifPresent(
            items -> items.forEach(item -> objects.add(typed(item, PodDisruptionBudget.class))));
    return of(
        objects,
        others,
        unlisted,
        client
            .find(LeadingOperator.PATH)
            .map(each -> LeadingOperator.of(typed(each, Lease.class))));
  }

  /**
   * Reads the objects of a file: documents in YAML or JSON, each an object or a list. Objects of
   * other kinds are ignored.
   *
   * @param name the name of the text, for errors
   */
  public static ListedObjects of(Reader text, String name) {
    List<HasMetadata> objects = new ArrayList<>();
    List<Observation> others = new ArrayList<>();
    Set<ListedKind> unlisted = EnumSet.allOf(ListedKind.class);
    ObjectDocuments.read(text, name, item -> add(item, name, objects, others, unlisted));
    return of(
        objects,
        others,
        unlisted,
        objects.stream()
            .filter(Lease.class::isInstance)
            .map(each -> LeadingOperator.of((Lease) each))
            .findFirst());
  }

  /**
   * Uses the objects of a file, with the instant of its last change, or of standard input, with the
   * present instant.
   *
   * @param path - for standard input
   */
  public static <T> T read(Path path, Instant now, BiFunction<ListedObjects, Instant, T> use) {
    return ObjectDocuments.use(path, now, (text, at) -> use.apply(of(text, path.toString()), at));
  }

  /** When the request on a Node and its policy were set; only the managed fields contain it. */
  private static Optional<Observation> requestTimes(ListedKind kind, JsonNode item) {
    return kind == ListedKind.NODES
            && (item.at("/metadata/labels").has(NodeLabels.PENDING_STATE.key())
                || item.at("/metadata/annotations").has(NodeAnnotations.REBOOT_POLICY.key()))
            && item.at("/metadata").has("managedFields")
        ? Optional.of(
            new Observation.RequestTimed(
                item.at("/metadata/name").asText(""),
                item.at("/metadata/uid").asText(""),
                item.at("/metadata/resourceVersion").asLong(),
                RequestFields.times(item)))
        : Optional.empty();
  }

  private static void add(
      JsonNode item,
      String name,
      List<HasMetadata> objects,
      List<Observation> others,
      Set<ListedKind> unlisted) {
    KINDS.forEach((each, how) -> {
      if (ObjectDocuments.isOf(how.type(), item)) {
        ObjectDocuments.requireStored(item, name);
        objects.add(typed(item, how.type()));
        requestTimes(each, item).ifPresent(others::add);
        unlisted.remove(each);
      }
    });
    CONFIG_MAPS.forEach((each, of) -> {
      if (ObjectDocuments.isOf(ConfigMap.class, item)
          && isAt(ApiPaths.configMap(OfferDocument.NAMESPACE, of), item)) {
        objects.add(typed(item, ConfigMap.class));
        unlisted.remove(each);
      }
    });
    if (ObjectDocuments.isOf(PodDisruptionBudget.class, item)) {
      objects.add(typed(item, PodDisruptionBudget.class));
    }
    if (ObjectDocuments.isOf(Lease.class, item) && isAt(LeadingOperator.PATH, item)) {
      objects.add(typed(item, Lease.class));
    }
  }

  /** Whether an item has the Namespace and name of this path, which ends with plural and name. */
  private static boolean isAt(String path, JsonNode item) {
    List<String> parts = List.of(path.split("/", -1));
    return item.at("/metadata/name").asText("").equals(parts.getLast())
        && item.at("/metadata/namespace").asText("").equals(parts.get(parts.size() - 3));
  }

  private static ListedObjects of(
      List<HasMetadata> objects,
      List<Observation> others,
      Set<ListedKind> unlisted,
      Optional<LeadingOperator> operator) {
    return new ListedObjects(
        Stream.concat(
                objects.stream().flatMap(each -> ListedObservations.of(each).stream()),
                others.stream())
            .toList(),
        ListedBudgets.of(objects),
        new Unlisted(unlisted),
        operator);
  }

  /**
   * Returns these objects if a forecast is possible: all kinds are listed, except reports about
   * machines.
   *
   * @throws CommandFailure if another kind is not listed
   */
  public ListedObjects complete() {
    if (!isComplete()) {
      throw new CommandFailure("what would happen is unknown: " + unlisted.text().orElseThrow());
    }
    return this;
  }

  /** Whether all kinds are listed, except reports about machines. */
  public boolean isComplete() {
    return REPORTED.containsAll(unlisted.kinds());
  }

  /** A forecast for these objects. */
  public Forecast forecast(Question question, Instant at) {
    return Forecast.of(observations, budgets, at, question);
  }

  /** A sentence about unlisted kinds; none if all are listed. */
  public List<String> missing() {
    return unlisted.text().map("%s: what depends on it is unknown"::formatted).stream().toList();
  }

  /**
   * Why conclusions from the objects are uncertain: kinds that could not be listed, a leading
   * operator that differs from this program, or no leader.
   */
  public List<String> warnings(Instant at) {
    return Stream.concat(missing().stream(), operator.stream().flatMap(each -> warnings(each, at)))
        .toList();
  }

  private static Stream<String> warnings(LeadingOperator operator, Instant at) {
    String own = CommandEnvironment.version();
    boolean leads =
        !operator.holder().isEmpty()
            && operator.renewed().filter(last -> last.plus(LED).isAfter(at)).isPresent();
    return Stream.of(
            Optional.of(operator.version())
                .filter(version -> !version.equals(own))
                .map(version ->
                    "the operator is of version %s, and this is %s: it may decide otherwise"
                        .formatted(version.isEmpty() ? "unknown" : version, own)),
            Optional.of(operator.settings())
                .filter(settings -> !settings.isEmpty())
                .map(
                    "the operator has other settings than the defaults, which are played here: "
                        ::concat),
            Optional.of(operator.renewed())
                .filter(_ -> !leads)
                .map(renewed ->
                    "no operator runs%s: nothing of this happens until one does"
                        .formatted(
                            renewed.map(ObjectFacts::seconds).map(" since "::concat).orElse(""))))
        .flatMap(Optional::stream);
  }

  /** What an operator would observe of an object; none if the operator ignores it. */
  static List<Observation> observed(JsonNode object, Class<? extends HasMetadata> type) {
    return ListedObservations.of(typed(object, type)).stream().toList();
  }

  private static <T> T typed(JsonNode object, Class<T> type) {
    return ApiSerialization.shared().unmarshal(object.toString(), type);
  }
}
