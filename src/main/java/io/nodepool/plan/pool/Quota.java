package io.nodepool.plan.pool;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.condition.QuotaReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Determines how much of the requested growth is within the organization's quota for an instance
 * type. Growth over the quota is blocked as a whole; what was granted stays granted (decisions D7,
 * D8).
 */
final class Quota {
  /** A status that a former operator wrote has taken effect and is observed after this time. */
  private static final Duration FORMER_GRANTS = Duration.ofMinutes(1);

  private static final String FORMER_GRANTS_MAY_COME =
      "An operator began to lead less than a minute ago. Whether the one before it granted the quota to another NodePool is not known yet.";

  private Quota() {}

  /**
   * @param granted the size that the pool may reach
   * @param wakeup when the grant may change by itself
   */
  record Grant(Finding finding, int granted, Optional<Instant> wakeup) {
    private Grant(Finding finding, int granted) {
      this(finding, granted, Optional.empty());
    }
  }

  /** The grant of a pool whose spec is invalid: it requests nothing, and keeps its grant. */
  static Grant notComputed(Claim own) {
    return new Grant(Finding.of(QuotaReason.NOT_CHECKED), kept(own));
  }

  private static int kept(Claim own) {
    return Math.min(own.granted(), Math.max(own.target(), own.held()));
  }

  /** The grant for the pool whose own claim is {@code own}. */
  static Grant check(PoolSnapshot seen, Claim own, Instant now, PlanSettings settings) {
    int kept = kept(own);
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost lost ->
          new Grant(
              new Finding(QuotaReason.INTERNAL_ERROR, "The quota could not be read: " + lost.why()),
              kept);
      case PoolSnapshot.Offer.Known known -> check(seen, own, known.offer(), now, settings);
    };
  }

  private static Grant check(
      PoolSnapshot seen, Claim own, FleetOffer offer, Instant now, PlanSettings settings) {
    int kept = kept(own);
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
    if (use > limit.getAsInt()) {
      return new Grant(over(type, offer, use, limit.getAsInt()), kept);
    }
    Instant settled = settled(seen.watched().since());
    if (now.isBefore(settled) && own.target() > Math.max(kept, own.held())) {
      long most = seen.others().stream().mapToLong(Quota::mostUse).sum() + own.target();
      if (most > limit.getAsInt()) {
        return new Grant(
            new Finding(QuotaReason.NOT_CHECKED, FORMER_GRANTS_MAY_COME),
            kept,
            Optional.of(settled));
      }
    }
    return new Grant(Finding.of(QuotaReason.UNDER), Math.max(kept, own.target()));
  }

  /** When no grant of a former operator is unknown any more (decision D387). */
  private static Instant settled(Instant watchedSince) {
    return watchedSince.equals(Instant.MAX) ? watchedSince : watchedSince.plus(FORMER_GRANTS);
  }

  /** The use of the quota by a claim, if a grant to it is not observed yet. */
  private static int mostUse(Claim claim) {
    return Math.max(claim.secured(), Math.max(claim.wanted(), claim.target()));
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
