package io.nodepool.control.state;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.snapshot.PoolSnapshot;
import java.time.Instant;
import java.util.Optional;

/**
 * Facts for all pools and machines: the offer, whether Hosts are defined, the API server's version,
 * and since when the cluster is observed. Confined to the decision thread.
 */
final class Surroundings {
  private final PoolTable pools;
  private final MachineTable machines;
  private final Namespaces namespaces;
  private Optional<String> apiServer = Optional.empty();
  private PoolSnapshot.Watched watched = PoolSnapshot.Watched.NOT_YET;

  /** The offer as last observed, whether or not the definition of Hosts is missing. */
  private PoolSnapshot.Offer observed =
      new PoolSnapshot.Offer.Lost("no offer of the fleet was seen yet");

  /** Why no Host can be read; empty if Hosts can be read. */
  private Optional<String> undefined = Optional.empty();

  Surroundings(PoolTable pools, MachineTable machines, Namespaces namespaces) {
    this.pools = pools;
    this.machines = machines;
    this.namespaces = namespaces;
  }

  /** The version of the API server; empty while it is not known. */
  Optional<String> apiServer() {
    return apiServer;
  }

  /** Folds the version of the API server. */
  void apiServer(String version) {
    if (!apiServer.equals(Optional.of(version))) {
      apiServer = Optional.of(version);
      pools.wakeAll();
    }
  }

  /** Since when the cluster is observed. */
  PoolSnapshot.Watched watched() {
    return watched;
  }

  /** Records that everything was listed once. */
  void watchedFrom(Instant now) {
    watched = watched.from(now);
  }

  /** Records that a long time without a leader ended then. */
  void resumed(Instant at) {
    watched = watched.resumed(at);
  }

  /** The offer, or why it is unusable: without Hosts it counts as lost. */
  PoolSnapshot.Offer offer() {
    return undefined
        .<PoolSnapshot.Offer>map(why -> new PoolSnapshot.Offer.Lost(why, true))
        .orElse(observed);
  }

  /** The offer, if it can be used. */
  Optional<FleetOffer> known() {
    return offer().known();
  }

  /** Whether Hosts can be observed. */
  boolean hasHosts() {
    return undefined.isEmpty();
  }

  /** Folds whether the definition of Hosts is missing. */
  void hostsDefined(Optional<String> missing) {
    change(observed, missing);
    machines.wakeAll();
  }

  /** Folds an offer. */
  void offer(PoolSnapshot.Offer next) {
    change(next, undefined);
  }

  private void change(PoolSnapshot.Offer nextObserved, Optional<String> nextUndefined) {
    PoolSnapshot.Offer last = offer();
    observed = nextObserved;
    undefined = nextUndefined;
    if (!offer().equals(last)) {
      if (known().filter(offer -> isNewsForMachines(last.known(), offer)).isPresent()) {
        machines.wakeAll();
        namespaces.wakeAll();
      }
      pools.wakeAll();
    }
  }

  /** Whether an offer may change the plans of machines. */
  private static boolean isNewsForMachines(Optional<FleetOffer> before, FleetOffer next) {
    return before.isEmpty()
        || !before.get().organization().equals(next.organization())
        || !before.get().capabilities().equals(next.capabilities());
  }
}
