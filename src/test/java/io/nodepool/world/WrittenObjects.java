package io.nodepool.world;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.nodepool.fleet.Host;
import io.nodepool.health.HostSignals;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.HostReportConversion;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Everything that was written to the objects of a run, in its order: each field before and after,
 * as it is on the wire, and each Event. Two builds that behave alike have the same lines, whatever
 * their types are called.
 */
final class WrittenObjects {
  private static final ObjectMapper JSON =
      new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

  private final World world;
  private final List<String> lines = new ArrayList<>();

  /** Each object that was seen last, with its fields. */
  private final Map<String, SortedMap<String, String>> fields = new TreeMap<>();

  private final Map<String, Object> objects = new TreeMap<>();

  private WrittenObjects(World world) {
    this.world = world;
  }

  /** Notes what is written from now on. */
  static List<String> of(World world) {
    WrittenObjects written = new WrittenObjects(world);
    for (WorldCluster.Kind kind : WorldCluster.Kind.values()) {
      world.cluster().watch(kind, seen -> written.compare(kind, seen));
    }
    world.afterEachStep(() -> written.noteAll("event", written.world.cluster().events()));
    return written.lines;
  }

  private void compare(WorldCluster.Kind kind, Observation seen) {
    WorldCluster cluster = world.cluster();
    switch (kind) {
      case POOLS -> noteAll("pool", cluster.pools());
      case HOSTS -> noteAll("host", cluster.hosts());
      case NODES -> noteAll("node", cluster.nodes());
      case SIGNALS -> noteAll("signals", cluster.signals().all());
      case PODS -> noteAll("pod", cluster.pods());
      case NAMESPACES -> noteAll("namespace", new TreeMap<>(Map.of("", seen)));
      case OFFER -> {}
    }
  }

  private void noteAll(String kind, SortedMap<String, ?> present) {
    String begin = kind + " ";
    for (Map.Entry<String, ?> entry : present.entrySet()) {
      Object last = objects.put(begin + entry.getKey(), entry.getValue());
      if (!entry.getValue().equals(last)) {
        note(begin + entry.getKey(), fields(entry.getValue()));
      }
    }
    List<String> gone =
        objects.keySet().stream()
            .filter(name -> name.startsWith(begin))
            .filter(name -> !present.containsKey(name.substring(begin.length())))
            .toList();
    for (String name : gone) {
      objects.remove(name);
      note(name, new TreeMap<>());
    }
  }

  private void note(String object, SortedMap<String, String> next) {
    SortedMap<String, String> last =
        Optional.ofNullable(fields.put(object, next)).orElseGet(TreeMap::new);
    TreeSet<String> names = new TreeSet<>(last.keySet());
    names.addAll(next.keySet());
    for (String name : names) {
      String before = last.getOrDefault(name, "-");
      String after = next.getOrDefault(name, "-");
      if (!before.equals(after)) {
        lines.add(
            "%s %s, %s: %s -> %s"
                .formatted(
                    Duration.between(World.START, world.instant()), object, name, before, after));
      }
    }
  }

  private static SortedMap<String, String> fields(Object object) {
    SortedMap<String, String> found = new TreeMap<>();
    switch (object) {
      case Node node -> fields(node, found);
      case Host host -> fields(host, found);
      case Pool pool -> fields(pool, found);
      case Pod pod -> found.put("pod", pod.toString());
      case HostSignals signals -> found.put("signals", signals.toString());
      case Observation seen -> found.put("seen", seen.toString());
      case WorldCluster.EventRecord event -> found.put("event", event.toString());
      default -> throw new IllegalArgumentException(object.getClass().getName());
    }
    return found;
  }

  private static void fields(Node node, SortedMap<String, String> found) {
    found.put("uid", node.uid());
    node.metadata().labels().forEach((key, value) -> found.put("label " + key, value));
    node.metadata().annotations().forEach((key, value) -> found.put("annotation " + key, value));
    node.metadata().applied().ifPresent(each -> found.put("applied", AppliedMetadata.write(each)));
    found.put("taints", node.metadata().taints().toString());
    found.put("unschedulable", String.valueOf(node.cordoned()));
    node.disruption().ifPresent(each -> found.put("disruption", DisruptionRecord.write(each)));
    found.put("deleting", node.finalization().toString());
    NodeStatus status = node.status();
    found.put("Ready", String.valueOf(status.ready()));
    found.put("CWRegistered", String.valueOf(status.registered()));
    found.put("CWActive", status.activity().toString());
    found.put("CWNodeRemoval", status.removing().toString());
    found.put("volumes", String.valueOf(status.volumes()));
    found.put("boot", status.bootId());
    found.put("lifecycle", status.lifecycle().toString());
  }

  private static void fields(Host host, SortedMap<String, String> found) {
    found.put("uid", host.id().uid());
    found.put("tenancy", String.valueOf(host.tenancy()));
    found.put("power", host.power().toString());
    found.put("configuration", host.configuration());
    host.assignment().map(HostConversion::assignment).ifPresent(put(found, "assignment"));
    host.boot().map(HostConversion::boot).ifPresent(put(found, "boot"));
    host.deliveries().failure().map(HostConversion::failures).ifPresent(put(found, "failures"));
    found.put("setAside", host.deliveries().setAside());
    found.put("status", json(HostReportConversion.status(host.report())));
  }

  private static Consumer<Object> put(SortedMap<String, String> found, String field) {
    return value -> found.put(field, json(value));
  }

  private static void fields(Pool pool, SortedMap<String, String> found) {
    found.put("uid", pool.id().uid());
    found.put("finalizer", String.valueOf(pool.guarded()));
    found.put("deleting", pool.deletionRequestedAt().toString());
    found.put("spec", pool.spec().toString());
    JSON.valueToTree(PoolConversion.status(pool.status()))
        .properties()
        .forEach(part -> found.put("status " + part.getKey(), part.getValue().toString()));
  }

  private static String json(Object value) {
    return JSON.valueToTree(value).toString();
  }
}
