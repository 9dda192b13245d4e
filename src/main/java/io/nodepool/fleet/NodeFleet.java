package io.nodepool.fleet;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * The port to a fleet of machines: its offer, its Hosts, and operations on them. Implementations
 * answer every operation exactly once, later, and never on the caller's stack. The public interface
 * behind it is the Host resource; any controller that reconciles Hosts is a fleet.
 */
public interface NodeFleet {
  /** Receives the state of a fleet; changes of one Host arrive in the order of its versions. */
  interface Listener {
    /** The fleet's offer was observed or changed. */
    void offer(FleetOffer offer);

    /** No offer can be read: the fleet is unreachable, or its offer is invalid. */
    void offerLost(String why);

    /**
     * Whether Hosts can be read at all. They count as readable until this is called.
     *
     * @param missing the definition that is missing, and what would be right; empty once Hosts can
     *     be read again
     */
    void definition(Optional<String> missing);

    /** A Host was observed or changed. */
    void host(Host host);

    /**
     * A Host exists and cannot be read.
     *
     * @param poolUid the UID of the pool that holds it; empty text if that cannot be read either
     */
    void hostUnreadable(HostId host, long version, String why, String poolUid);

    /** A Host was deleted; {@code version} is that of its last state. */
    void hostGone(HostId host, long version);
  }

  /** Delivers the present state to the listener, then each change. Called at most once. */
  void watch(Listener listener);

  /** Performs an operation. Repeating one that already took effect changes nothing. */
  void perform(HostOperation operation, Consumer<Answer<Host>> answer);

  /** Reads a Host live, bypassing every cache. */
  void read(HostId host, Consumer<Answer<Host>> answer);
}
