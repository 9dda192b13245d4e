package io.nodepool.world.check;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The promises about the boots of machines that clients request. */
final class RebootPath {
  private final WorldCluster cluster;

  /** What reboots the operator recorded as committed so far, as the boots that belong to them. */
  private final Set<String> committed = new HashSet<>();

  /** The Hosts as last observed, by UID. */
  private final Map<String, Host> hosts = new HashMap<>();

  /** The Nodes as last observed, by UID. */
  private final Map<String, Node> nodes = new HashMap<>();

  /** How often their machines had been booted when clients last requested a state of them. */
  private final Map<String, Integer> cyclesAtRequest = new HashMap<>();

  /** The boot ids of each machine so far, by its Host's UID. */
  private final Map<String, Set<String>> bootIds = new HashMap<>();

  /** The attempts that led to a power cycle, by the Host's UID, the operation and the number. */
  private final Set<String> cycled = new HashSet<>();

  private RebootPath(WorldCluster cluster) {
    this.cluster = cluster;
  }

  /** Checks a cluster from now on. */
  static void watch(WorldCluster cluster) {
    RebootPath path = new RebootPath(cluster);
    cluster.watch(path::see, WorldCluster.Kind.NODES, WorldCluster.Kind.HOSTS);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeSeen(Node node)) {
      answers(node, Optional.ofNullable(nodes.put(node.uid(), node)));
      if (node.disruption().orElse(null) instanceof Disruption.Committed reboot
          && !reboot.isLeaving()) {
        committed.add(operation(node, reboot.sequence()) + reboot.at());
      }
    } else if (seen instanceof Observation.NodeGone(String _, String uid, long _)) {
      nodes.remove(uid);
      cyclesAtRequest.remove(uid);
    } else if (seen instanceof Observation.HostSeen(Host host)) {
      Optional<Host> last = Optional.ofNullable(hosts.put(host.id().uid(), host));
      last.ifPresent(before -> {
        isOnANewBoot(before, host);
        forgetInterrupted(before, host);
        countsOn(before, host);
        cyclesOnce(before, host);
      });
    } else if (seen instanceof Observation.HostUnreadable(var id, _, _, _)) {
      // What happens until it can be read again is not seen.
      cycled.removeIf(attempt -> attempt.startsWith(id.uid() + " "));
    } else if (seen instanceof Observation.HostGone(var id, long _)) {
      hosts.remove(id.uid());
    }
  }

  /** A boot for a repair ends no request that was made after the machine was booted for it. */
  private void answers(Node node, Optional<Node> last) {
    String word = node.metadata().label(NodeLabels.PENDING_STATE);
    String before = last.map(each -> each.metadata().label(NodeLabels.PENDING_STATE)).orElse("");
    Optional<Host> host = Optional.ofNullable(hosts.get(node.hostUid()));
    if (word.equals(before)) {
      return;
    }
    boolean isAnswered =
        word.isEmpty()
            && !before.equals(LifecycleState.VERIFICATION.word())
            && node.disruption().orElse(null) instanceof Disruption.PassedOver
            && last.flatMap(Node::disruption).orElse(null) instanceof Disruption.Committed reboot
            && host.flatMap(Host::boot)
                .filter(request -> request.isOf(node.operation(reboot)) && request.isRepair())
                .isPresent();
    int asked = cyclesAtRequest.getOrDefault(node.uid(), -1);
    Invariants.require(
        !isAnswered || host.orElseThrow().report().boot().cycles() > asked,
        "the request {} on Node {} ends, and its machine was not booted since it was made",
        before,
        node.name());
    host.ifPresent(each -> cyclesAtRequest.put(node.uid(), each.report().boot().cycles()));
  }

  private static String operation(Node node, int sequence) {
    return "reboot/%s/%d/".formatted(node.uid(), sequence);
  }

  private void isOnANewBoot(Host before, Host host) {
    String id = host.report().bootId();
    if (!id.isEmpty() && !id.equals(before.report().bootId())) {
      Invariants.require(
          bootIds.computeIfAbsent(host.id().uid(), _ -> new HashSet<>()).add(id),
          "Host {} is on boot {} again",
          host.id().name(),
          id);
    }
  }

  /** The attempts of one disruption are counted on, and bounded. */
  private void countsOn(Host before, Host host) {
    Optional<BootRequest> next =
        host.boot()
            .filter(RebootPath::isOfOperator)
            .filter(each -> !each.from().equals(BootRequest.TAKEN_BACK))
            .filter(each -> !isRepeated(each, before));
    if (next.isEmpty()) {
      return;
    }
    int attempt = next.get().attempt();
    int last =
        before.boot().filter(each -> each.isOf(next.get().operation())).stream()
            .mapToInt(BootRequest::attempt)
            .findFirst()
            .orElse(0);
    Invariants.require(
        attempt == last + 1,
        "attempt {} to boot Host {} follows attempt {}",
        attempt,
        host.id().name(),
        last);
    Invariants.require(
        next.get().bootAttempt() <= PlanSettings.DEFAULTS.reboot().attempts()
            || (!next.get().kind().boots() && isGivenUp(host)),
        "Host {} is asked to boot for the {}th time",
        host.id().name(),
        attempt);
  }

  /** Whether its Node is marked, since its reboot failed: its machine may be verified again. */
  private boolean isGivenUp(Host host) {
    return cluster
        .node(host.id().name())
        .filter(
            node -> node.metadata().annotations().containsKey(NodeAnnotations.REBOOT_FAILED.key()))
        .isPresent();
  }

  /** Whether the operator made the request, and not a test of the machine alone. */
  private static boolean isOfOperator(BootRequest request) {
    return request.operation().startsWith("reboot/");
  }

  /**
   * Whether it is the request that stood before, perhaps written once more at another time, or
   * without the configuration by a version of the operator that does not know that field.
   */
  private static boolean isRepeated(BootRequest request, Host before) {
    return before
        .boot()
        .filter(last -> last.isOf(request.operation()) && last.attempt() == request.attempt())
        .filter(last -> last.from().equals(request.from()) && last.kind() == request.kind())
        .filter(last ->
            request.configuration().isEmpty()
                || request.configuration().equals(last.configuration()))
        .isPresent();
  }

  /**
   * A machine that stops or fails during its power cycle may be booted again for the same attempt.
   */
  private void forgetInterrupted(Host before, Host host) {
    boolean interrupted =
        before.report().boot().cycle().isPresent()
            && host.report().boot().cycle().isEmpty()
            && host.report().phase() != HostPhase.RUNNING;
    if (interrupted) {
      host.boot().map(request -> attempt(host, request)).ifPresent(cycled::remove);
    }
  }

  private static String attempt(Host host, BootRequest request) {
    return "%s %s %d".formatted(host.id().uid(), request.operation(), request.attempt());
  }

  /** A power cycle belongs to a committed reboot that has not ended, and each attempt is one. */
  private void cyclesOnce(Host before, Host host) {
    Optional<BootRequest> asked = host.boot().filter(RebootPath::isOfOperator);
    if (host.report().boot().cycles() <= before.report().boot().cycles() || asked.isEmpty()) {
      return;
    }
    BootRequest request = asked.get();
    Invariants.require(
        committed.contains(request.operation()),
        "Host {} was booted for {}, which was not committed",
        host.id().name(),
        request.operation());
    Invariants.require(
        cycled.add(attempt(host, request)),
        "Host {} was booted twice for attempt {} of {}",
        host.id().name(),
        request.attempt(),
        request.operation());
    cluster
        .node(host.id().name())
        .filter(node -> hasEnded(node, request))
        .ifPresent(node ->
            Invariants.require(
                false,
                "Host {} was booted for {}, which has ended",
                host.id().name(),
                request.operation()));
  }

  private static boolean hasEnded(Node node, BootRequest request) {
    return node.disruption().orElse(null) instanceof Disruption.PassedOver last
        && request.operation().startsWith(operation(node, last.sequence()))
        && !request.at().isAfter(last.at());
  }
}
