package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.CAUSE;
import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The texts about Nodes that leave their pool, and about disruptions that fail. */
final class RemovalWordings {
  private RemovalWordings() {}

  private static final String WITHDRAWN = "[ Removals withdrawn so far: {withdrawn#}.]";

  static final List<Wording> CHOSEN =
      Wording.all(
          Wording.disrupted(
              "Removing ",
              ": the NodePool is being deleted." + WITHDRAWN,
              Check.that(
                  CAUSE,
                  (_, moment) -> moment.pool(Pool::isTerminating),
                  "the pool is being deleted")),
          Wording.disrupted("Removing ", ": {why*}." + WITHDRAWN, RemovalWordings::areWhy),
          Wording.disrupted(
              "Removing ", ", each since {why*}." + WITHDRAWN, RemovalWordings::areWhy),
          Wording.disrupted("Removing ", "." + WITHDRAWN, FORM));

  private static final TextForm TARGET = TextForm.of("the target is {target#}");

  static void areWhy(TextForm.Statement read, Moment moment) {
    List<String> whys = List.of(read.word("why").split("; | or since ", -1));
    whys.forEach(why -> isWhy(why, read, moment));
    List<String> names = read.has("names") ? read.names("names") : List.of();
    names.forEach(name ->
        moment.require(
            CAUSE,
            whys.stream().anyMatch(why -> explains(why, name, moment, from(read, name, moment))),
            "it is so for one of these causes",
            name));
  }

  /** One whose removal was withdrawn meanwhile may have been cordoned for something else since. */
  private static Instant from(TextForm.Statement read, String name, Moment moment) {
    return read.has("withdrawn") ? Instant.MIN : lastChosen(name, moment);
  }

  /** Since when the Node may have been chosen that was last one of the pool and cordoned. */
  private static Instant lastChosen(String name, Moment moment) {
    return Causes.lastChosen(
        moment, name, node -> node.cordoned() && node.poolUid().equals(moment.text().uid()));
  }

  /** Whether a cause that a text of a pool gives was one of this Node at any time since. */
  private static boolean explains(String why, String name, Moment moment, Instant from) {
    Optional<TextForm.Statement> target = TARGET.read(why);
    if (target.isPresent()) {
      return wasTooMany(target.get().number("target"), moment, from);
    }
    return why.equals("the pool had more Nodes than its target")
        ? Causes.isOverTarget(new PoolId(moment.text().name(), moment.text().uid()), from, moment)
        : Causes.hold(why, name, moment, from);
  }

  /** The Nodes that a text names, if it names all; one of them has what the text says. */
  private static List<String> all(TextForm.Statement read) {
    boolean complete = read.has("nodes") && read.number("nodes") == read.names("names").size();
    return complete ? read.names("names") : List.of();
  }

  /**
   * A Node leaves for the target of the pool, or another cause; it may not be among those named.
   */
  private static void isWhy(String why, TextForm.Statement read, Moment moment) {
    List<String> names = all(read);
    Optional<TextForm.Statement> target = TARGET.read(why);
    if (target.isPresent()) {
      int nodes = target.get().number("target");
      moment.require(
          COUNT, moment.pool(pool -> pool.spec().target() == nodes), "this is its target");
      moment.require(CAUSE, one(names, why, moment), "it has more Nodes than the target");
    } else if (why.equals("the pool had more Nodes than its target")) {
      moment.require(CAUSE, one(names, why, moment), "it had more Nodes than a target");
    } else {
      Causes.check(why, names, moment);
    }
  }

  /** Whether one of these Nodes was disrupted for this, before it was chosen last or then. */
  private static boolean one(List<String> names, String why, Moment moment) {
    return names.isEmpty()
        || names.stream().anyMatch(name -> explains(why, name, moment, Instant.MIN));
  }

  /** Whether the pool had more machines than this target at any time since. */
  private static boolean wasTooMany(int target, Moment moment, Instant from) {
    return moment.held(moment.text().uid(), from).most() > target;
  }

  static final List<Wording> REQUESTED =
      List.of(
          Wording.ofPool(
              "A client asked for the removal of Node {node}; it goes first when the target falls.",
              requested(Node::isRemovalRequested)),
          Wording.ofPool(
              "The Cluster Autoscaler asked for the removal of Node {node}; it goes first when the target falls.",
              requested(node -> node.autoscalerTaint().isPresent())));

  private static Check requested(Predicate<Node> is) {
    return Check.that(
        STATE, (read, moment) -> moment.node(read.word("node"), is), "its removal is requested");
  }

  /** The pool holds no machine. */
  static final Check EMPTY =
      Check.that(STATE, (_, moment) -> moment.held().has(0), "it holds no machine");

  private static void left(TextForm.Statement read, Moment moment) {
    int left = read.number("left");
    moment.require(COUNT, moment.registered().has(left), "so many Nodes are left");
  }

  static final Wording NOT_REMOVED =
      Wording.counting(
          "nodes",
          "{nodes#Node}[ ({names~nodes})] cannot be removed at present, and it is tried again: {why*}",
          Check.each(
              "names",
              STATE,
              "it is to leave",
              (name, moment) ->
                  moment.noNode(name)
                      || isDisrupted(name, moment, RemovalWordings::mayLeave)
                      || moment.noHost(name, host -> host.power() == Host.Power.ON)));

  static final Wording NOT_REBOOTED =
      Wording.counting(
          "nodes",
          "{nodes#Node}[ ({names~nodes})] cannot be rebooted or verified at present, and it is tried again: {why*}",
          Check.each(
              "names",
              STATE,
              "it is to be rebooted or verified",
              (name, moment) -> isDisrupted(name, moment, RemovalWordings::isToBoot)));

  /** Whether the Node is to leave, or a request to remove it is noted, which comes first. */
  private static boolean mayLeave(Disruption disruption) {
    return disruption instanceof Disruption.Requested
        || disruption.active().filter(Disruption.Active::leaves).isPresent();
  }

  private static boolean isToBoot(Disruption disruption) {
    return disruption.active().filter(active -> !active.leaves()).isPresent();
  }

  /**
   * Whether the Node is disrupted in this way, or was about to be: the request that would record it
   * may be the one that fails.
   */
  private static boolean isDisrupted(String name, Moment moment, Predicate<Disruption> is) {
    return moment.node(name, node -> node.disruption().filter(is).isPresent())
        || moment.chronicle().tried(name).filter(is).isPresent();
  }

  static final List<Wording> MARKED =
      Wording.all(
          Wording.alsoWithoutMachine(
              Wording.ofNode("Node {node} is to leave NodePool {pool}: {why*}.", Causes.WHY)),
          Wording.disrupted("", " marked to be removed.", FORM));

  /** What is said of Pods that were bound after the deadline of the drain. */
  static final String EXCEPT_LATE =
      "[ but {late#Pod} bound after the drain's deadline at {deadline}: {owners~}]";

  private static final Check WITHOUT_PODS =
      Check.that(
              STATE,
              (_, moment) -> moment.work().livePods(moment.name()).has(0),
              "no Pods are left")
          .and(
              Check.that(
                  COUNT,
                  (read, moment) ->
                      !read.has("late")
                          || moment
                              .work()
                              .podsBoundAfter(moment.name(), Instant.parse(read.word("deadline")))
                              .has(read.number("late")),
                  "so many Pods were bound after the deadline"));

  /** The machine of the Node that a text is about is stopped, which means that it has one. */
  static void hasItsMachineStopped(Moment moment) {
    moment.require(
        STATE, moment.host(host -> moment.node(node -> node.isOf(host))), "it has a machine");
  }

  /** The Node has no Pods left, and its machine is stopped. */
  static final Check DRAINED =
      Check.of((_, moment) -> hasItsMachineStopped(moment)).and(WITHOUT_PODS);

  /** The Node has no Pods left, and no machine. */
  static final Check DRAINED_WITHOUT_MACHINE =
      Check.that(STATE, (_, moment) -> moment.noMachine(moment.name()), "it has no machine")
          .and(WITHOUT_PODS);

  /** Each Node that is named was one of the pool, and is none any more. */
  private static final Check GONE =
      Check.each("names", STATE, "the Node is gone", RemovalWordings::wasGone);

  /** Each Node that is named was announced to be taken back. */
  private static final Check RECLAIMED =
      Check.each(
          "names",
          CAUSE,
          "it was preempted",
          (name, moment) -> Wording.heldOnce(name, moment, host -> host.reclaim().isPresent()));

  /** The machine of each Node that is named was told to stop. */
  private static final Check STOPPED =
      Check.each(
          "names",
          STATE,
          "its machine is told to stop",
          (name, moment) ->
              wasGone(name, moment)
                  || Wording.heldOnce(name, moment, host -> host.power() == Host.Power.OFF));

  static final List<Wording> PREPARED =
      Wording.all(
          Wording.alsoWithoutMachine(
              Wording.ofNode(
                  "Node {node} has nothing left to be evicted%s; its machine is stopped."
                      .formatted(EXCEPT_LATE),
                  DRAINED),
              Wording.ofNode(
                  "Node {node} has nothing left to be evicted%s; it has no machine, and is deleted."
                      .formatted(EXCEPT_LATE),
                  DRAINED_WITHOUT_MACHINE)),
          Wording.disrupted("", " prepared for termination.", STOPPED),
          Wording.disrupted(
              "", " prepared for termination because of preemption.", STOPPED.and(RECLAIMED)));

  private static boolean wasGone(String name, Moment moment) {
    String pool = moment.text().uid();
    return moment.chronicle().node(name).ceased(each -> each.poolUid().equals(pool));
  }

  static final List<Wording> REMOVED =
      Wording.all(
          Wording.disrupted("", " removed; {left#} left.", GONE.and(RemovalWordings::left)),
          Wording.disrupted(
              "",
              " removed because of preemption; {left#} left.",
              GONE.and(RECLAIMED).and(RemovalWordings::left)),
          List.of(Wording.ofPool("All Nodes are removed.", EMPTY)));

  static final List<Wording> DELETED =
      Wording.all(
          Wording.disrupted("Deleted ", "; {left#} left.", GONE.and(RemovalWordings::left)),
          Wording.disrupted(
              "Deleted ",
              " because of preemption; {left#} left.",
              GONE.and(RECLAIMED).and(RemovalWordings::left)),
          Wording.disrupted(
              "",
              " gone that the pool did not remove: deleted by others, or without their machines; {left#} left.",
              Check.of(RemovalWordings::left).and(RemovalWordings::wereNotReclaimed)));

  /** No Node that is named is one that its fleet took back, unless it lost its machine before. */
  private static void wereNotReclaimed(TextForm.Statement read, Moment moment) {
    List<String> names = read.names("names");
    moment.require(
        CAUSE,
        names.stream()
            .noneMatch(name -> wasUnderNotice(name, moment) && !lostItsMachine(name, moment)),
        "others deleted it",
        "it was preempted");
  }

  /**
   * Whether its machine was to be taken back when the Node went, and was stopped for that: a notice
   * may be withdrawn, and others may delete the Node of a machine that runs. A Node that joins in
   * its place and goes before it registers is not counted.
   */
  private static boolean wasUnderNotice(String name, Moment moment) {
    String pool = moment.text().uid();
    Instant gone =
        moment
            .chronicle()
            .node(name)
            .lastWasNot(node -> node.poolUid().equals(pool) && node.registered())
            .filter(at -> at.isBefore(moment.since()))
            .orElse(moment.since());
    List<Host> held =
        moment.chronicle().host(name).all(gone).filter(host -> host.isHeldBy(pool)).toList();
    return !held.isEmpty()
        && held.stream()
            .allMatch(host -> host.reclaim().isPresent() && host.power() == Host.Power.OFF);
  }

  /** Whether the Node existed when the pool held its machine no longer. */
  private static boolean lostItsMachine(String name, Moment moment) {
    String pool = moment.text().uid();
    return moment
        .chronicle()
        .host(name)
        .lastWasNot(host -> host.isHeldBy(pool))
        .map(at -> moment.chronicle().node(name).at(at))
        .filter(node -> node.filter(each -> each.poolUid().equals(pool)).isPresent())
        .isPresent();
  }
}
