package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reservation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.text.Untruth;
import io.nodepool.world.check.truth.Wording.Check;
import java.util.List;
import java.util.stream.Stream;

/** The texts about a pool, the growth of it, and what its Nodes carry. */
final class PoolWordings {
  private PoolWordings() {}

  static final Wording CREATED =
      Wording.ofPool("NodePool {pool} is created.", Check.pool(_ -> true, "the pool exists"));

  static final Wording DELETED =
      Wording.ofPool(
          "NodePool {pool} is deleted.",
          Check.pool(Pool::isTerminating, "its deletion was requested").and(RemovalWordings.EMPTY));

  static final Wording REQUESTED =
      Wording.counting(
          "nodes",
          "Requested {nodes#Node} of type {type}, to reach {target#}.",
          (read, moment) -> {
            moment.require(
                OBJECT,
                moment.pool(pool -> pool.spec().instanceType().equals(read.word("type"))),
                "the type is that of the pool");
            moment.require(
                COUNT,
                moment.pool(pool -> pool.spec().target() >= read.number("target"))
                    && read.number("nodes") <= read.number("target"),
                "the pool's target is that high");
          });

  /** No constant: the class of the texts that it shares needs this class to be initialized. */
  static List<Wording> requestFailed() {
    return List.of(
        failedRequest("take back"),
        failedRequest("repair a component of"),
        Wording.ofPool("Requests to assign Hosts keep failing, and are retried: {why*}", FORM),
        PoolConditionWordings.REFUSED_ASSIGNMENTS,
        PoolConditionWordings.MISSING_HOSTS,
        PoolConditionWordings.REFUSED_NODES);
  }

  private static Wording failedRequest(String what) {
    return Wording.ofPool(
        "The request to " + what + " Host {host} failed {times#time}: {why*}.",
        Check.that(
            OBJECT,
            (read, moment) -> moment.host(read.word("host"), _ -> true),
            "the Host exists"));
  }

  static final Wording STATUS_REFUSED =
      Wording.ofPool(
          "The API server refuses the status of the NodePool[; it is published without the message of {conditions~}]: {why*}",
          FORM);

  static final List<Wording> ASSIGNED =
      Wording.disrupted(
          "",
          " assigned.",
          Check.each(
              "names",
              STATE,
              "the pool held the machine",
              (name, moment) -> Wording.heldOnce(name, moment, _ -> true)));

  static final Wording NOT_DELIVERED =
      Wording.counting(
          "hosts",
          "{hosts#Host} given back, others are taken: {names~hosts} ({why*}).",
          Wording.OWN.and(
              Check.each(
                  "names",
                  STATE,
                  "its Node did not register, or its machine stopped",
                  PoolWordings::isNotDelivered)));

  private static boolean isNotDelivered(String name, Moment moment) {
    return moment.noNode(name)
        || moment.node(name, node -> !node.registered() || !node.ready())
        || moment.host(name, host -> !host.is(HostPhase.RUNNING));
  }

  static final List<Wording> REGISTERED =
      Wording.all(
          List.of(
              Wording.ofNode(
                  "Node {node} is registered in NodePool {pool}.",
                  Check.node(Node::registered, "the Node is registered"))),
          Wording.disrupted(
              "",
              " registered.",
              Check.each(
                  "names",
                  STATE,
                  "the Node was registered",
                  (name, moment) -> Wording.once(name, moment, Node::registered))));

  static final List<Wording> NOT_REGISTERED =
      List.of(
          Wording.ofNode(
              "Machine {node} of NodePool {pool} is given back: {why*}.",
              Check.that(
                  STATE,
                  (read, moment) -> isAsReported(read.word("why"), moment),
                  "the machine is as it says")),
          Wording.ofNode(
              "Node {node} could not be registered, {times#time}: {why*}. It is retried.",
              Check.node(node -> !node.registered(), "the Node is not registered")));

  private static boolean isAsReported(String why, Moment moment) {
    if (why.equals("its fleet says that it failed")) {
      return moment.host(host -> host.is(HostPhase.FAILED));
    }
    if (why.startsWith("it came up and did not register within ")) {
      return moment.host(host -> host.is(HostPhase.RUNNING))
          && (moment.noNode(moment.name()) || moment.node(node -> !node.registered()));
    }
    boolean stopped = why.startsWith("it stopped by itself and did not come back within ");
    return (stopped || why.startsWith("it did not come up within "))
        && moment.host(host -> !host.is(HostPhase.RUNNING));
  }

  static final Wording METADATA =
      Wording.counting(
          "nodes",
          "Bringing the labels, annotations and taints of the spec to {nodes#Node}: {names~nodes}.",
          Wording.OWN);

  static final Wording AT_TARGET =
      Wording.ofPool(
          "NodePool {pool} has reached its target of {target#Node}.",
          (read, moment) -> {
            int target = read.number("target");
            moment.require(
                COUNT, moment.pool(pool -> pool.spec().target() == target), "this is its target");
            moment.require(
                COUNT, moment.registered().has(target), "it has so many registered Nodes");
          });

  static final List<Wording> TAINTED =
      Wording.all(
          List.of(
              Wording.ofNode(
                  "Node {node} is[ no longer] tainted with {taints*}: its label node.coreweave.cloud/reserved-desired is {desired}.",
                  Check.node(
                      (read, node) ->
                          NodeConditionWordings.isInState(node, Reservation.PRODUCTION)
                              && node.metadata()
                                  .label(NodeLabels.RESERVED_DESIRED)
                                  .equals(read.word("desired")),
                      "this is what its label says")),
              Wording.ofNode(
                  "Node {node} is[ no longer] tainted with {taints*}: its state is {state}.",
                  Check.node(
                      (read, node) -> NodeConditionWordings.isInState(node, read.word("state")),
                      "this is its state")),
              Wording.ofNode(
                  "Node {node} is[ no longer] tainted with {taints*}: it goes into state {state}.",
                  Check.node(
                      (read, node) ->
                          isOfReboot(node, read.word("state"))
                              || NodeConditionWordings.isInState(node, read.word("state")),
                      "it is disrupted for this state, or in it")),
              Wording.ofNode(
                  "Node {node} is[ no longer] tainted with {taints*}: NodePool {pool} has it so.",
                  FORM)),
          Wording.disrupted(
              "{verb*}ainted ", ", as instance type, state and reservation ask.", FORM),
          List.of(
              Wording.counting(
                  "nodes",
                  "{verb*}ainting {nodes#Node} ({names~nodes}): {taints~}; the spec has it so.",
                  Wording.OWN)));

  /** Whether a disruption takes the Node into this state, or back from another one. */
  private static boolean isOfReboot(Node node, String state) {
    return node.activeDisruption().stream()
        .flatMap(active -> active.causes().stream())
        .flatMap(cause -> cause.what().state().stream())
        .anyMatch(each -> each.word().equals(state) || state.equals(Reservation.PRODUCTION));
  }

  static final List<Wording> REVERTED =
      Stream.of(Untruth.About.values()).map(PoolWordings::reverted).toList();

  private static Wording reverted(Untruth.About about) {
    return new Wording(
        about,
        TextForm.of(
            "{kind} {object}: {parts*} was set {times#} times and did not stay; another client changes it back. It is set again at growing intervals, of {longest} at most."),
        "",
        Check.that(
            OBJECT,
            (read, moment) ->
                read.word("kind").equals("Host") || read.word("object").equals(moment.name()),
            "it names the object"));
  }

  static final List<Wording> UNREADABLE =
      List.of(
          Wording.ofPool(
              "NodePool {pool} is left as it is, because it cannot be read: {why*}. Put right what is stored, or take it away.",
              FORM),
          Wording.ofNode(
              "Machine {node} is left as it is, because it cannot be read: {why*}. Put right what is stored, or take it away.",
              FORM));

  static final Wording WITHOUT_HOST =
      Wording.counting(
          "hostless",
          "{hostless#Node} ({kept~hostless}) without a Host, which was deleted: no longer counted, and removed once the work on it ends.",
          PoolWordings::areWithoutHost);

  /** Each Node that is named is the pool's, has work, and its Host does not exist. */
  private static void areWithoutHost(TextForm.Statement read, Moment moment) {
    for (String name : read.names("kept")) {
      moment.require(STATE, moment.withoutHost(name), "its Host does not exist", name);
      moment.require(STATE, moment.busy(name), "it has work", name);
    }
  }

  /**
   * Each of these texts with Nodes without a Host beside it, and without; machines that failed and
   * may still run may stand beside both.
   */
  static List<Wording> besideHostless(Wording... texts) {
    List<Wording> all = Stream.of(texts).map(PoolWordings::withRunning).toList();
    return Stream.concat(all.stream().map(PoolWordings::withHostless), all.stream()).toList();
  }

  private static Wording withRunning(Wording text) {
    return Wording.ofPool(
        text.form()
            + "[ Failed and perhaps running: {fenced#machine} ({running~fenced}); kept until the fleet reports them off, or a person made sure (kubectl nodepool host fenced).]",
        text.check().and(PoolWordings::mayRun));
  }

  private static void mayRun(TextForm.Statement read, Moment moment) {
    if (read.has("running")) {
      read.names("running")
          .forEach(name ->
              moment.require(
                  STATE,
                  moment.host(name, host -> host.mayStillRun(moment.chronicle().now())),
                  "it failed and may still run",
                  name));
    }
  }

  private static Wording withHostless(Wording text) {
    return Wording.ofPool(
        text.form()
            + " Without a Host, and kept until their work ends: {hostless#Node} ({kept~hostless}).",
        text.check().and(PoolWordings::areWithoutHost));
  }

  /** Each Host that is named was free, and a Node of an earlier Host had its name. */
  static void areNamesTaken(TextForm.Statement read, Moment moment) {
    for (String name : read.names("taken")) {
      moment.require(
          STATE,
          moment.host(
              name,
              host ->
                  host.isFree()
                      && moment.node(name, node -> !node.hostUid().equals(host.id().uid()))),
          "it is free, and a Node of an earlier Host has its name",
          name);
    }
  }
}
