package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.NAMES;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.check.text.Range;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * Which Nodes of a pool are not Ready, not in service or in disruption, by what kubelets and fleet
 * report and the records on the Nodes say; compared with what the status of the pool says.
 */
public final class NodeStates {
  private NodeStates() {}

  /** The first Node that the status of a pool at rest gets wrong; empty if it is right. */
  public static Optional<String> complaint(WorldCluster cluster, Pool pool) {
    for (ReportedState state : ReportedState.values()) {
      TreeMap<String, Instant> are = new TreeMap<>();
      cluster
          .hosts()
          .forEach((name, host) ->
              since(state, pool.id().uid(), host, cluster.node(name).filter(n -> n.isOf(host)))
                  .ifPresent(since -> are.put(name, since)));
      Optional<NodesInState> said = Optional.ofNullable(pool.status().counts().states().get(state));
      boolean isRight = said.map(each -> isRight(each, are)).orElse(are.isEmpty());
      if (!isRight) {
        return Optional.of("%s reports %s as %s: %s".formatted(pool.id(), state, said, are));
      }
    }
    return Optional.empty();
  }

  private static boolean isRight(NodesInState said, Map<String, Instant> are) {
    Optional<Instant> first =
        are.values().stream().min(Instant::compareTo).map(NodeStates::seconds);
    Instant last = said.names().stream().map(are::get).max(Instant::compareTo).orElse(Instant.MAX);
    return said.count() == are.size()
        && first.filter(said.since()::equals).isPresent()
        && isNamed(said)
        && are.keySet().containsAll(said.names())
        && are.entrySet().stream()
            .filter(each -> !said.names().contains(each.getKey()))
            .noneMatch(each -> each.getValue().isBefore(last));
  }

  private static boolean isNamed(NodesInState said) {
    return said.names().size() == Math.min(said.count(), 5)
        && new HashSet<>(said.names()).size() == said.names().size();
  }

  private static Instant seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS);
  }

  /** Since when the Node of a machine of this pool is in this state; empty if it is not. */
  private static Optional<Instant> since(
      ReportedState state, String poolUid, Host host, Optional<Node> node) {
    if (!host.serves(poolUid)) {
      return Optional.empty();
    }
    Optional<Node> serves =
        node.filter(Node::registered).filter(_ -> host.power() == Host.Power.ON);
    return switch (state) {
      case NOT_READY -> serves.flatMap(each -> each.status().notReadySince());
      case NOT_IN_SERVICE ->
          serves.filter(_ -> !host.is(HostPhase.RUNNING)).map(_ -> host.report().since());
      case ALERTING ->
          serves.flatMap(each ->
              each.alerts().published().values().stream()
                  .map(NodeStatus.Entry::since)
                  .min(Instant::compareTo));
      case IN_DISRUPTION ->
          node.flatMap(Node::disruption)
              .flatMap(Disruption::active)
              .flatMap(active ->
                  active.causes().stream().map(Disruption.Cause::at).min(Instant::compareTo));
    };
  }

  /** What a status that is published says of this state. */
  static void check(ReportedState state, Optional<NodesInState> said, Moment moment) {
    String uid = moment.text().uid();
    BiPredicate<Host, Optional<Node>> is =
        (host, node) -> since(state, uid, host, node).isPresent();
    Range range = moment.machines(is, is).butFor(moment.unreadable());
    moment.require(
        COUNT, range.has(said.map(NodesInState::count).orElse(0)), "so many Nodes are", range);
    said.ifPresent(nodes -> {
      moment.require(NAMES, isNamed(nodes), "the number is that of the names");
      List<String> wrong =
          nodes.names().stream().filter(name -> !wasEver(moment, name, is)).toList();
      moment.require(STATE, wrong.isEmpty(), "each that is named is", wrong);
      moment.require(
          STATE,
          nodes.names().stream()
              .anyMatch(name ->
                  wasEver(
                      moment,
                      name,
                      (host, node) ->
                          since(state, uid, host, node)
                              .map(NodeStates::seconds)
                              .filter(nodes.since()::equals)
                              .isPresent())),
          "one that is named is since then");
    });
  }

  private static boolean wasEver(
      Moment moment, String name, BiPredicate<Host, Optional<Node>> what) {
    return moment.host(
        name,
        host ->
            moment.chronicle().node(name).since(moment.since()).stream()
                .anyMatch(node -> what.test(host, node.filter(n -> n.isOf(host)))));
  }
}
