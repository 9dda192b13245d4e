package io.nodepool.plan.pool;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.condition.QuotaReason;
import java.util.List;
import java.util.OptionalInt;

/**
 * Determines how much of the requested growth is within the organization's quota for an instance
 * type. Growth over the quota is blocked as a whole; what was granted stays granted (decisions D7,
 * D8).
 */
final class Quota {
  private Quota() {}

  /**
   * @param granted the size that the pool may reach
   */
  record Grant(Finding finding, int granted) {}

  /** The grant of a pool whose spec is invalid: it requests nothing, and keeps what it has. */
  static Grant notComputed(Claim own) {
    return new Grant(Finding.of(QuotaReason.NOT_CHECKED), kept(own));
  }

  private static int kept(Claim own) {
    return Math.min(own.granted(), Math.max(own.target(), own.held()));
  }

  /** The grant for the pool whose own claim is {@code own}. */
  static Grant check(PoolSnapshot seen, Claim own, PlanSettings settings) {
    int kept = kept(own);
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost lost ->
          new Grant(
              new Finding(QuotaReason.INTERNAL_ERROR, "The quota could not be read: " + lost.why()),
              kept);
      case PoolSnapshot.Offer.Known known -> check(seen, own, kept, known.offer(), settings);
    };
  }

  private static Grant check(
      PoolSnapshot seen, Claim own, int kept, FleetOffer offer, PlanSettings settings) {
    String type = seen.pool().spec().instanceType();
    OptionalInt limit = offer.quotaOf(type);
    if (limit.isEmpty() && settings.delivery().missingQuotaIsUnlimited()) {
      return new Grant(Finding.of(QuotaReason.UNDER), Math.max(kept, own.target()));
    }
    if (limit.isEmpty()) {
      return new Grant(
          new Finding(
              QuotaReason.NOT_SET,
              "Quota not found for instance type %s in zone %s.".formatted(type, offer.zone())),
          kept);
    }
    long use = useInOrder(seen.others(), own, kept, limit.getAsInt());
    return use <= limit.getAsInt()
        ? new Grant(Finding.of(QuotaReason.UNDER), Math.max(kept, own.target()))
        : new Grant(over(type, offer, use, limit.getAsInt()), kept);
  }

  /**
   * The quota that would be in use if the pool were granted its target in its turn. Claims that are
   * not granted yet are served in their order; each is granted as a whole or not at all.
   */
  private static long useInOrder(List<Claim> others, Claim own, int kept, int limit) {
    int ownUse = Math.max(kept, own.held());
    long used = others.stream().mapToLong(Claim::secured).sum() + ownUse;
    List<Claim> before =
        others.stream()
            .filter(other -> other.target() > other.granted())
            .filter(other -> Claim.ORDER.compare(other, own) < 0)
            .sorted(Claim.ORDER)
            .toList();
    for (Claim claim : before) {
      int increment = Math.max(0, claim.target() - claim.secured());
      used += used + increment <= limit ? increment : 0;
    }
    return used + Math.max(0, own.target() - ownUse);
  }

  private static Finding over(String type, FleetOffer offer, long use, int limit) {
    if (limit == 0) {
      return new Finding(
          QuotaReason.NOT_SET,
          "quota limit is 0 for instance type %s in zone %s.".formatted(type, offer.zone()));
    }
    return new Finding(
        QuotaReason.OVER,
        "Node Pool targetNodes pushes you over quota for %s in %s. It would take %d of %d Nodes."
            .formatted(type, offer.zone(), use, limit));
  }
}
