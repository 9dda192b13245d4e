package io.nodepool.conformance;

import static io.nodepool.conformance.ConformanceCheck.changes;

import io.nodepool.conformance.ConformanceCheck.Cases;
import io.nodepool.conformance.History.Awaited;
import io.nodepool.conformance.History.Change;
import io.nodepool.conformance.History.Wrote;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair.RepairAnswer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.vocabulary.BootKind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** The checks of requests to a running machine, as the offer of its fleet allows them. */
final class BootChecks {
  private BootChecks() {}

  static Map<String, BiConsumer<History, Cases>> judges() {
    Map<String, BiConsumer<History, Cases>> judges =
        new TreeMap<>(
            Map.of(
                "higher-try",
                (host, cases) -> requests(host, 2).forEach(each -> judge(host, each, 2, cases)),
                "boots-once",
                BootChecks::once,
                "boot-id-new",
                BootChecks::isNew,
                "unoffered-kinds",
                BootChecks::unoffered,
                "verification",
                DeliveryChecks.came(Milestone.VERIFIED).andThen(BootChecks::verifiedOnce),
                "component-repairs",
                DeliveryChecks.came(Milestone.REPAIRED).andThen(BootChecks::repairedOnce)));
    Arrays.stream(BootKind.values())
        .filter(BootKind::boots)
        .forEach(kind ->
            judges.put(
                "boot-" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                (host, cases) ->
                    requests(host, kind).forEach(each -> judge(host, each, 1, cases))));
    return judges;
  }

  /** The requests that were written with this try. */
  private static Stream<Wrote> requests(History host, int attempt) {
    return host.of(Wrote.class)
        .filter(each ->
            each.operation() instanceof HostOperation.Boot boot
                && boot.request().attempt() == attempt);
  }

  /** The first tries of boots of an offered kind, if the script waited next for their end. */
  private static Stream<Wrote> requests(History host, BootKind kind) {
    return requests(host, 1)
        .filter(each -> request(each).kind() == kind && offers(host, each))
        .filter(each ->
            host.after(each)
                .filter(later -> later instanceof Awaited || later instanceof Wrote)
                .limit(1)
                .anyMatch(next ->
                    next instanceof Awaited waited && waited.milestone() == Milestone.BOOTED));
  }

  private static boolean offers(History host, Wrote asked) {
    return host.offer().capabilities().offers(request(asked).kind());
  }

  private static BootRequest request(Wrote asked) {
    return ((HostOperation.Boot) asked.operation()).request();
  }

  /** The changes while the Host has this request or a later try of it. */
  private static List<Change> of(History host, Wrote asked) {
    return host.changes().stream()
        .filter(each -> each.after().assignment().isPresent())
        .filter(each -> each.after().tenancy() == asked.operation().tenancy())
        .filter(each ->
            each.after().boot().filter(last -> last.isOf(request(asked).operation())).isPresent())
        .toList();
  }

  private static void judge(History host, Wrote asked, int cycles, Cases cases) {
    long boots = of(host, asked).stream().filter(Change::isOfBoot).count();
    int counted = of(host, asked).stream().mapToInt(Change::reboots).sum();
    cases.judge(
        boots == 1 && counted == cycles,
        asked,
        "%d other boot ids, status.reboots + %d".formatted(boots, counted));
  }

  private static void once(History host, Cases cases) {
    Set<List<Object>> begun = new HashSet<>();
    for (Change each : host.changes()) {
      // The first boot of a delivery: a fleet may learn its id from the kubelet.
      boolean asked =
          each.before().isRebooting()
              || each.before().report().boot().cycle().isPresent()
              || each.before().report().bootId().isEmpty();
      if (each.before().is(HostPhase.RUNNING) && each.isOfBoot()) {
        cases.judge(asked, each.seen(), "another boot, although none was asked for");
      }
      if (each.reboots() > 0) {
        boolean first =
            each.after()
                .boot()
                .filter(last -> begun.add(List.of(last.operation(), last.attempt())))
                .isPresent();
        cases.judge(
            first && each.reboots() == 1,
            each.seen(),
            "one more power cycle, although none was asked for");
      }
    }
  }

  private static void isNew(History history, Cases cases) {
    Set<String> known = new HashSet<>();
    history.host(0).map(host -> host.report().bootId()).ifPresent(known::add);
    changes(
            Change::isOfBoot,
            (_, each) -> known.add(each.after().report().bootId()),
            each -> "boot \"%s\" again".formatted(each.after().report().bootId()))
        .accept(history, cases);
  }

  private static void unoffered(History host, Cases cases) {
    requests(host, 1)
        .filter(each -> !offers(host, each))
        .forEach(each ->
            cases.judge(
                of(host, each).stream().noneMatch(BootChecks::isCarriedOut),
                each,
                request(each).kind().word() + " was carried out"));
  }

  private static boolean isCarriedOut(Change change) {
    Host host = change.after();
    return change.reboots() > 0
        || change.isOfBoot()
        || host.report().boot().cycle().isPresent()
        || host.boot().flatMap(host::verified).isPresent();
  }

  private static void verifiedOnce(History host, Cases cases) {
    Set<List<Object>> answered = new HashSet<>();
    for (Change each : host.changes()) {
      Optional<Host.Verification> last = each.after().report().boot().verification();
      last.filter(_ -> !last.equals(each.before().report().boot().verification()))
          .ifPresent(answer ->
              cases.judge(
                  answered.add(List.of(answer.bootId(), answer.operation(), answer.attempt())),
                  each.seen(),
                  "a second answer: " + answer));
    }
  }

  private static void repairedOnce(History host, Cases cases) {
    Set<List<Object>> answered = new HashSet<>();
    for (Change each : host.changes()) {
      for (RepairAnswer answer : each.after().report().repairs()) {
        if (!each.before().report().repairs().contains(answer)) {
          cases.judge(
              answered.add(List.of(answer.alert(), answer.attempt())),
              each.seen(),
              "a second answer: " + answer);
        }
      }
    }
  }
}
