package io.nodepool.world;

import io.nodepool.fleet.Deliveries;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import java.util.Optional;

/** What the people do to whom the machines of the virtual world belong. */
public final class WorldFleetOwner {
  private final WorldStore store;

  WorldFleetOwner(WorldStore store) {
    this.store = store;
  }

  /** Replaces the fleet's offer. */
  public void offer(FleetOffer next) {
    store.put(next);
  }

  /** Makes the offer unreadable until there is another one. */
  public void loseOffer(String why) {
    store.loseOffer(why);
  }

  /** Takes a Host out of service, or puts it back with empty text. */
  public void setAside(String host, String why) {
    Optional.ofNullable(store.hosts.get(host)).ifPresent(seen -> store.put(setAside(seen, why)));
  }

  private Host setAside(Host host, String why) {
    return Changed.tenant(
        host,
        store.next(),
        host.tenancy(),
        host.assignment(),
        host.configuration(),
        host.power(),
        new Deliveries(host.deliveries().failure(), why));
  }

  /** Deletes the Host of this name; its machine is gone for good. */
  public void delete(String host) {
    Optional.ofNullable(store.hosts.get(host)).ifPresent(store::removeHost);
  }
}
