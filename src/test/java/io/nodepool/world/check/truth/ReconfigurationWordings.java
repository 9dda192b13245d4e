package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.world.check.text.Range;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The texts about which Nodes of a pool have booted its active configuration. */
final class ReconfigurationWordings {
  private ReconfigurationWordings() {}

  /** The texts of this reason. */
  static List<Wording> of(NodeReconfigurationReason reason) {
    return switch (reason) {
      case STAGED_NODE_CONFIG -> OUTDATED;
      case ALL_NODES_UP_TO_DATE -> UP_TO_DATE;
      case INTERNAL_ERROR -> NOT_STAGED;
    };
  }

  private static final List<Wording> OUTDATED =
      List.of(
          Wording.ofPool(
              "1 node is not booted into {configuration}: {name}.[ {rest*}]",
              (read, moment) -> outdated(List.of(read.word("name")), read, moment)),
          Wording.ofPool(
              "{nodes#} nodes are not booted into {configuration}: {names~nodes}.[ {rest*}]",
              (read, moment) -> outdated(read.names("names"), read, moment)));

  private static void outdated(List<String> names, TextForm.Statement read, Moment moment) {
    for (String name : names) {
      moment.require(
          STATE,
          moment.host(name, host -> !hasBooted(host, read.word("configuration"))),
          "the machine has not booted it",
          name);
    }
    RolloutProgress.check(read, moment);
  }

  private static final List<Wording> UP_TO_DATE =
      List.of(
          Wording.ofPool(
              "All nodes are on the current configuration.[ {rest*}]",
              Check.that(
                      STATE,
                      (_, moment) -> areOutdated(0, moment),
                      "every machine has booted the active configuration")
                  .and(RolloutProgress::check)));

  /** Whether no more machines than this have booted another configuration than the active one. */
  private static boolean areOutdated(int most, Moment moment) {
    return moment.pool(pool -> outdated(pool.status().nodeProfile(), moment).least() <= most);
  }

  private static final List<Wording> NOT_STAGED =
      List.of(
          Wording.ofPool(
              "Staging failed on {nodes#node}: {why*}", PoolConditionWordings::holdsSoMany),
          Wording.ofPool(
              "The fleet does not offer {configuration}, which is active, so no node is reconfigured.[ {rest*}]",
              ConfigurationWordings.NOT_OFFERED.and(RolloutProgress::check)),
          Wording.ofPool(
              "It is not known whether 1 node is up to date: it cannot be read.[ {rest*}]",
              (read, moment) -> unread(1, read, moment)),
          Wording.ofPool(
              "It is not known whether {nodes#} nodes are up to date: they cannot be read.[ {rest*}]",
              (read, moment) -> unread(read.number("nodes"), read, moment)));

  /** So many cannot be read, and all others are up to date. */
  private static void unread(int nodes, TextForm.Statement read, Moment moment) {
    moment.require(
        COUNT, nodes <= moment.unreadable(), "so many cannot be read", moment.unreadable());
    moment.require(
        STATE,
        areOutdated(nodes, moment),
        "every other machine has booted the active configuration");
    RolloutProgress.check(read, moment);
  }

  static boolean hasBooted(Host host, String profile) {
    return host.report().bootedConfiguration().equals(profile);
  }

  /** How many machines whose Nodes do not leave have booted another configuration. */
  static Range outdated(String profile, Moment moment) {
    return standing(moment, host -> !hasBooted(host, profile));
  }

  /** How many such machines the pool holds with a Node that is registered and does not leave. */
  static Range standing(Moment moment, Predicate<Host> is) {
    return moment.machines(
        (host, node) -> isStanding(host, node, moment) && is.test(host),
        (host, node) -> isRegistered(host, node, moment) && is.test(host));
  }

  /** Whether the Node is registered, and nothing can be the matter with it. */
  static boolean isStanding(Host host, Optional<Node> node, Moment moment) {
    return isRegistered(host, node, moment)
        && host.is(HostPhase.RUNNING)
        && host.power() == Host.Power.ON
        && host.reclaim().isEmpty()
        && node.flatMap(Node::disruption)
            .flatMap(Disruption::active)
            .filter(Disruption.Active::leaves)
            .isEmpty();
  }

  static boolean isRegistered(Host host, Optional<Node> node, Moment moment) {
    return host.serves(moment.text().uid()) && node.filter(Node::registered).isPresent();
  }
}
