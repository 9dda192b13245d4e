package io.nodepool.world;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.Fixtures;
import java.util.TreeMap;

/** Offers with one thing changed. */
final class OfferChange {
  private OfferChange() {}

  static FleetOffer quota(FleetOffer offer, String type, int nodes) {
    TreeMap<String, Integer> quota = new TreeMap<>(offer.quota());
    quota.put(type, nodes);
    return Fixtures.offer(
        offer.zone(),
        offer.region(),
        offer.organization(),
        offer.instanceTypes(),
        offer.unqueued(),
        quota,
        offer.releases());
  }
}
