package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The outcome in which two runs of one scenario must agree: end state, numbers of creates and
 * deletes, Events. The number of status writes depends on timing and is left out, as are the
 * reports of the faults themselves.
 */
final class Outcome {
  /** Writes whose number depends on timing: commands that wait together are accepted in one. */
  private static final Set<String> TIMELY =
      Set.of(
          "publish status",
          "accept command",
          "report Node",
          "report removal",
          "show state",
          "report lifecycle",
          "report health",
          "evict Pod without effect");

  /** Events that report the faults themselves. */
  private static final Set<EventReason> OF_FAULTS =
      EnumSet.of(
          EventReason.NODE_POOL_NODES_REQUEST_FAILED,
          EventReason.NODE_POOL_NODES_REMOVE_ERROR,
          EventReason.NODE_POOL_NODES_REBOOT_ERROR,
          EventReason.NODE_CONFIG_STAGING_FAILED,
          // How often an alert is told depends on when an operator starts.
          EventReason.NODE_ALERT_TRIGGERED,
          EventReason.NODE_ALERT_ENDED);

  /** Events about short states, which a pause of the operator may hide. */
  private static final Set<EventReason> FLEETING =
      EnumSet.of(
          EventReason.NODE_ASSIGNED,
          EventReason.NODE_CORDONED,
          EventReason.NODE_UNCORDONED,
          EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE,
          EventReason.NODE_PREPARED_FOR_TERMINATE,
          EventReason.NODE_POOL_REMOVE_NODES,
          EventReason.NODE_POOL_NODES_REMOVED,
          EventReason.NODE_DELETED,
          EventReason.NODE_TAINTED,
          EventReason.NODE_UNTAINTED,
          EventReason.DRAIN_NODE,
          EventReason.NODE_DRAINING,
          EventReason.NODE_DRAINING_PDB_VIOLATION,
          EventReason.NODE_DRAINING_FORCE_DELETE);

  private static final String EMITTED = "emitted: ";

  private final Drill drill;
  private final WorldCluster cluster;
  private final SortedMap<String, String> outcome = new TreeMap<>();

  private Outcome(Drill drill) {
    this.drill = drill;
    this.cluster = drill.world.cluster();
  }

  static SortedMap<String, String> of(Drill drill, Agreement agreement) {
    Outcome outcome = new Outcome(drill);
    outcome.end(agreement);
    if (agreement != Agreement.END) {
      outcome.numbers();
      outcome.events();
    }
    if (agreement == Agreement.NAMES) {
      outcome.names();
    }
    return outcome.outcome;
  }

  /** Whether an entry of an outcome is about Events. */
  static boolean isOfEvents(String key) {
    return key.startsWith(EMITTED);
  }

  private void end(Agreement agreement) {
    cluster
        .pools()
        .forEach((name, pool) -> {
          Drill.PoolDrill seen = drill.pool(name);
          outcome.put(name + " conditions", seen.conditions().toString());
          outcome.put(
              name + " counts",
              "%d/%d/%d"
                  .formatted(
                      pool.status().currentNodes(),
                      pool.status().counts().inProgress(),
                      pool.status().counts().queued()));
          outcome.put(name + " Nodes", "" + seen.nodes().size());
          outcome.put(name + " metadata", carried(seen.nodes(), agreement));
          outcome.put(name + " in removal", "" + inRemoval(seen.nodes()).size());
          outcome.put(name + " cordoned", "" + cordoned(seen.nodes()).size());
          outcome.put(name + " Hosts", "" + seen.hosts().size());
          outcome.put(
              name + " booted",
              seen.hosts().stream()
                  .map(host -> host.report().bootedConfiguration())
                  .sorted()
                  .toList()
                  .toString());
          outcome.put(
              name + " rollout", pool.status().configuration().rollout().phase().toString());
          outcome.put(
              name + " configurations",
              pool.status().configuration().revisions().stream()
                  .map(each ->
                      "%s of %d Nodes%s"
                          .formatted(
                              each.profile(),
                              each.activeNodes(),
                              each.boots().disabled() ? ", disabled" : ""))
                  .sorted()
                  .toList()
                  .toString());
        });
    cluster
        .powerCyclesInto()
        .forEach((configuration, times) ->
            outcome.put("power cycles into " + configuration, cycles(times.values(), agreement)));
    outcome.put("free Hosts", "" + cluster.hosts().values().stream().filter(Host::isFree).count());
  }

  /** Where the path is random, a Node may leave before its turn or after it. */
  private static String cycles(Collection<Integer> times, Agreement agreement) {
    return agreement == Agreement.END
        ? "%d at most".formatted(Collections.max(times))
        : times.stream().sorted().toList().toString();
  }

  private void numbers() {
    cluster
        .appliedWrites()
        .counts()
        .forEach((what, count) -> {
          if (!TIMELY.contains(what)) {
            outcome.put("writes: " + what, "" + count);
          }
        });
  }

  private void names() {
    cluster
        .pools()
        .keySet()
        .forEach(name -> {
          List<Node> nodes = drill.pool(name).nodes();
          outcome.put(name + " Nodes", nodes.stream().map(Node::name).toList().toString());
          outcome.put(name + " in removal", inRemoval(nodes).toString());
          outcome.put(name + " cordoned", cordoned(nodes).toString());
        });
    cluster
        .appliedWrites()
        .names()
        .forEach((what, names) -> outcome.put("names: " + what, names.toString()));
    outcome.put("power cycles by machine", cluster.powerCyclesInto().toString());
    drill.instants.forEach((name, instants) -> outcome.put("instants of " + name, instants));
  }

  /**
   * Adds the counts of all Events, including expired ones. How often CWActive changes depends on
   * timing, as the writes that report it do.
   */
  private void events() {
    for (EventReason reason : EventReason.values()) {
      EventReason newer = reason.beside().orElse(reason);
      if (OF_FAULTS.contains(newer) || reason == EventReason.OLDEST_NODE_ACTIVE) {
        continue;
      }
      for (EventTarget kind : EventTarget.values()) {
        int emitted =
            cluster.eventLog().ever().values().stream()
                .filter(eventDraft -> eventDraft.reason() == reason)
                .filter(eventDraft -> !isOfStaging(eventDraft) && !isOfRegistration(eventDraft))
                .filter(eventDraft -> eventDraft.regarding().kind() == kind)
                .mapToInt(EventDraft::count)
                .sum();
        if (emitted > 0 && !(FLEETING.contains(newer) && kind == EventTarget.POOL)) {
          outcome.put(EMITTED + "%s of %s".formatted(reason.word(), kind), "" + emitted);
        }
      }
    }
  }

  /** Whether it reports that requests to stage a configuration fail, and not that its boots do. */
  private static boolean isOfStaging(EventDraft eventDraft) {
    return eventDraft.reason() == EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED
        && eventDraft.message().contains(" Staging failed on ");
  }

  /** Whether it reports that requests to register a Node fail, and not that it is late. */
  private static boolean isOfRegistration(EventDraft eventDraft) {
    return eventDraft.message().contains(" could not be registered, ");
  }

  private static List<String> inRemoval(List<Node> nodes) {
    return nodes.stream()
        .filter(Node::isTerminating)
        .map(node -> node.name() + " " + node.disruption().get().getClass().getSimpleName())
        .toList();
  }

  private static List<String> cordoned(List<Node> nodes) {
    return nodes.stream().filter(Node::cordoned).map(Node::name).toList();
  }

  /**
   * The distinct metadata and states of the Nodes. If chance decides which Nodes stay, it also
   * decides which Pods run on them; {@link Steady} checks that the Nodes report it.
   */
  private static String carried(List<Node> nodes, Agreement agreement) {
    return nodes.stream()
        .map(node -> {
          SortedMap<String, String> labels = new TreeMap<>(node.metadata().labels());
          labels.remove(NodeLabels.NODE_POOL_UID.key());
          return "%s %s %s %s %s"
              .formatted(
                  node.metadata().applied(),
                  labels,
                  node.metadata().annotations(),
                  node.metadata().taints(),
                  agreement == Agreement.END
                      ? "activity left out"
                      : node.activity().map(Node.Activity::active));
        })
        .collect(Collectors.toCollection(TreeSet::new))
        .toString();
  }
}
