package io.nodepool.world.check.truth;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.chronicle.ObjectTrack;
import io.nodepool.world.check.chronicle.TenantWork;
import io.nodepool.world.check.chronicle.Track;
import io.nodepool.world.check.text.Range;
import io.nodepool.world.check.text.Untruth;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The world when a text was written. A fact counts if it was the case at any time since the last
 * observation that its writer can have had.
 */
public final class Moment {
  /** How long what follows from a verification may come after it. */
  private static final Duration VERIFIED = Duration.ofDays(2);

  private static final Duration LONGEST_DOUBT = Duration.ofMinutes(1);

  private final Chronicle chronicle;
  private final TruthOracle.Text text;
  private final Instant since;

  private final Consumer<Untruth> untruths;
  private final Causes causes;
  private final TenantWork work;

  Moment(
      Chronicle chronicle,
      Causes causes,
      TruthOracle.Text text,
      Instant since,
      Consumer<Untruth> untruths) {
    this.chronicle = chronicle;
    this.causes = causes;
    this.text = text;
    this.since = chronicle.known(since);
    Instant listed = chronicle.listed(text.uid());
    this.work =
        new TenantWork(chronicle, this.since, listed.isBefore(this.since) ? listed : this.since);
    this.untruths = untruths;
  }

  /** Reports that the text is not true, unless this holds. */
  public void require(Untruth.Kind kind, boolean holds, String what) {
    require(kind, holds, what, "");
  }

  /** The same, with what is the case instead. */
  void require(Untruth.Kind kind, boolean holds, String what, Object instead) {
    if (!holds) {
      untruths.accept(
          new Untruth(
              text.reason(),
              text.about(),
              kind,
              what,
              "\"%s\" on %s since %s; %s".formatted(text.text(), text.name(), since, instead)));
    }
  }

  TruthOracle.Text text() {
    return text;
  }

  /** What may be said of causes. */
  Causes causes() {
    return causes;
  }

  public String name() {
    return text.name();
  }

  public Instant since() {
    return since;
  }

  public Chronicle chronicle() {
    return chronicle;
  }

  /** What the Node that the text is about was. */
  public ObjectTrack<Node> node() {
    return chronicle.node(name());
  }

  /** What the machine under its name was. */
  public ObjectTrack<Host> host() {
    return chronicle.host(name());
  }

  /** What the pool that the text is about was. */
  ObjectTrack<Pool> pool() {
    return chronicle.pool(name());
  }

  /** Whether the Node that the text is about was such a one. */
  public boolean node(Predicate<Node> is) {
    return node().was(since, is);
  }

  /** Whether this held the machine of this name. */
  boolean isHeld(String name, String why) {
    return Arrays.stream(Host.Hold.values())
        .filter(hold -> hold.text().equals(why))
        .anyMatch(hold -> host(name, host -> wasHeld(host).anyMatch(hold::equals)));
  }

  /** Whether anything held the machine of this name. */
  boolean isHeld(String name) {
    return host(name, host -> wasHeld(host).findAny().isPresent());
  }

  private Stream<Host.Hold> wasHeld(Host host) {
    return Stream.of(since, chronicle.now()).flatMap(at -> host.hold(at).stream());
  }

  /** Whether the machine of this Node was such a one. */
  public boolean host(Predicate<Host> is) {
    return host().was(since, is);
  }

  /** Whether the Node of this name was such a one. */
  public boolean node(String name, Predicate<Node> is) {
    return chronicle.node(name).was(since, is);
  }

  /** Whether the machine under this name was verified without a boot, with this result. */
  public boolean wasVerified(String name, boolean passed) {
    Predicate<Host> asked =
        host -> host.boot().filter(boot -> boot.kind() == BootKind.VERIFICATION).isPresent();
    Predicate<Host> answers =
        host -> host.report().boot().verification().filter(v -> v.passed() == passed).isPresent();
    return chronicle.host(name).was(since.minus(VERIFIED), asked.and(answers));
  }

  /** Whether there was no Node of this name. */
  boolean noNode(String name) {
    return chronicle.node(name).ever(since, Optional::isEmpty);
  }

  /** Whether the Host of this name was such a one. */
  public boolean host(String name, Predicate<Host> is) {
    return chronicle.host(name).was(since, is);
  }

  /** Whether no such Host of this name existed. */
  boolean noHost(String name, Predicate<Host> is) {
    return chronicle.host(name).wasNot(since, is);
  }

  /** Whether the Node of this name had no machine of its own. */
  public boolean noMachine(String name) {
    Optional<Node> node = chronicle.node(name).latest();
    return noHost(name, host -> node.filter(n -> n.isOf(host)).isPresent());
  }

  /** Whether the Node of this name belonged to the pool, and its Host did not exist. */
  boolean withoutHost(String name) {
    return node(
        name,
        node ->
            node.poolUid().equals(text.uid())
                && noHost(name, host -> host.id().uid().equals(node.hostUid())));
  }

  /** Whether the pool that the text is about was such a one. */
  boolean pool(Predicate<Pool> is) {
    return pool().was(since, is);
  }

  /**
   * The same moment, for what a text about a pool says of a Node since an earlier instant; empty if
   * it never existed.
   */
  Optional<Moment> ofNode(String node, Instant from) {
    return ofNodes(node, from).findFirst();
  }

  /** The same of each Node that had this name, the last one first. */
  Stream<Moment> ofNodes(String node, Instant from) {
    return chronicle
        .node(node)
        .all(Instant.MIN)
        .filter(each -> each.poolUid().equals(text.uid()))
        .map(Node::uid)
        .distinct()
        .map(uid -> new Moment(chronicle, causes, text.ofNode(node, uid), from, untruths));
  }

  /**
   * The highest target of the pool that the text is about, also for some time before: an assignment
   * for it may be in doubt, and its machine counts until a live read shows that it is free.
   */
  int highestTarget() {
    return chronicle
        .pool(text.name())
        .all(since.minus(LONGEST_DOUBT))
        .mapToInt(pool -> pool.spec().target())
        .max()
        .orElse(0);
  }

  /** Whether the Node of this name had tenant work. */
  public boolean busy(String name) {
    return work.isBusy(name);
  }

  /**
   * Whether it had none, for one who may know of some Pods what they are, of others what they were.
   */
  boolean idle(String name) {
    return work.isIdle(name);
  }

  /** What work Nodes had. */
  public TenantWork work() {
    return work;
  }

  /** How many machines the pool held. */
  Range held() {
    return held(text.uid(), since);
  }

  /** How many machines the pool with this UID held since. */
  Range held(String poolUid, Instant from) {
    return count(from, member -> member.poolUid().equals(poolUid));
  }

  /**
   * How many registered Nodes the pool had. An operator may know that a Node is registered, and not
   * yet that its Host was deleted before.
   */
  Range registered() {
    Predicate<Chronicle.Membership> is =
        member -> member.poolUid().equals(text.uid()) && member.registered();
    int most = 0;
    for (Track<Chronicle.Membership> machine : chronicle.memberships()) {
      boolean held = machine.ever(since, member -> member.poolUid().equals(text.uid()));
      most += held && machine.ever(since, Chronicle.Membership::registered) ? 1 : 0;
    }
    return new Range(count(since, is).least(), most);
  }

  /**
   * How many machines there may be for one who knows the Host of one moment and the Node of
   * another.
   *
   * @param surely whether a Host counts with the Node that it joined as; empty without one
   * @param possibly whether it may count, though it does not have to
   */
  public Range machines(
      BiPredicate<Host, Optional<Node>> surely, BiPredicate<Host, Optional<Node>> possibly) {
    return units(host -> host.id().name(), surely, possibly);
  }

  /** The same, of the units of which a machine is one, such as racks. */
  public Range units(
      Function<Host, String> unit,
      BiPredicate<Host, Optional<Node>> surely,
      BiPredicate<Host, Optional<Node>> possibly) {
    Set<String> least = new HashSet<>();
    Set<String> most = new HashSet<>();
    for (String name : chronicle.hostNames()) {
      List<Optional<Host>> hosts = chronicle.host(name).since(since);
      hosts.stream()
          .flatMap(Optional::stream)
          .findFirst()
          .map(unit)
          .ifPresent(of -> {
            if (hosts.stream().allMatch(host -> is(name, host, surely, false))) {
              least.add(of);
            }
            if (hosts.stream().anyMatch(host -> is(name, host, possibly, true))) {
              most.add(of);
            }
          });
    }
    return new Range(least.size(), most.size());
  }

  /** Whether the Host is such a one with any version of its Node, or with each of them. */
  private boolean is(
      String name, Optional<Host> host, BiPredicate<Host, Optional<Node>> what, boolean withAny) {
    Predicate<Optional<Node>> is =
        node -> host.filter(h -> what.test(h, node.filter(n -> n.isOf(h)))).isPresent();
    List<Optional<Node>> nodes = chronicle.node(name).since(since);
    return withAny ? nodes.stream().anyMatch(is) : nodes.stream().allMatch(is);
  }

  private Range count(Instant from, Predicate<Chronicle.Membership> is) {
    int least = 0;
    int most = 0;
    for (Track<Chronicle.Membership> machine : chronicle.memberships()) {
      most += machine.ever(from, is) ? 1 : 0;
      least += machine.ever(from, is.negate()) ? 0 : 1;
    }
    return new Range(least, most);
  }

  /** How many machines that the pool holds cannot be read, themselves or their Nodes. */
  int unreadable() {
    return unreadable(text.uid());
  }

  /** The same for the pool with this UID. */
  public int unreadable(String poolUid) {
    return (int)
        chronicle.hostNames().stream()
            .filter(chronicle::isUnreadable)
            .filter(name -> host(name, host -> host.isHeldBy(poolUid)))
            .count();
  }

  /** Whether the fleet's offer was such a one. */
  boolean offer(Predicate<FleetOffer> is) {
    return chronicle.offer().was(since, is);
  }

  /** Whether the fleet's offer could not be read. */
  boolean noOffer() {
    return chronicle.offer().ever(since, Optional::isEmpty);
  }

  /** Whether the pool that the text is about holds the machine of this name, or owns its Node. */
  boolean isOwn(String machine) {
    return host(machine, host -> host.isHeldBy(text.uid()))
        || node(machine, node -> node.poolUid().equals(text.uid()));
  }

  /** The text names the Node that it is about. */
  void names(String node) {
    require(Untruth.Kind.OBJECT, node.equals(text.name()), "it names the Node", node);
  }

  /** The text names the Node that it is about, and the pool that this belongs to. */
  void names(String node, String pool) {
    names(node);
    require(
        Untruth.Kind.OBJECT,
        host(node, h -> h.assignment().filter(a -> a.pool().name().equals(pool)).isPresent())
            || node(node, n -> n.metadata().label(NodeLabels.NODE_POOL).equals(pool)),
        "the Node belongs to the pool",
        pool);
  }
}
