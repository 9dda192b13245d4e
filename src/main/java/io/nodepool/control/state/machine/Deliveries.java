package io.nodepool.control.state.machine;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Growth;
import io.nodepool.vocabulary.LowerCaseWord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Measures how long Nodes take until they are registered. A Node that was registered before this
 * process observed it does not count. Confined to the decision thread.
 */
public final class Deliveries {
  /** The start of a measured time. */
  public enum From implements LowerCaseWord {
    /** The pool's request to grow. */
    REQUEST,
    /** The assignment of the Host. */
    ASSIGNMENT,
    /** The end of the machine's boot. */
    BOOT
  }

  /** Receives how long a Node of a pool took to be registered. */
  public interface Listener {
    void registered(String pool, From from, Duration took);
  }

  private Listener listener = (_, _, _) -> {};

  /** Sets the listener; there is at most one. */
  public void onRegistered(Listener next) {
    listener = next;
  }

  /**
   * Calls the listener if a Node was registered with this change.
   *
   * @param growth the pool's last request to grow, if this Node was requested by it and is not a
   *     replacement; read only if a Node was registered
   */
  public void count(
      Optional<Member> last,
      Optional<Member> next,
      Supplier<Optional<Growth>> growth,
      Instant now) {
    boolean wasOnItsWay = last.filter(Member::isInProgress).isPresent();
    Optional<Member> registered = next.filter(_ -> wasOnItsWay).filter(Member::isCurrent);
    registered.ifPresent(member -> {
      Host host = member.host();
      Assignment held = host.assignment().orElseThrow();
      String pool = held.pool().name();
      growth
          .get()
          .map(Growth::askedAt)
          .filter(at -> !at.isAfter(held.at()))
          .ifPresent(at -> report(pool, From.REQUEST, at, now));
      report(pool, From.ASSIGNMENT, held.at(), now);
      if (host.is(HostPhase.RUNNING)) {
        report(pool, From.BOOT, host.report().since(), now);
      }
    });
  }

  private void report(String pool, From from, Instant at, Instant now) {
    Duration took = Duration.between(at, now);
    listener.registered(pool, from, took.isNegative() ? Duration.ZERO : took);
  }
}
