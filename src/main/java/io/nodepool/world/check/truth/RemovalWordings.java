package io.nodepool.world.check.truth;

import static io.nodepool.world.check.truth.Wording.Check.FORM;
import static io.nodepool.world.check.untruth.Untruth.Kind.CAUSE;
import static io.nodepool.world.check.untruth.Untruth.Kind.COUNT;
import static io.nodepool.world.check.untruth.Untruth.Kind.STATE;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.check.chronicle.Track;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The texts about Nodes that are cordoned, leave their pool, or are preempted. */
final class RemovalWordings {
  private RemovalWordings() {}

  static final List<Wording> CHOSEN =
      List.of(
          Wording.counting(
              "nodes",
              "Removing {nodes#Node}[ ({names~nodes})]: the NodePool is being deleted.",
              (_, moment) ->
                  moment.require(
                      CAUSE, moment.pool(Pool::isTerminating), "the pool is being deleted")),
          Wording.counting(
              "nodes",
              "Removing {nodes#Node}[ ({names~nodes})]: {why*}.",
              (read, moment) ->
                  Stream.of(read.word("why").split("; ", -1))
                      .forEach(why -> isWhy(why, read, moment))));

  private static final TextForm TARGET = TextForm.of("the target is {target#}");

  /**
   * A Node leaves for the target of the pool, or another cause; it may not be among those named.
   */
  private static void isWhy(String why, TextForm.Statement read, Moment moment) {
    List<String> all =
        read.number("nodes") == read.names("names").size() ? read.names("names") : List.of();
    Optional<TextForm.Statement> target = TARGET.read(why);
    if (target.isEmpty()) {
      Causes.check(why, all, moment);
      return;
    }
    int nodes = target.get().number("target");
    moment.require(COUNT, moment.pool(pool -> pool.spec().target() == nodes), "this is its target");
    List<String> names = read.names("names");
    moment.require(
        CAUSE,
        names.isEmpty() || names.stream().anyMatch(name -> wasTooMany(name, nodes, moment)),
        "it has more Nodes than the target" + circumstance(names, nodes, moment));
  }

  /** Why one of these Nodes leaves though the pool does not have more than the target now. */
  private static String circumstance(List<String> names, int target, Moment moment) {
    if (names.stream().anyMatch(name -> wasLower(name, target, moment))) {
      return ", which rose";
    }
    return names.stream()
            .anyMatch(name ->
                wasReclaimed(name, moment)
                    || lostItsMachine(name, moment)
                    || wasGone(name, moment)
                    || moment.node(name, node -> !node.registered()))
        ? ", or one is preempted, gone or not registered"
        : "";
  }

  /** Whether the pool had more machines than this target since the Node was cordoned. */
  private static boolean wasTooMany(String name, int target, Moment moment) {
    return moment.held(moment.text().uid(), Causes.lastChosen(moment, name)).most() > target;
  }

  /** Whether the pool had a lower target since the Node was cordoned, and more machines than it. */
  private static boolean wasLower(String name, int target, Moment moment) {
    Instant from = Causes.lastChosen(moment, name);
    int held = moment.held(moment.text().uid(), from).most();
    return moment
        .chronicle()
        .pool(moment.name())
        .ever(
            from,
            pool ->
                pool.map(p -> p.spec().target())
                    .filter(lower -> lower < target && lower < held)
                    .isPresent());
  }

  static final List<Wording> REQUESTED =
      List.of(
          Wording.ofPool(
              "A client asked for the removal of Node {node}; it goes first when the target falls.",
              requested(Node::isRemovalRequested)),
          Wording.ofPool(
              "The Cluster Autoscaler asked for the removal of Node {node}; it goes first when the target falls.",
              requested(node -> node.autoscalerTaint().isPresent())));

  private static Wording.Check requested(Predicate<Node> is) {
    return (read, moment) ->
        moment.require(STATE, moment.node(read.word("node"), is), "its removal is requested");
  }

  static final List<Wording> REMOVED =
      List.of(
          Wording.counting("nodes", "{nodes#Node} removed; {left#} left.", RemovalWordings::left),
          Wording.ofPool(
              "All Nodes are removed.",
              (_, moment) -> moment.require(STATE, moment.held().has(0), "it holds no machine")));

  private static void left(TextForm.Statement read, Moment moment) {
    int left = read.number("left");
    moment.require(COUNT, moment.registered().has(left), "so many Nodes are left");
  }

  static final List<Wording> NOT_REMOVED =
      List.of(
          Wording.counting(
              "nodes",
              "{nodes#Node}[ ({names~nodes})] cannot be removed at present, and it is tried again: {why*}",
              FORM));

  static final List<Wording> CORDONED =
      List.of(
          Wording.ofNode(
              "Node {node} is cordoned: it is to leave NodePool {pool}.",
              (_, moment) -> isCordonedNow(moment)),
          Wording.ofNode(
              "Node {node} is cordoned: it is preempted.",
              (_, moment) -> {
                isCordonedNow(moment);
                isReclaimed(moment);
              }),
          Wording.ofNode(
              "Node {node} is cordoned: {why*}.",
              (read, moment) -> {
                isCordonedNow(moment);
                Causes.check(read.word("why"), moment);
              }),
          Wording.counting(
              "nodes",
              "{nodes#Node}[ ({names~nodes})] cordoned to be removed.",
              Wording.Check.each(
                  "names",
                  STATE,
                  "the Node was cordoned",
                  (name, moment) -> Wording.once(name, moment, Node::cordoned))));

  private static void isCordonedNow(Moment moment) {
    moment.require(
        STATE, moment.node(moment.name(), node -> !node.cordoned()), "it is cordoned just now");
  }

  static final List<Wording> UNCORDONED =
      List.of(
          Wording.ofNode(
              "Node {node} is uncordoned and stays in NodePool {pool}: {why*}.",
              (read, moment) -> {
                isUncordonedNow(moment);
                Causes.stays(read.word("why"), read.word("pool"), moment);
              }),
          Wording.ofNode(
              "Node {node} is uncordoned and is back in production.",
              (_, moment) -> isUncordonedNow(moment)),
          Wording.counting(
              "nodes",
              "{nodes#Node}[ ({names~nodes})] uncordoned: no longer to be removed.",
              FORM));

  private static void isUncordonedNow(Moment moment) {
    moment.require(STATE, moment.node(moment.name(), Node::cordoned), "it is uncordoned just now");
  }

  static final List<Wording> MARKED =
      List.of(
          Wording.ofNode(
              "Node {node} is to leave NodePool {pool}: {why*}.",
              (read, moment) -> Causes.check(read.word("why"), moment)),
          Wording.counting("nodes", "{nodes#Node}[ ({names~nodes})] marked to be removed.", FORM));

  /** The Node has no Pods left, and its machine is stopped. */
  static final Wording.Check DRAINED =
      (_, moment) -> {
        hasItsMachineStopped(moment);
        hasNoPods(moment);
      };

  /** The Node has no Pods left, and no machine. */
  static final Wording.Check DRAINED_WITHOUT_MACHINE =
      (_, moment) -> {
        moment.require(STATE, moment.noMachine(moment.name()), "it has no machine");
        hasNoPods(moment);
      };

  private static void hasNoPods(Moment moment) {
    moment.require(STATE, moment.livePods(moment.name(), 0), "no Pods are left");
  }

  static final List<Wording> PREPARED =
      List.of(
          Wording.ofNode(
              "Node {node} has nothing left to be evicted; its machine is stopped.", DRAINED),
          Wording.ofNode(
              "Node {node} has nothing left to be evicted; it has no machine, and is deleted.",
              DRAINED_WITHOUT_MACHINE),
          Wording.counting(
              "nodes",
              "{nodes#Node}[ ({names~nodes})] prepared and gone.",
              RemovalWordings::areGone));

  /** The machine of the Node that a text is about is stopped, which means that it has one. */
  static void hasItsMachineStopped(Moment moment) {
    Track<Optional<Host>> machine = moment.chronicle().host(moment.name());
    Predicate<Host> own = host -> moment.node(moment.name(), node -> node.isOf(host));
    moment.require(
        STATE,
        machine.ever(moment.since(), host -> host.filter(own).isPresent()),
        "it has a machine");
  }

  private static void areGone(TextForm.Statement read, Moment moment) {
    read.names("names")
        .forEach(name ->
            moment.require(
                STATE,
                wasGone(name, moment),
                lostItsMachine(name, moment)
                    ? "the Node is gone that has no machine of the pool"
                    : "the Node is gone",
                name));
  }

  /** Whether the pool holds the machine of this name no longer. */
  private static boolean lostItsMachine(String name, Moment moment) {
    return moment.noHost(name, host -> host.isHeldBy(moment.text().uid()));
  }

  private static boolean wasGone(String name, Moment moment) {
    String pool = moment.text().uid();
    return moment
        .chronicle()
        .node(name)
        .ended(node -> node.filter(each -> each.poolUid().equals(pool)).isPresent());
  }

  static final List<Wording> DELETED =
      List.of(
          Wording.counting(
              "nodes",
              "Deleted {nodes#Node}[ ({names~nodes})]; {left#} left.",
              (read, moment) -> {
                areGone(read, moment);
                left(read, moment);
              }),
          Wording.counting(
              "nodes",
              "{nodes#Node}[ ({names~nodes})] gone that the pool did not remove: preempted, or deleted by others; {left#} left.",
              (read, moment) -> {
                left(read, moment);
                List<String> names = read.names("names");
                moment.require(
                    CAUSE,
                    names.isEmpty() || names.stream().noneMatch(name -> wasReclaimed(name, moment)),
                    "others deleted it",
                    "it was preempted");
              }));

  private static boolean wasReclaimed(String name, Moment moment) {
    return Wording.heldOnce(name, moment, host -> host.reclaim().isPresent());
  }

  private static void isReclaimed(Moment moment) {
    moment.require(
        STATE,
        moment.host(moment.name(), host -> host.reclaim().isPresent()),
        "its machine is reclaimed");
  }
}
