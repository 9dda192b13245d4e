package io.nodepool.fleet;

import java.util.function.Consumer;

/**
 * The fleet port: what there is, and operations on it. Implementations answer every operation
 * exactly once, later, and never on the caller's stack. The public seam behind it is the Host
 * resource; whoever reconciles Hosts is a fleet.
 */
public interface NodeFleet {
  /** What a fleet tells its listener, in the order of each Host's versions. */
  interface Listener {
    /** The fleet's offer was seen or changed. */
    void offer(FleetOffer offer);

    /** There is no readable offer: the fleet is unreachable, or says what it should not. */
    void offerLost(String why);

    /** A Host was seen or changed. */
    void host(Host host);

    /**
     * A Host is there and says something that cannot be understood.
     *
     * @param poolUid the UID of the pool that holds it; empty text where that cannot be read either
     */
    void hostUnreadable(HostId host, long version, String why, String poolUid);

    /** A Host is gone from the fleet; {@code version} is that of its last state. */
    void hostGone(HostId host, long version);
  }

  /** Tells the listener all there is and then each change. At most once. */
  void watch(Listener listener);

  /** Carries out an operation. Repeating one that already took effect changes nothing. */
  void perform(HostOperation operation, Consumer<Answer<Host>> answer);

  /** Reads a Host live, past every cache. */
  void read(HostId host, Consumer<Answer<Host>> answer);
}
