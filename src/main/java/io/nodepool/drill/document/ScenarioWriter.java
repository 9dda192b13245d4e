package io.nodepool.drill.document;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.PastRepair;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.watch.ListedObservations;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.Pool;
import io.nodepool.simulated.DataCentre;
import io.nodepool.whatif.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Writes a scenario that begins with the state of a cluster: its machines, NodePools, workloads and
 * budgets, and recorded faults. Pure.
 */
public final class ScenarioWriter {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .build();

  private final List<HasMetadata> objects;
  private final List<Host> hosts;
  private final List<Pool> pools;
  private final Optional<FleetOffer> offer;
  private final Instant now;
  private final ListedWorkloads workloads;

  private ScenarioWriter(List<HasMetadata> objects, Instant now) {
    this.objects = List.copyOf(objects);
    this.now = now;
    this.workloads = ListedWorkloads.of(objects);
    List<Observation> seen =
        objects.stream()
            .filter(each ->
                each instanceof NodePool
                    || each instanceof HostResource
                    || each instanceof ConfigMap)
            .flatMap(each -> ListedObservations.of(each).stream())
            .toList();
    this.hosts =
        seen.stream()
            .flatMap(each ->
                each instanceof Observation.HostSeen(Host host) ? Stream.of(host) : Stream.empty())
            .sorted(Comparator.comparing(host -> host.id().name()))
            .toList();
    this.pools =
        seen.stream()
            .flatMap(each ->
                each instanceof Observation.PoolSeen(Pool pool) ? Stream.of(pool) : Stream.empty())
            .sorted(Comparator.comparing(pool -> pool.id().name()))
            .toList();
    this.offer =
        seen.stream()
            .flatMap(each ->
                each instanceof Observation.OfferSeen(FleetOffer offered)
                    ? Stream.of(offered)
                    : Stream.empty())
            .findFirst();
  }

  /**
   * The scenario, as YAML.
   *
   * @param objects the cluster's objects of the kinds that a drill plays, and its Hosts
   * @param source where they are from, for the first line
   * @throws ScenarioMistake if there are no NodePools, or no Hosts
   */
  public static String write(List<HasMetadata> objects, String source, Instant now) {
    return new ScenarioWriter(objects, now).text(source);
  }

  private String text(String source) {
    if (hosts.isEmpty() || pools.isEmpty()) {
      throw new ScenarioMistake(
          source,
          "has %s: a scenario begins with both"
              .formatted(pools.isEmpty() ? "no NodePool" : "no Host"));
    }
    ObjectNode scenario = YAML.createObjectNode();
    scenario.put("lasts", "24h");
    scenario.set("dataCentre", dataCentre());
    if (pools.stream().anyMatch(pool -> pool.spec().size().autoscaling())) {
      scenario.putObject("autoscaler");
    }
    ArrayNode manifests = scenario.putArray("objects");
    Stream.of(priorities(), nodePools(), workloads.manifests().stream(), budgets())
        .flatMap(each -> each)
        .map(ScenarioWriter::json)
        .forEach(manifests::add);
    ArrayNode script = scenario.putArray("script");
    faults().forEach(script::add);
    ArrayNode expect = scenario.putArray("expect");
    pools.forEach(pool -> expect.add(expected(pool)));
    List<String> comments = new ArrayList<>();
    comments.add("As %s was at %s.".formatted(source, now.truncatedTo(ChronoUnit.SECONDS)));
    comments.addAll(workloads.remarks());
    if (script.isEmpty()) {
      comments.add("Its Hosts record no repair of the last 24 hours: the script is empty.");
    }
    StringBuilder text = new StringBuilder();
    comments.forEach(each -> text.append("# ").append(each).append('\n'));
    try {
      return text.append(YAML.writeValueAsString(scenario)).toString();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode json(Object object) {
    JsonNode json = ApiSerialization.shared().convertValue(object, JsonNode.class);
    prune(json);
    return json;
  }

  /** Removes empty values. */
  private static void prune(JsonNode json) {
    json.forEach(ScenarioWriter::prune);
    if (json instanceof ObjectNode object) {
      object.removeIf(each -> each.isNull() || (each.isContainerNode() && each.isEmpty()));
    }
  }

  // The data centre.

  private ObjectNode dataCentre() {
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = hosts.getFirst().machine().location().zone();
    spec.region = hosts.getFirst().machine().location().region();
    spec.racks = racks();
    spec.timings = timings();
    offer.ifPresent(each -> add(each, spec));
    ObjectNode json = (ObjectNode) json(spec);
    // Each seed of the drill is another data centre.
    json.remove("seed");
    return json;
  }

  private static void add(FleetOffer offer, SimulatedFleetSpec spec) {
    spec.organization = offer.organization();
    spec.unqueuedInstanceTypes = List.copyOf(offer.unqueued());
    offer
        .quota()
        .forEach((type, nodes) -> {
          SimulatedFleetSpec.QuotaSpec quota = new SimulatedFleetSpec.QuotaSpec();
          quota.instanceType = type;
          quota.nodes = nodes;
          spec.quotas.add(quota);
        });
    offer.releases().forEach(each -> add(each, spec));
  }

  private static void add(FleetRelease release, SimulatedFleetSpec spec) {
    switch (release) {
      case FleetRelease.Whole whole -> {
        SimulatedFleetSpec.Configuration configuration = new SimulatedFleetSpec.Configuration();
        configuration.name = whole.name();
        configuration.summary = List.copyOf(whole.configuration().summary());
        spec.configurations.add(configuration);
      }
      case FleetRelease.Parts parts -> {
        SimulatedFleetSpec.PublishedRelease published = new SimulatedFleetSpec.PublishedRelease();
        published.name = parts.name();
        published.gpuDrivers = List.copyOf(parts.gpuDrivers());
        published.kubernetesVersion = parts.kubernetes();
        parts
            .images()
            .forEach(image -> {
              SimulatedFleetSpec.ReleasedImage released = new SimulatedFleetSpec.ReleasedImage();
              released.name = image.name();
              released.train = image.train();
              released.kernels = List.copyOf(image.kernels());
              published.images.add(released);
            });
        spec.releases.add(published);
      }
    }
  }

  /** A rack with machines of two types is two entries. */
  private List<SimulatedFleetSpec.Rack> racks() {
    Map<String, Map<String, List<Host>>> byRack = new TreeMap<>();
    hosts.forEach(host ->
        byRack
            .computeIfAbsent(host.machine().location().rack(), _ -> new TreeMap<>())
            .computeIfAbsent(host.machine().instanceType(), _ -> new ArrayList<>())
            .add(host));
    List<SimulatedFleetSpec.Rack> racks = new ArrayList<>();
    Set<String> names = new TreeSet<>(byRack.keySet());
    byRack.forEach((name, byType) ->
        byType.forEach((type, machines) -> {
          SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
          boolean isFirst = racks.stream().noneMatch(each -> each.name.equals(name));
          rack.name = isFirst ? name : free(name, names);
          rack.instanceType = type;
          rack.hosts = machines.size();
          rack.spot = machines.stream().anyMatch(host -> host.report().spot().offered());
          racks.add(rack);
        }));
    return racks;
  }

  private static String free(String name, Set<String> names) {
    for (int i = 2; ; i++) {
      if (names.add(name + "-" + i)) {
        return name + "-" + i;
      }
    }
  }

  private SimulatedFleetSpec.Timings timings() {
    Durations learned = Durations.of(hosts);
    DataCentre.Timings middle = learned.timings(0.5);
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = seconds(learned.timings(0).bootMin());
    timings.bootMax = seconds(learned.timings(1).bootMax());
    timings.clean = seconds(middle.clean());
    timings.reboot = seconds(middle.reboot());
    timings.verification = seconds(middle.verification());
    return timings;
  }

  private static String seconds(Duration time) {
    return Math.max(1, time.toSeconds()) + "s";
  }

  // The objects.

  private Stream<HasMetadata> nodePools() {
    return all(NodePool.class, _ -> true)
        .map(pool -> {
          NodePool manifest = new NodePool();
          manifest.setMetadata(
              new ObjectMetaBuilder()
                  .withName(pool.getMetadata().getName())
                  .withLabels(pool.getMetadata().getLabels())
                  .withAnnotations(ListedWorkloads.written(pool.getMetadata().getAnnotations()))
                  .build());
          manifest.setSpec(pool.getSpec());
          manifest.setStatus(null);
          return manifest;
        });
  }

  private Stream<HasMetadata> priorities() {
    Set<String> used = workloads.priorityClasses();
    return all(
            PriorityClass.class,
            each ->
                used.contains(each.getMetadata().getName())
                    || Boolean.TRUE.equals(each.getGlobalDefault()))
        .map(each ->
            each.edit()
                .withMetadata(
                    new ObjectMetaBuilder().withName(each.getMetadata().getName()).build())
                .build());
  }

  private Stream<HasMetadata> budgets() {
    return all(
            PodDisruptionBudget.class,
            each ->
                !ListedWorkloads.isOfTheSystem(each)
                    && each.getSpec() != null
                    && each.getSpec().getSelector() != null)
        .map(each ->
            each.edit()
                .withMetadata(
                    new ObjectMetaBuilder()
                        .withName(each.getMetadata().getName())
                        .withNamespace(each.getMetadata().getNamespace())
                        .build())
                .withStatus(null)
                .build());
  }

  private <T extends HasMetadata> Stream<T> all(Class<T> type, Predicate<T> which) {
    return objects.stream()
        .filter(type::isInstance)
        .map(type::cast)
        .filter(which)
        .sorted(
            Comparator.comparing(
                    (T each) -> Objects.requireNonNullElse(each.getMetadata().getNamespace(), ""))
                .thenComparing(each -> each.getMetadata().getName()));
  }

  // The script and the expectations.

  /** For each pool and alert, the number of faults a day that its Hosts record for the last day. */
  private List<ObjectNode> faults() {
    Map<String, Map<String, Integer>> counts = new TreeMap<>();
    Map<String, String> names = new TreeMap<>();
    pools.forEach(pool -> names.put(pool.id().uid(), pool.id().name()));
    hosts.stream()
        .flatMap(host -> host.past().stream())
        .filter(each -> !each.probe() && names.containsKey(each.poolUid()))
        .filter(each -> each.at().isAfter(now.minus(PastRepair.WINDOW)))
        .forEach(each ->
            counts
                .computeIfAbsent(names.get(each.poolUid()), _ -> new TreeMap<>())
                .merge(each.alert(), 1, Integer::sum));
    List<ObjectNode> faults = new ArrayList<>();
    counts.forEach((pool, byAlert) ->
        byAlert.forEach((alert, count) -> {
          ObjectNode fault = YAML.createObjectNode();
          fault.put("chance", "%d in 1d".formatted(count));
          fault.putObject("alert").put("pool", pool).put("count", 1).put("name", alert);
          faults.add(fault);
        }));
    return faults;
  }

  private static ObjectNode expected(Pool pool) {
    String name = pool.id().name();
    int ready = Math.min(pool.spec().target(), pool.status().counts().current());
    ObjectNode expected = YAML.createObjectNode();
    expected.put("that", "NodePool %s has as many Nodes as at the start".formatted(name));
    expected.put("atEnd", "pools[\"%s\"].ready >= %d".formatted(name, ready));
    return expected;
  }
}
