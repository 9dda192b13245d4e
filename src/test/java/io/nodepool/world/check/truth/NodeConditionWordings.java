package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.ConditionChange;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.condition.AlertCondition;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.truth.Wording.Check;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The texts that the operator may write on each condition of a Node, each with its check. */
final class NodeConditionWordings {
  private NodeConditionWordings() {}

  /** The texts of a condition with this status; none for one that the operator does not set. */
  static List<Wording> of(NodeCondition type, String status) {
    boolean is = status.equals("True");
    return switch (type) {
      case ACTIVE -> is ? ACTIVE : IDLE;
      case REGISTERED -> is ? REGISTERED : NOT_REGISTERED;
      case NODE_REMOVAL ->
          is
              ? Stream.of(NodeRemovalReason.values()).flatMap(each -> of(each).stream()).toList()
              : STAYS;
      case PHASE_STATE -> PHASE;
      case PENDING_PHASE_STATE -> is ? PENDING : RebootWordings.REFUSED;
      case IMMEDIATE_REBOOT -> is ? REBOOTING : NOT_REBOOTING;
      case KERNEL_DEADLOCK -> List.of();
    };
  }

  /** The texts of a condition that says this. */
  static List<Wording> of(ConditionChange.Set set) {
    return switch (set.type()) {
      case AlertCondition _ -> HealthWordings.STANDS;
      case NodeCondition type when type == NodeCondition.NODE_REMOVAL && set.status() ->
          Word.of(NodeRemovalReason.class, set.reason())
              .map(NodeConditionWordings::of)
              .orElse(List.of());
      case NodeCondition type -> of(type, set.status() ? "True" : "False");
    };
  }

  /** The texts of CWNodeRemoval with this reason. */
  static List<Wording> of(NodeRemovalReason reason) {
    return switch (reason) {
      case MARKED -> MARKED;
      case TERMINATING -> TERMINATING;
      case DRAINING -> DRAINING;
      case BLOCKED_BY_BUDGET -> List.of(DrainWordings.OF_BUDGETS);
      case DETACHING -> DETACHING;
      case VERIFYING -> VERIFYING;
      case PRESERVED -> PRESERVED;
      case AWAITING_FINALIZERS -> AWAITING_FINALIZERS;
      case FORCED -> List.of(DrainWordings.BY_FORCE);
    };
  }

  private static final Wording LOCKED =
      Wording.ofNode(
          "SUNK holds the Node: taint {taint}.", Check.node(Node::locked, "it has the taint"));

  private static final List<Wording> ACTIVE =
      List.of(
          Wording.ofNode(
              "{pods#Pod} of tenant workloads: {owners~}.[ SUNK holds the Node: taint {taint}.]",
              Check.that(STATE, (_, moment) -> moment.busy(moment.name()), "it has tenant work")
                  .and(hasPods(_ -> true))),
          LOCKED);

  /** At least as many Pods of this kind were on the Node as the text says. */
  private static Check hasPods(Predicate<Pod> is) {
    return Check.that(
        COUNT,
        (read, moment) ->
            moment
                .chronicle()
                .pods(moment.name())
                .ever(
                    moment.since(),
                    pods -> pods.stream().filter(is).count() >= read.number("pods")),
        "so many Pods are on it");
  }

  private static final Check IS_IDLE =
      Check.that(STATE, (_, moment) -> moment.idle(moment.name()), "the Node is idle");

  private static final List<Wording> IDLE =
      List.of(
          Wording.ofNode("No tenant workloads.", IS_IDLE),
          Wording.ofNode(
              "No tenant workloads but {pods#interruptible Pod}[ and the Slurm daemon of {owners~}].",
              IS_IDLE.and(hasPods(NodeConditionWordings::isInterruptible))),
          Wording.ofNode("No tenant workloads but the Slurm daemon of {owners~}.", IS_IDLE));

  private static boolean isInterruptible(Pod pod) {
    return pod.interruption() == Pod.Interruption.AT_ONCE
        || pod.interruption() == Pod.Interruption.GRACEFUL;
  }

  private static final List<Wording> STAYS = List.of(Wording.ofNode("The Node stays.", FORM));

  private static final List<Wording> REGISTERED =
      List.of(
          Wording.ofNode(
              "Node has joined the cluster.", Check.node(Node::ready, "the Node is Ready")));

  private static final List<Wording> NOT_REGISTERED =
      List.of(
          Wording.ofNode(
              "The Node is not Ready since {at}.",
              Check.node(node -> !node.ready() && !node.registered(), "the Node is not Ready")),
          Wording.ofNode(
              "The Node did not register in time; its machine is given back.",
              Check.node(node -> !node.registered(), "the Node is not registered")));

  private static final List<Wording> MARKED =
      List.of(
          Wording.ofNode(
              "Chosen to leave NodePool {pool}: {why*}. It stays if {kept*}.",
              (read, moment) -> {
                Causes.check(read.word("why"), moment);
                Causes.keeps(read.word("kept"), moment);
              }),
          Wording.ofNode(
              "Chosen to leave NodePool {pool}: {why*}.",
              (read, moment) -> Causes.check(read.word("why"), moment)));

  private static final String NONE_LEFT =
      "No Pods are left to be evicted" + RemovalWordings.EXCEPT_LATE;

  private static final List<Wording> TERMINATING =
      List.of(
          Wording.ofNode(
              NONE_LEFT + "; it has no machine, and is deleted.",
              RemovalWordings.DRAINED_WITHOUT_MACHINE),
          Wording.ofNode(NONE_LEFT + "; its machine is stopped.", RemovalWordings.DRAINED),
          Wording.ofNode(
              NONE_LEFT + "; its machine is kept for inspection.",
              (read, moment) -> {
                RemovalWordings.DRAINED.check(read, moment);
                moment.require(STATE, keepsMachines(moment), "its pool keeps such machines");
              }),
          Wording.ofNode(
              "Its machine is stopped, with {pods#Pod} left: {owners~}.",
              (read, moment) -> {
                RemovalWordings.hasItsMachineStopped(moment);
                DrainWordings.left(read, moment);
              }));

  private static boolean keepsMachines(Moment moment) {
    return moment.node(node ->
        Causes.is(
            node.metadata().label(NodeLabels.NODE_POOL),
            moment,
            pool -> pool.spec().repair().isPreserving()));
  }

  private static final List<Wording> DRAINING =
      List.of(
          Wording.ofNode(
              "{pods#Pod} left: {owners~}. What is left at {at} is deleted.[ Its machine stops at {stop}.][ It fails at present: {failure*}.]",
              DrainWordings::left),
          Wording.ofNode(
              "{pods#Pod} left: {owners~}. What is left at {at} ends with its machine.[ It fails at present: {failure*}.]",
              DrainWordings::left));

  private static final List<Wording> PRESERVED =
      List.of(
          Wording.ofNode(
              "Kept for inspection until {at}, since its machine has the alert {alert}. It ends sooner if the annotation nodepool.io/preserve of the NodePool is removed.",
              Check.host(host -> host.preserved().isPresent(), "its machine is kept")));

  private static final List<Wording> DETACHING =
      List.of(
          Wording.ofNode(
              "All Pods are gone; 1 volume is still attached. Waited for until {at}.",
              (_, moment) -> hasVolumes(1, moment)),
          Wording.ofNode(
              "All Pods are gone; {volumes#} volumes are still attached. Waited for until {at}.",
              (read, moment) -> hasVolumes(read.number("volumes"), moment)));

  private static void hasVolumes(int volumes, Moment moment) {
    moment.require(
        COUNT,
        moment.node(node -> node.status().volumes() == volumes),
        "so many volumes are attached");
  }

  private static final List<Wording> VERIFYING =
      List.of(
          Wording.ofNode(
              "All Pods are gone; its machine is verified, until {at} at most, since its alert {alert} is held.",
              IS_IDLE.and(
                  Check.host(
                      host -> host.boot().filter(boot -> !boot.kind().boots()).isPresent(),
                      "its machine is verified"))));

  private static final List<Wording> AWAITING_FINALIZERS =
      List.of(
          Wording.ofNode(
              "The deletion was accepted; finalizers keep the Node[: {finalizers~}].",
              Check.node(Node::deleting, "it is being deleted")));

  private static final List<Wording> PHASE =
      List.of(
          Wording.ofNode(
              "Node is in phase {phase*}",
              Check.that(
                  STATE,
                  (read, moment) ->
                      read.word("phase").isEmpty()
                          || moment.node(node -> isInState(node, read.word("phase"))),
                  "this is its state")));

  private static final List<Wording> PENDING =
      List.of(
          Wording.ofNode(
              "The request was taken back after it was committed; it goes on.",
              Check.that(
                  STATE,
                  (_, moment) ->
                      moment.node().was(committedSince(moment), node -> !isRequested(node)),
                  "it was taken back after it was committed")),
          Wording.ofNode(
              "Requested, and not ended yet.",
              Check.node(NodeConditionWordings::isRequested, "it is requested")),
          Wording.ofNode(
              "An alert asks for it, and it has not ended yet.",
              (_, moment) -> Causes.check("its machine is to be repaired by a boot", moment)),
          Wording.ofNode(
              "{text*}",
              (read, moment) ->
                  moment.require(
                      OBJECT, isOfClient(read.word("text"), moment), "a client wrote this text")));

  /** Since when the disruption of the Node is committed: it may be requested anew since. */
  private static Instant committedSince(Moment moment) {
    Instant committed = moment.node().lastWas(Node::isCommitted).orElse(moment.since());
    return committed.isBefore(moment.since()) ? committed : moment.since();
  }

  private static boolean isRequested(Node node) {
    return !node.metadata().label(NodeLabels.PENDING_STATE).isEmpty();
  }

  /** Whether a Node is in this state by its label. */
  static boolean isInState(Node node, String state) {
    return node.metadata().label(NodeLabels.STATE).equals(state);
  }

  /** Whether the condition had this text before it was written now. */
  private static boolean isOfClient(String text, Moment moment) {
    return moment.chronicle().node(moment.name()).since(Instant.MIN).stream()
        .skip(1)
        .flatMap(Optional::stream)
        .flatMap(node -> node.status().lifecycle().pending().stream())
        .anyMatch(pending -> pending.message().equals(text));
  }

  private static final List<Wording> REBOOTING =
      List.of(
          Wording.ofNode(
              "A power cycle of the machine runs.",
              Check.host(host -> host.boot().isPresent(), "a power cycle was requested")));

  private static final List<Wording> NOT_REBOOTING =
      List.of(
          Wording.ofNode(
              "No power cycle runs.",
              Check.that(
                  STATE,
                  (_, moment) ->
                      moment.noMachine(moment.name())
                          || !moment.host(Host::isRebooting)
                          || moment.host(host -> !host.isRebooting()),
                  "no power cycle is under way")));
}
