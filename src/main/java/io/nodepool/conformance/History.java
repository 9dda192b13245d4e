package io.nodepool.conformance;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What was observed of the tested Hosts and their Nodes, and what was done to them, in order.
 *
 * @param offer the fleet's offer when the run began, or why it could not be read
 */
public record History(Offered offer, List<Fact> facts) {
  public History {
    facts = List.copyOf(facts);
  }

  /**
   * An offer.
   *
   * @param mistake why it could not be read; empty if it could
   */
  public record Offered(FleetOffer.Capabilities capabilities, Optional<String> mistake) {}

  /** One observation, or one action of the script. */
  public sealed interface Fact {
    /** When it was observed or done, by the clock of this program. */
    Instant at();

    /** Name of the Host that it is about. */
    String host();
  }

  /** A version of a Host. */
  record HostVersion(Instant at, Host now) implements Fact {
    @Override
    public String host() {
      return now.id().name();
    }
  }

  /** A version of a Host or its Node that cannot be read. */
  record Unreadable(Instant at, String host, String why) implements Fact {}

  /** A Host was deleted. */
  record HostDeleted(Instant at, String host) implements Fact {}

  /** A version of a Node that has the identity of a Host. */
  record NodeVersion(Instant at, Node now) implements Fact {
    @Override
    public String host() {
      return now.name();
    }
  }

  /** A Node was deleted. */
  record NodeDeleted(Instant at, String host, String uid) implements Fact {}

  /** The deletion of a Node was requested. */
  record DeletedNode(Instant at, String host, String uid) implements Fact {}

  /** An operation took effect, and left the Host in this state. */
  record Wrote(Instant at, HostOperation operation, Host left) implements Fact {
    @Override
    public String host() {
      return operation.host().name();
    }
  }

  /** How waiting for a milestone ended. */
  enum Ending {
    CAME,
    /** The fleet reported that the machine failed. */
    FAILED,
    /** The milestone was not reached before the deadline. */
    LATE
  }

  /** The end of a wait for a milestone; the text describes the Host and its Node then. */
  record Awaited(Instant at, String host, Milestone milestone, Ending ending, String state)
      implements Fact {}

  /** Nothing was requested of a Host since this instant. */
  record Rested(Instant at, String host, Instant from) implements Fact {}

  /** The fleet was killed and started again. */
  record Killed(Instant at, String host) implements Fact {}

  /** The objects that exist, for all Hosts; recorded with the first Host. */
  record Belongings(Instant at, String host, SortedSet<String> names) implements Fact {}

  /** A change of a Host from one version to the next observed version. */
  record Change(HostVersion seen, Host before) {
    Host after() {
      return seen.now();
    }

    /** Whether the fleet reports this phase, and reported another one before. */
    boolean begins(HostPhase phase) {
      return isOfPhase() && after().report().phase() == phase;
    }

    /** Whether the fleet reports another phase. */
    boolean isOfPhase() {
      return before.report().phase() != after().report().phase();
    }

    /** Whether the machine reports another boot id, which is not empty. */
    boolean isOfBoot() {
      return !after().report().bootId().isEmpty()
          && !after().report().bootId().equals(before.report().bootId());
    }

    /** The number of reboots that the fleet counted between the two versions. */
    int reboots() {
      return after().report().boot().cycles() - before.report().boot().cycles();
    }

    /** Whether the assignment was removed while the machine had to run. */
    boolean isCancellation() {
      return before.assignment().isPresent()
          && after().assignment().isEmpty()
          && before.power() == Host.Power.ON;
    }

    /** Whether the spec changed. */
    boolean isOfSpec() {
      return !before.occupancy().equals(after().occupancy())
          || !before.deliveries().equals(after().deliveries());
    }

    /** Whether this is in the tenancy of that change, while the Host is assigned. */
    boolean isInTenancyOf(Change other) {
      return after().assignment().isPresent() && after().tenancy() == other.after().tenancy();
    }
  }

  /** The names of the tested Hosts, sorted. */
  List<String> hosts() {
    return of(HostVersion.class).map(HostVersion::host).distinct().sorted().toList();
  }

  /** All facts of a kind. */
  <F extends Fact> Stream<F> of(Class<F> kind) {
    return facts.stream().filter(kind::isInstance).map(kind::cast);
  }

  /** The facts about one Host. */
  History about(String host) {
    return new History(offer, facts.stream().filter(each -> each.host().equals(host)).toList());
  }

  /** The changes of one Host. */
  List<Change> changes() {
    List<HostVersion> versions = of(HostVersion.class).toList();
    return Stream.iterate(1, each -> each < versions.size(), each -> each + 1)
        .map(each -> new Change(versions.get(each), versions.get(each - 1).now()))
        .filter(each -> each.before().id().equals(each.after().id()))
        .toList();
  }

  /** The changes of one Host after this one. */
  Stream<Change> after(Change change) {
    List<Change> all = changes();
    return all.subList(all.indexOf(change) + 1, all.size()).stream();
  }

  /** The changes after this one, as long as the Host stays assigned in its tenancy. */
  Stream<Change> sameTenancyAfter(Change change) {
    return after(change).takeWhile(each -> each.isInTenancyOf(change));
  }

  /** What was observed and done before this fact. */
  History before(Fact fact) {
    return new History(offer, facts.subList(0, facts.indexOf(fact)));
  }

  /** What was observed and done after this fact. */
  Stream<Fact> after(Fact fact) {
    return facts.subList(facts.indexOf(fact) + 1, facts.size()).stream();
  }

  /** The waits for a milestone. */
  Stream<Awaited> awaited(Milestone milestone) {
    return of(Awaited.class).filter(each -> each.milestone() == milestone);
  }

  /** The version of the Host with this number, from 0. */
  Optional<Host> host(int number) {
    return of(HostVersion.class).skip(number).findFirst().map(HostVersion::now);
  }

  /** The Host at the end. */
  Optional<Host> host() {
    return of(HostVersion.class).reduce((_, later) -> later).map(HostVersion::now);
  }

  /** The Node that exists at the end. */
  Optional<Node> node() {
    return of(NodeVersion.class)
        .reduce((_, later) -> later)
        .map(NodeVersion::now)
        .filter(node -> of(NodeDeleted.class).noneMatch(each -> each.uid().equals(node.uid())));
  }

  /** The first version of each Node. */
  List<NodeVersion> newNodes() {
    SortedSet<String> known = new TreeSet<>();
    return of(NodeVersion.class).filter(each -> known.add(each.now().uid())).toList();
  }
}
