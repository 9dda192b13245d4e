package io.nodepool.world.check.truth;

import static io.nodepool.world.check.truth.Untruth.Kind.CAUSE;

import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Whether a Node is disrupted for the causes that a text gives. */
final class Causes {
  private static final String LEFT_OUT = "; it is not rebooted first";

  /** How long after its decision a cordon takes effect at the latest. */
  private static final Duration LATEST_EFFECT = Duration.ofSeconds(30);

  /** When each cause of disruption holds, by its text. */
  private static final Map<String, Predicate<Moment>> HOLDS =
      Map.ofEntries(
          Map.entry("its pool has too many Nodes", Causes::isOverTarget),
          Map.entry("its pool is being deleted", Causes::isPoolEnding),
          Map.entry(
              "it did not register in time", moment -> wasOnce(moment, node -> !node.registered())),
          Map.entry(
              "its machine does not run any more",
              moment ->
                  moment.noMachine(moment.name())
                      || moment.host(moment.name(), host -> !host.is(HostPhase.RUNNING))),
          Map.entry("its pool is gone", moment -> poolOf(moment).isEmpty()),
          Map.entry("it has no machine any more", moment -> moment.noMachine(moment.name())),
          Map.entry(
              "it is preempted, because its fleet reclaims the machine",
              moment -> moment.host(moment.name(), host -> host.reclaim().isPresent())),
          Map.entry("its reboot was requested", Causes::wasRequested),
          Map.entry("its reconfiguration was requested", Causes::wasRequested),
          Map.entry("its verification was requested", Causes::wasRequested),
          Map.entry("its pool rolls out a configuration", Causes::hadPool),
          Map.entry("its machine did not come back from its reboot", Causes::hadBoot));

  private Causes() {}

  /** Checks a list of causes of the Node that a text is about. */
  static void check(String causes, Moment moment) {
    for (String cause : causes.replace(LEFT_OUT, "").split(", and ", -1)) {
      Optional<Predicate<Moment>> known = Optional.ofNullable(HOLDS.get(cause));
      Optional<CandidateRank> rank =
          Stream.of(CandidateRank.values()).filter(each -> each.text().equals(cause)).findFirst();
      moment.require(
          CAUSE, known.isPresent() || rank.isPresent(), "the cause is a registered one", cause);
      known.ifPresent(holds -> moment.require(CAUSE, holds.test(moment), cause));
      rank.ifPresent(each -> moment.require(CAUSE, holds(each, moment), each.text()));
    }
  }

  private static boolean isPoolEnding(Moment moment) {
    return poolOf(moment).filter(pool -> !pool.isTerminating()).isEmpty();
  }

  private static boolean wasRequested(Moment moment) {
    return wasOnce(moment, node -> !node.metadata().label(NodeLabels.PENDING_STATE).isEmpty());
  }

  private static boolean hadBoot(Moment moment) {
    return moment
        .chronicle()
        .host(moment.name())
        .ever(Instant.MIN, host -> host.filter(h -> h.boot().isPresent()).isPresent());
  }

  private static boolean holds(CandidateRank rank, Moment moment) {
    String name = moment.name();
    return switch (rank) {
      case NOT_REGISTERED -> wasOnce(moment, node -> !node.registered());
      case CLIENT_REQUEST -> wasOnce(moment, Node::isRemovalRequested);
      case AUTOSCALER -> wasOnce(moment, node -> node.autoscalerMark().isPresent());
      case UNHEALTHY ->
          wasOnce(moment, node -> !node.ready())
              || moment.host(name, host -> !host.is(HostPhase.RUNNING));
      case CORDONED, IDLE, OUT_OF_SERVICE, AUTOSCALER_CANDIDATE, INTERRUPTIBLE, ACTIVE ->
          isOverTarget(moment);
    };
  }

  /** Whether the Node of this object was such a one at any time. */
  private static boolean wasOnce(Moment moment, Predicate<Node> is) {
    return moment
        .chronicle()
        .node(moment.name())
        .ever(
            Instant.MIN,
            node -> node.filter(n -> n.uid().equals(moment.text().uid())).filter(is).isPresent());
  }

  /** Whether the Node belonged to a pool when its operator decided: it may be gone since. */
  private static boolean hadPool(Moment moment) {
    return moment.chronicle().node(moment.name()).since(moment.since()).stream()
        .flatMap(Optional::stream)
        .anyMatch(node ->
            moment
                .chronicle()
                .pool(node.metadata().label(NodeLabels.NODE_POOL))
                .ever(
                    moment.since(),
                    pool ->
                        pool.filter(each -> each.id().uid().equals(node.poolUid())).isPresent()));
  }

  /** The pool that the Node belongs to, as it was last. */
  private static Optional<Pool> poolOf(Moment moment) {
    Optional<Node> node = moment.chronicle().node(moment.name()).latest();
    return node.flatMap(
            each -> moment.chronicle().pool(each.metadata().label(NodeLabels.NODE_POOL)).latest())
        .filter(pool -> node.filter(each -> each.poolUid().equals(pool.id().uid())).isPresent());
  }

  /** Whether the Node's pool held more machines than its target when the Node was chosen. */
  private static boolean isOverTarget(Moment moment) {
    Instant from = chosen(moment, moment.name());
    return poolOf(moment)
        .map(pool -> moment.held(pool.id().uid(), from).most() > lowestTarget(pool, from, moment))
        .orElse(true);
  }

  /** The lowest target of the pool since. */
  private static int lowestTarget(Pool pool, Instant from, Moment moment) {
    return moment.chronicle().pool(pool.id().name()).since(from).stream()
        .flatMap(Optional::stream)
        .mapToInt(each -> each.spec().target())
        .min()
        .orElse(0);
  }

  /**
   * Since when a Node may have been chosen that was cordoned when the text was decided on or later:
   * the text may be written late, when the Node is uncordoned again.
   */
  static Instant chosen(Moment moment, String name) {
    Track<Optional<Node>> node = moment.chronicle().node(name);
    Predicate<Optional<Node>> cordoned = each -> each.filter(Node::cordoned).isPresent();
    Instant decided =
        node.ever(moment.since(), cordoned)
            ? node.last(cordoned).orElse(moment.since()).minus(LATEST_EFFECT)
            : moment.since();
    return decided.isBefore(moment.since()) ? decided : moment.since();
  }
}
