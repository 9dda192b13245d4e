package io.nodepool.plan.repair;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.model.members.FaultyMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.model.repair.SuspectedAlert.Check;
import io.nodepool.model.repair.SuspectedAlert.Verdict;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The alerts of a pool that are in doubt, with the results of verifications of machines (decision
 * D33). An alert that a monitor reports is in doubt while it is active on too many Nodes for the
 * monitor to be trusted, or while work on too many Nodes was ended for it without a failed
 * verification. A passed verification makes it a false alarm; three failed verifications in a row
 * make it genuine. An alert that cannot be verified is held.
 */
final class SuspectedAlerts {
  private final PoolSnapshot seen;
  private final FaultyMembers faulty;
  private final DailyLimits daily;
  private final Instant now;
  private final RepairState last;
  private final List<SuspectedAlert> suspects;
  private final boolean full;

  /** The suspected alerts now. */
  SuspectedAlerts(PoolSnapshot seen, DailyLimits daily, Instant now) {
    this.seen = seen;
    this.faulty = seen.members().byFault();
    this.daily = daily;
    this.now = now;
    this.last = seen.pool().repairs();
    SortedMap<String, List<Check>> answers = answers();
    List<SuspectedAlert> all = new ArrayList<>();
    last.suspects().stream()
        .filter(each -> !daily.isReleased(each.alert()))
        .flatMap(each -> next(each, answers.getOrDefault(each.alert(), List.of())).stream())
        .forEach(all::add);
    Stream.concat(
            faulty.ofOthers().keySet().stream(),
            faulty.own().keySet().stream().filter(SuspectedAlert::isNotReady))
        .distinct()
        .filter(alert -> last.suspect(alert).isEmpty())
        .flatMap(alert -> doubted(alert).stream())
        .forEach(all::add);
    this.full = all.size() > RepairState.MOST_SUSPECTS;
    this.suspects =
        all.stream()
            .limit(RepairState.MOST_SUSPECTS)
            .sorted(Comparator.comparing(SuspectedAlert::alert))
            .toList();
  }

  /** Returns the state with the suspected alerts. */
  RepairState on(RepairState state) {
    return state.withSuspects(suspects).withFull(full);
  }

  /** When the first verdict with a limited time ends; empty if there is none. */
  Optional<Instant> changesAt() {
    return suspects.stream()
        .filter(each -> each.verdict() == Verdict.GENUINE || each.isFalseAlarm())
        .map(each -> daily.until(each.since()))
        .filter(at -> at.isAfter(now))
        .min(Instant::compareTo);
  }

  /** The doubt about an alert that is not suspected yet; empty if it is not in doubt. */
  private Optional<SuspectedAlert> doubted(String alert) {
    if (daily.isReleased(alert)) {
      return Optional.empty();
    }
    if (SuspectedAlert.isNotReady(alert)) {
      return isPartition()
          ? Optional.of(SuspectedAlert.now(alert, Verdict.HELD, false, now))
          : Optional.empty();
    }
    boolean byShare = isDoubtedByShare(alert);
    if (!byShare && !(daily.isDoubtedByCount(alert) && isWaitedFor(alert))) {
      return Optional.empty();
    }
    return Optional.of(
        SuspectedAlert.now(
            alert, daily.isVerifying() ? Verdict.PENDING : Verdict.HELD, !byShare, now));
  }

  /** Whether an alert is active on more Nodes than those whose work was ended for it. */
  private boolean isWaitedFor(String alert) {
    return faulty.ofOthers().getOrDefault(alert, 0) > daily.begun(alert);
  }

  /** A Host that was set aside for the alert counts as a Node on which it is active. */
  private boolean isDoubtedByShare(String alert) {
    int standing = faulty.ofOthers().getOrDefault(alert, 0) + daily.takenOut(alert);
    return standing > DailyLimits.most(DailyLimits.SHARE, seen.members());
  }

  /**
   * Whether too many Nodes are not Ready although their machines run: the network may be at fault,
   * and not the machines.
   */
  private boolean isPartition() {
    return seen.members().count(Members.Trait.SILENT)
        > DailyLimits.most(DailyLimits.SHARE, seen.members());
  }

  /** The next state of a suspected alert; empty once it is not suspected. */
  private Optional<SuspectedAlert> next(SuspectedAlert known, List<Check> answers) {
    SuspectedAlert checked = known;
    for (Check answer : answers) {
      checked = answer.at().isBefore(known.since()) ? checked : checked.with(answer);
    }
    boolean isNew = !checked.equals(known);
    SuspectedAlert judged = judged(checked, isNew);
    return switch (judged.verdict()) {
      case PENDING -> doubted(known.alert()).map(doubt -> stillDoubted(judged, doubt));
      case HELD ->
          SuspectedAlert.isNotReady(known.alert())
              ? doubted(known.alert()).map(_ -> known)
              : Optional.of(judged);
      case GENUINE, FALSE_ALARM ->
          daily.until(judged.since()).isAfter(now) ? Optional.of(judged) : doubted(known.alert());
    };
  }

  /** The doubt goes on, with the verifications so far; whether it is by count alone may change. */
  private SuspectedAlert stillDoubted(SuspectedAlert judged, SuspectedAlert doubt) {
    return doubt.verdict() == Verdict.HELD
        ? judged.judged(Verdict.HELD, now)
        : judged.withByCount(doubt.byCount());
  }

  private SuspectedAlert judged(SuspectedAlert checked, boolean isNew) {
    if (!isNew) {
      return checked;
    }
    return switch (checked.verdict()) {
      case PENDING -> {
        if (checked.checks().getLast().passed().orElse(false)) {
          yield checked.judged(Verdict.FALSE_ALARM, now);
        }
        if (machines(checked, Optional.of(false)) >= SuspectedAlert.MOST_CHECKS) {
          yield checked.judged(Verdict.GENUINE, now);
        }
        long unanswered =
            checked.checks().stream().filter(check -> check.passed().isEmpty()).count();
        yield unanswered >= SuspectedAlert.MOST_CHECKS
            ? checked.judged(Verdict.HELD, now)
            : checked;
      }
      case GENUINE ->
          machines(checked, Optional.of(true)) >= 2
              ? checked.judged(Verdict.PENDING, now).withChecks(List.of())
              : checked;
      case FALSE_ALARM, HELD -> checked;
    };
  }

  /** The number of machines with this result. */
  private static long machines(SuspectedAlert checked, Optional<Boolean> passed) {
    return checked.checks().stream()
        .filter(check -> check.passed().equals(passed))
        .map(Check::hostUid)
        .distinct()
        .count();
  }

  /** The verifications that are over, by the alerts for which they count. */
  private SortedMap<String, List<Check>> answers() {
    SortedMap<String, List<Check>> answers = new TreeMap<>();
    if (last.suspects().isEmpty()) {
      return answers;
    }
    seen.members()
        .having(Members.Trait.ALERT_VERIFIED)
        .forEach(member ->
            answer(member)
                .forEach((alert, check) ->
                    answers.computeIfAbsent(alert, _ -> new ArrayList<>()).add(check)));
    answers.values().forEach(each -> each.sort(Comparator.comparing(Check::at)));
    return answers;
  }

  /**
   * A pass counts for each active alert of the machine, any other result only for the alert for
   * which it was requested.
   */
  private static SortedMap<String, Check> answer(Member member) {
    Host host = member.host();
    BootRequest request = host.alertVerification().orElseThrow();
    Optional<Boolean> passed = host.alertVerified();
    Check check = new Check(host.id().name(), host.id().uid(), request.at(), passed);
    SortedMap<String, Check> answers = new TreeMap<>();
    if (passed.orElse(false)) {
      member.findings().needed().all().stream()
          .filter(needed -> needed.isOfOthers() && !needed.since().isAfter(request.at()))
          .forEach(needed -> answers.put(needed.alert(), check));
    }
    answers.put(request.alert(), check);
    return answers;
  }

  /** Why nothing is done for an alert. */
  String text(String alert) {
    Optional<SuspectedAlert> suspect =
        suspects.stream().filter(each -> each.alert().equals(alert)).findFirst();
    String text = suspect.map(this::text).orElseGet(() -> alert + " " + NO_PLACE);
    String misread = seen.pool().spec().repair().suspects().misread();
    return misread.isEmpty()
        ? text
        : "%s The annotation %s is ignored in part: %s is not ALERT/UNTIL."
            .formatted(text, PoolAnnotations.RELEASE_SUSPECTS.key(), UserText.quoted(misread));
  }

  private static final String NO_PLACE =
      "may be in doubt, and so many other alerts are that there is no place for it; no machine is repaired for it until one of these has ended.";

  private String text(SuspectedAlert suspect) {
    String alert = suspect.alert();
    if (SuspectedAlert.isNotReady(alert)) {
      return "So many Nodes are not Ready although their machines run that the network may be at fault; none is rebooted for %s until fewer are, or a person releases it."
          .formatted(alert);
    }
    return switch (suspect.verdict()) {
      case PENDING ->
          "%s is in doubt; a machine is verified before anything is done for it%s."
              .formatted(alert, probed(alert));
      case FALSE_ALARM ->
          "%s is a false alarm, since %s passed the verification; nothing is done for it until %s."
              .formatted(
                  alert,
                  named(suspect, Optional.of(true)),
                  Messages.instant(daily.until(suspect.since())));
      case HELD ->
          suspect.checks().stream().anyMatch(check -> check.passed().isEmpty())
              ? "%s is in doubt, and %s did not answer the verification; nothing %sis done for it until a person releases it."
                  .formatted(alert, named(suspect, Optional.empty()), more(suspect))
              : "%s is in doubt, and the fleet does not verify machines; nothing %sis done for it until a person releases it."
                  .formatted(alert, more(suspect));
      case GENUINE -> "%s is genuine.".formatted(alert);
    };
  }

  /** If an alert is in doubt by count alone, repairs that have begun go on. */
  private static String more(SuspectedAlert suspect) {
    return suspect.byCount() ? "else " : "";
  }

  private static String named(SuspectedAlert suspect, Optional<Boolean> passed) {
    return Messages.named("Node", suspect.nodes(passed), SuspectedAlert.MOST_CHECKS);
  }

  private String probed(String alert) {
    return last.admitted()
        .filter(each -> each.verifies() && each.alert().equals(alert))
        .filter(each ->
            seen.members().find(each.hostUid()).filter(MachineRepair::isVerifying).isPresent())
        .map(each -> "; Node %s was chosen for that".formatted(each.node()))
        .orElse("");
  }
}
