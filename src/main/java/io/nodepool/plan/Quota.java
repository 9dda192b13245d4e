package io.nodepool.plan;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.Claim;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.vocabulary.QuotaReason;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * How much of what pools of a type ask for is within the organization's quota? Growth over it is
 * blocked as a whole; what was granted stays (decisions D7, D8).
 */
final class Quota {
  private Quota() {}

  /**
   * @param granted the size that the pool may reach
   */
  record Grant(Finding finding, int granted) {}

  /** The grant for the pool whose own claim is {@code own}. */
  static Grant check(PoolSnapshot seen, Claim own) {
    int kept = Math.min(own.granted(), Math.max(own.target(), own.held()));
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost lost ->
          new Grant(
              new Finding(QuotaReason.INTERNAL_ERROR, "The quota could not be read: " + lost.why()),
              kept);
      case PoolSnapshot.Offer.Known known -> check(seen, own, kept, known.offer());
    };
  }

  private static Grant check(PoolSnapshot seen, Claim own, int kept, FleetOffer offer) {
    String type = seen.pool().spec().instanceType();
    OptionalInt limit = offer.quotaOf(type);
    if (limit.isEmpty()) {
      return new Grant(
          new Finding(
              QuotaReason.NOT_SET,
              "Quota not found for instance type %s in zone %s.".formatted(type, offer.zone())),
          kept);
    }
    int ofOthers = seen.others().stream().mapToInt(Claim::quotaUse).sum();
    if (own.target() <= kept) {
      int use = ofOthers + Math.max(kept, own.held());
      return use <= limit.getAsInt()
          ? new Grant(under(), kept)
          : new Grant(over(type, offer, use, limit.getAsInt()), kept);
    }
    return fitsInOrder(seen.others(), own, kept, limit.getAsInt())
        ? new Grant(under(), own.target())
        : new Grant(over(type, offer, ofOthers + own.target(), limit.getAsInt()), kept);
  }

  /** Serves what is not granted yet in the claims' order; each fits as a whole or not at all. */
  private static boolean fitsInOrder(List<Claim> others, Claim own, int kept, int limit) {
    int used = others.stream().mapToInt(Claim::quotaUse).sum() + Math.max(kept, own.held());
    List<Claim> asking = new ArrayList<>(others);
    asking.removeIf(claim -> claim.target() <= claim.granted());
    asking.add(own);
    asking.sort(Claim.ORDER);
    for (Claim claim : asking) {
      boolean mine = claim.equals(own);
      int increment = claim.target() - (mine ? Math.max(kept, own.held()) : claim.quotaUse());
      boolean fits = used + increment <= limit;
      if (mine) {
        return fits;
      }
      used += fits ? Math.max(0, increment) : 0;
    }
    throw new IllegalStateException("the pool's own claim is in the list");
  }

  private static Finding under() {
    return new Finding(QuotaReason.UNDER, QuotaReason.UNDER.message().orElseThrow());
  }

  private static Finding over(String type, FleetOffer offer, int use, int limit) {
    return new Finding(
        QuotaReason.OVER,
        "Node Pool targetNodes pushes you over quota for %s in %s. It would take %d of %d Nodes."
            .formatted(type, offer.zone(), use, limit));
  }
}
