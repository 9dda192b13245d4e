package io.nodepool.conformance;

import static io.nodepool.conformance.ConformanceCheck.changes;
import static io.nodepool.conformance.ConformanceCheck.each;

import io.nodepool.conformance.ConformanceCheck.Cases;
import io.nodepool.conformance.History.Awaited;
import io.nodepool.conformance.History.Belongings;
import io.nodepool.conformance.History.Change;
import io.nodepool.conformance.History.DeletedNode;
import io.nodepool.conformance.History.Ending;
import io.nodepool.conformance.History.HostDeleted;
import io.nodepool.conformance.History.HostVersion;
import io.nodepool.conformance.History.Killed;
import io.nodepool.conformance.History.NodeDeleted;
import io.nodepool.conformance.History.Rested;
import io.nodepool.conformance.History.Unreadable;
import io.nodepool.conformance.History.Wrote;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.Host.PowerReading;
import io.nodepool.fleet.HostPhase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** The checks of what a fleet writes, and of what it must not change. */
final class ReportChecks {
  /** How far the clocks of a fleet and of this program may be apart. */
  private static final Duration SKEW = Duration.ofSeconds(30);

  /** How many versions of a Host may appear while nothing is requested of it. */
  private static final int MOST_AT_REST = 2;

  private ReportChecks() {}

  static Map<String, BiConsumer<History, Cases>> judges() {
    return Map.ofEntries(
        Map.entry("offer", ReportChecks::offer),
        Map.entry(
            "readable",
            each(HostVersion.class, (_, _) -> true, _ -> "")
                .andThen(each(Unreadable.class, (_, _) -> false, Unreadable::why))),
        Map.entry("reclaim", ReportChecks::reclaim),
        Map.entry("signals", ReportChecks::signals),
        Map.entry("power", ReportChecks::power),
        Map.entry("spec-untouched", ReportChecks::spec),
        Map.entry("status-by-version", ReportChecks::status),
        Map.entry(
            "deletes-nothing",
            each(
                    NodeDeleted.class,
                    (host, each) ->
                        host.of(DeletedNode.class).anyMatch(own -> own.uid().equals(each.uid())),
                    _ -> "the Node was deleted")
                .andThen(each(HostDeleted.class, (_, _) -> false, _ -> "it was deleted"))),
        Map.entry(
            "at-rest",
            each(
                Rested.class,
                (host, each) ->
                    host.before(each)
                            .of(HostVersion.class)
                            .filter(seen -> seen.at().isAfter(each.from()))
                            .count()
                        <= MOST_AT_REST,
                each -> "it was written more than once since " + each.from())),
        Map.entry("no-orphans", ReportChecks::orphans),
        Map.entry("killed", ReportChecks::killed));
  }

  private static void offer(History host, Cases cases) {
    host.of(HostVersion.class)
        .limit(1)
        .forEach(first ->
            cases.judge(
                host.offer().mistake().isEmpty(), first, host.offer().mistake().orElse("")));
  }

  private static void reclaim(History host, Cases cases) {
    for (HostVersion each : host.of(HostVersion.class).toList()) {
      each.now()
          .reclaim()
          .ifPresent(notice ->
              cases.judge(
                  notice.reclaimAt().isAfter(notice.announcedAt())
                      && each.now().report().spot().offered(),
                  each,
                  notice.toString()));
    }
  }

  private static void signals(History host, Cases cases) {
    Set<String> boots = new HashSet<>(Set.of(""));
    for (HostVersion each : host.of(HostVersion.class).toList()) {
      boots.add(each.now().report().bootId());
      each.now()
          .report()
          .signals()
          .forEach(signal ->
              cases.judge(
                  !signal.since().isAfter(each.at().plus(SKEW)) && boots.contains(signal.bootId()),
                  each,
                  signal.toString()));
    }
  }

  private static void power(History host, Cases cases) {
    Instant asked = Instant.EPOCH;
    for (Change each : host.changes()) {
      asked = each.isOfSpec() ? each.seen().at() : asked;
      Optional<PowerReading> before = each.before().report().power();
      Optional<PowerReading> power = each.after().report().power();
      if (power.isPresent()) {
        Instant read = power.get().checkedAt();
        boolean begins = each.begins(HostPhase.STOPPED) || each.begins(HostPhase.RUNNING);
        cases.judge(
            before.filter(last -> last.checkedAt().isAfter(read)).isEmpty()
                && !read.isAfter(each.seen().at().plus(SKEW))
                && !(begins && read.plus(SKEW).isBefore(asked))
                && isRight(each, power.get().state()),
            each.seen(),
            "%s, read at %s; phase %s, after what was asked at %s"
                .formatted(
                    power.get().state().word(), read, each.after().report().phase().word(), asked));
      }
    }
    for (Rested each : host.of(Rested.class).toList()) {
      host.before(each)
          .host()
          .flatMap(last -> last.report().power())
          .filter(power -> power.state() != PowerReading.State.UNKNOWN)
          .ifPresent(power ->
              cases.judge(
                  !power.staleAt().plus(SKEW).isBefore(each.at()),
                  each,
                  "it was last read at " + power.checkedAt()));
    }
  }

  private static boolean isRight(Change change, PowerReading.State state) {
    return !(change.begins(HostPhase.STOPPED) && state != PowerReading.State.OFF)
        && !(change.begins(HostPhase.RUNNING) && state != PowerReading.State.ON);
  }

  /** Each change of the spec must be the effect of an operation of this program, each once. */
  private static void spec(History host, Cases cases) {
    List<Wrote> ours = new ArrayList<>(host.of(Wrote.class).toList());
    for (Change each : host.changes()) {
      if (each.isOfSpec()) {
        Optional<Wrote> own =
            ours.stream()
                .filter(wrote -> wrote.left().version() >= each.after().version())
                .filter(wrote -> wrote.left().occupancy().equals(each.after().occupancy()))
                .findFirst();
        own.ifPresent(ours::remove);
        cases.judge(own.isPresent(), each.seen(), "spec became " + each.after().occupancy());
      }
    }
  }

  private static void status(History host, Cases cases) {
    Set<List<Object>> known = new HashSet<>();
    host.host(0).map(ReportChecks::core).ifPresent(known::add);
    changes(
            each -> !core(each.before()).equals(core(each.after())),
            (_, each) ->
                known.add(core(each.after()))
                    && each.reboots() >= 0
                    && !(each.isOfPhase()
                        && each.after().report().since().isBefore(each.before().report().since())),
            each -> "an older status came back: " + DeliveryChecks.phases(each))
        .accept(host, cases);
  }

  /** The part of a status that never returns to an earlier value. */
  private static List<Object> core(Host host) {
    Host.Report report = host.report();
    return List.of(report.phase(), report.tenancy(), report.boot(), report.since());
  }

  private static void orphans(History host, Cases cases) {
    List<Belongings> belongings = host.of(Belongings.class).toList();
    if (belongings.size() > 1) {
      SortedSet<String> more = new TreeSet<>(belongings.getLast().names());
      more.removeAll(belongings.getFirst().names());
      cases.judge(more.isEmpty(), belongings.getLast(), String.join(", ", more));
    }
  }

  private static void killed(History host, Cases cases) {
    for (Killed each : host.of(Killed.class).toList()) {
      host.after(each)
          .filter(Awaited.class::isInstance)
          .map(Awaited.class::cast)
          .limit(1)
          .forEach(next -> cases.judge(next.ending() == Ending.CAME, next, next.state()));
    }
  }
}
