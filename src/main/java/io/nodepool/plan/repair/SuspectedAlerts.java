package io.nodepool.plan.repair;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.members.FaultyMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The alerts of a pool that are reported about so many of its Nodes which are Ready that their
 * source is probably wrong (decision D33). A few idle Nodes with such an alert are verified,
 * without a boot: if all pass, nothing is done for it, and if one does not, it is an alert as any
 * other. What the operator itself observes is never suspected.
 */
final class SuspectedAlerts {
  /** On more Nodes than this share, and this number at least, an alert is suspected. */
  private static final int PERCENT = 20;

  private static final int COUNT = 4;

  private final PoolSnapshot seen;
  private final FaultyMembers faulty;
  private final RepairState last;
  private final Instant now;
  private final List<SuspectedAlert> suspects;
  private final Set<String> held;

  /**
   * The suspected alerts now.
   *
   * @param level has room for the Nodes that tenants cannot use while they are verified
   */
  SuspectedAlerts(PoolSnapshot seen, UnavailableNodes level, Instant now) {
    this.seen = seen;
    this.faulty = seen.members().byFault();
    this.last = seen.pool().status().removal().repairs();
    this.now = now;
    Set<String> over = over();
    this.suspects =
        Stream.concat(
                last.suspects().stream()
                    .filter(each -> over.contains(each.alert()) || isLasting(each)),
                over.stream()
                    .filter(alert -> last.suspect(alert).isEmpty())
                    .map(alert -> SuspectedAlert.now(alert, now)))
            .limit(RepairState.NAMED)
            .map(each -> next(each, level))
            .sorted(Comparator.comparing(SuspectedAlert::alert))
            .toList();
    this.held = new TreeSet<>(over);
    suspects.stream().filter(SuspectedAlert::isFalseAlarm).forEach(each -> held.add(each.alert()));
    suspects.stream()
        .filter(each -> each.verdict() == SuspectedAlert.Verdict.GENUINE)
        .forEach(each -> held.remove(each.alert()));
  }

  /** What the status says of them. */
  List<SuspectedAlert> suspects() {
    return suspects;
  }

  /** The alerts for which nothing is done now. */
  Set<String> held() {
    return held;
  }

  private Set<String> over() {
    int ready =
        seen.members().count(Members.Trait.CURRENT)
            - seen.members().byState().count(ReportedState.NOT_READY);
    Set<String> over = new TreeSet<>();
    faulty
        .standing()
        .forEach((alert, count) -> {
          boolean stands = count >= COUNT && (long) count * 100 > (long) ready * PERCENT;
          if (stands && !released().isReleased(alert, now)) {
            over.add(alert);
          }
        });
    return over;
  }

  /**
   * Whether the verdict stays when the alert no longer stands on more than a fifth of the Nodes:
   * Genuine while it stands on any Node that is Ready, FalseAlarm while it stands on {@value
   * #COUNT} of them.
   */
  private boolean isLasting(SuspectedAlert suspect) {
    int standing = faulty.standing().getOrDefault(suspect.alert(), 0);
    return !released().isReleased(suspect.alert(), now)
        && switch (suspect.verdict()) {
          case GENUINE -> standing > 0;
          case FALSE_ALARM -> standing >= COUNT;
          case PENDING -> false;
        };
  }

  private ReleasedSuspects released() {
    return seen.pool().spec().pause().suspects();
  }

  private SuspectedAlert next(SuspectedAlert alert, UnavailableNodes level) {
    if (alert.verdict() != SuspectedAlert.Verdict.PENDING) {
      return alert;
    }
    List<SuspectedAlert.Check> checks =
        new ArrayList<>(
            alert.checks().stream().flatMap(check -> answered(alert, check).stream()).toList());
    if (checks.stream().anyMatch(check -> !check.passed().orElse(true))) {
      return alert.withChecks(checks).withVerdict(SuspectedAlert.Verdict.GENUINE);
    }
    if (isVerifying()) {
      candidates(alert, checks)
          .takeWhile(place -> !place.isAvailable() || level.hasRoom())
          .limit(SuspectedAlert.MOST_CHECKS - checks.size())
          .toList()
          .forEach(place -> {
            checks.add(new SuspectedAlert.Check(place.name(), place.uid(), Optional.empty()));
            seen.members().find(place.uid()).filter(_ -> place.isAvailable()).ifPresent(level::add);
          });
    }
    boolean all = !checks.isEmpty() && checks.stream().allMatch(each -> each.passed().isPresent());
    return alert
        .withChecks(checks)
        .withVerdict(all ? SuspectedAlert.Verdict.FALSE_ALARM : SuspectedAlert.Verdict.PENDING);
  }

  /** What became of a machine that is verified; empty if another one takes its place. */
  private Optional<SuspectedAlert.Check> answered(
      SuspectedAlert alert, SuspectedAlert.Check check) {
    if (check.passed().isPresent()) {
      return Optional.of(check);
    }
    Optional<Member> member = seen.members().find(check.hostUid());
    Optional<Boolean> passed = member.flatMap(each -> alert.answer(each.host()));
    if (passed.isPresent()) {
      return Optional.of(new SuspectedAlert.Check(check.node(), check.hostUid(), passed));
    }
    return member
        .filter(each ->
            MachineRepair.isVerifiable(each) && each.findings().needed().stands(alert.alert()))
        .map(_ -> check);
  }

  private Stream<FaultyMembers.Verifiable> candidates(
      SuspectedAlert alert, List<SuspectedAlert.Check> checks) {
    return FaultyMembers.of(faulty.verifiable(), alert.alert()).stream()
        .filter(place -> checks.stream().noneMatch(check -> check.hostUid().equals(place.uid())));
  }

  private boolean isVerifying() {
    return seen.pool().spec().pause().isRepairing()
        && seen.offer()
            .known()
            .map(FleetOffer::capabilities)
            .filter(fleet -> fleet.verifies() && fleet.offers(BootKind.VERIFICATION))
            .isPresent();
  }

  /** Why nothing is done for an alert. */
  String text(String alert) {
    Optional<SuspectedAlert> suspect =
        suspects.stream().filter(each -> each.alert().equals(alert)).findFirst();
    String text =
        "%s stands on so many Nodes that its source is suspected%s"
            .formatted(
                alert, suspect.map(SuspectedAlerts::stage).orElse("; nothing is done for it."));
    return released().misread().isEmpty()
        ? text
        : "%s The annotation %s is ignored in part: %s is not ALERT/UNTIL."
            .formatted(
                text,
                PoolAnnotations.RELEASE_SUSPECTS.key(),
                UserText.quoted(released().misread()));
  }

  private static String stage(SuspectedAlert suspect) {
    List<String> names = suspect.checks().stream().map(SuspectedAlert.Check::node).toList();
    if (suspect.isFalseAlarm()) {
      return ", and %s passed the verification; nothing is done for it."
          .formatted(Messages.named("Node", names, SuspectedAlert.MOST_CHECKS));
    }
    return names.isEmpty()
        ? "; nothing is done for it."
        : "; nothing is done for it while %s %s verified."
            .formatted(
                Messages.named("Node", names, SuspectedAlert.MOST_CHECKS),
                names.size() == 1 ? "is" : "are");
  }
}
