package io.nodepool.conformance;

import static io.nodepool.conformance.ConformanceCheck.ofHost;

import io.nodepool.conformance.ConformanceCheck.Cases;
import io.nodepool.conformance.History.Awaited;
import io.nodepool.conformance.History.Belongings;
import io.nodepool.conformance.History.Change;
import io.nodepool.conformance.History.DeletedNode;
import io.nodepool.conformance.History.Ending;
import io.nodepool.conformance.History.Fact;
import io.nodepool.conformance.History.HostDeleted;
import io.nodepool.conformance.History.HostVersion;
import io.nodepool.conformance.History.Killed;
import io.nodepool.conformance.History.NodeDeleted;
import io.nodepool.conformance.History.NodeVersion;
import io.nodepool.conformance.History.Rested;
import io.nodepool.conformance.History.Unreadable;
import io.nodepool.conformance.History.Wrote;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.BootKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All checks of fleets. Each reads a history alone, and knows nothing of the order of a run. */
public final class ConformanceChecks {
  /** How far the clocks of a fleet and of this program may be apart. */
  private static final Duration SKEW = Duration.ofSeconds(30);

  /** How many versions of a Host may appear while nothing is asked of it. */
  private static final int MOST_AT_REST = 2;

  private static final String STEPS = "write-a-fleet.md#the-steps";
  private static final String ASSIGNMENT = "write-a-fleet.md#d36";
  private static final String NODE = "write-a-fleet.md#d37";
  private static final String WRITES = "write-a-fleet.md#what-each-one-writes";
  private static final String BOOT = "contract.md#d142";
  private static final String CONFIGURATION = "contract.md#d151";
  private static final String NOT_THAT_FAR = "no machine came that far";
  private static final String NO_BOOTS = "no boot was requested";

  private static final List<ConformanceCheck> ALL =
      Stream.of(delivery(), endings(), boots(), capabilities(), writes()).flatMap(List::stream).toList();

  private ConformanceChecks() {}

  /** All checks, in the order of a report. */
  public static List<ConformanceCheck> all() {
    return ALL;
  }

  /** The name of the check of this kind of boot. */
  static String name(BootKind kind) {
    return "boot-" + kind.word().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  private static List<ConformanceCheck> delivery() {
    return List.of(
        new ConformanceCheck(
            "offer",
            "write-a-fleet.md#d38",
            "The offer can be read.",
            "it is always checked",
            ConformanceChecks::offer),
        ofHost(
            "readable",
            "write-a-fleet.md#d106",
            "Each version of a Host can be read: a phase, words that are known, times.",
            "no Host was seen",
            (host, cases) -> {
              host.of(HostVersion.class).forEach(each -> cases.judge(true, each, ""));
              host.of(Unreadable.class).forEach(each -> cases.judge(false, each, each.why()));
            }),
        ofHost(
            "delivers",
            ASSIGNMENT,
            "An assigned Host becomes Running with the tenancy of the assignment.",
            NOT_THAT_FAR,
            came(Milestone.RUNNING)),
        ofHost(
            "says-how-it-ends",
            "write-a-fleet.md#d103",
            "A delivery ends with Running or Failed before the deadline.",
            NOT_THAT_FAR,
            (host, cases) ->
                awaited(host, Milestone.RUNNING)
                    .forEach(each ->
                        cases.judge(each.ending() != Ending.LATE, each, each.state()))),
        ofHost(
            "failed-is-final",
            "write-a-fleet.md#d103",
            "Failed ends only after the assignment: nothing else but Stopped follows before.",
            NOT_THAT_FAR,
            (host, cases) ->
                host.changes().stream()
                    .filter(each -> each.after().assignment().isPresent() && each.isOfPhase())
                    .forEach(each ->
                        cases.judge(
                            each.before().report().phase() != HostPhase.FAILED
                                || each.after().report().phase() == HostPhase.STOPPED,
                            each.seen(),
                            phases(each)))),
        ofHost(
            "tenancy",
            ASSIGNMENT,
            "Each phase and boot is reported with the tenancy of the Host, and no boot belongs to two.",
            NOT_THAT_FAR,
            ConformanceChecks::tenancy),
        ofHost(
            "node-identity",
            NODE,
            "The Node has the name, the UID and the tenancy of its Host, and becomes Ready.",
            NOT_THAT_FAR,
            (host, cases) -> {
              came(Milestone.JOINED).accept(host, cases);
              host.newNodes()
                  .forEach(each ->
                      cases.judge(
                          host.before(each).last(HostVersion.class).map(HostVersion::now)
                              .filter(each.now()::isOf)
                              .isPresent(),
                          each,
                          "a Node of tenancy %d was not the Host's"
                              .formatted(each.now().identity().tenancy())));
            }),
        ofHost(
            "node-complete",
            NODE,
            "The Node has the labels, annotations and taints of the assignment from the start.",
            NOT_THAT_FAR,
            (host, cases) ->
                host.newNodes()
                    .forEach(each ->
                        host.before(each).last(HostVersion.class)
                            .flatMap(last -> last.now().assignment())
                            .ifPresent(assigned ->
                                cases.judge(
                                    has(each.now(), assigned.node()),
                                    each,
                                    "the Node lacks a part of " + assigned.node())))),
        ofHost(
            "boot-id",
            NODE,
            "The kubelet reports the boot of status.bootId.",
            NOT_THAT_FAR,
            (host, cases) -> {
              came(Milestone.SAME_BOOT).accept(host, cases);
              host.of(Rested.class).forEach(each -> sameBoot(host.before(each), each, cases));
            }),
        ofHost(
            "configuration",
            CONFIGURATION,
            "Each boot is into spec.configuration, and bootedConfiguration says so.",
            "the offer names no configuration, or " + NOT_THAT_FAR,
            (host, cases) ->
                host.changes().stream()
                    .filter(each -> each.after().is(HostPhase.RUNNING) && each.isOfBoot())
                    .filter(each -> !each.after().configuration().isEmpty())
                    .forEach(each ->
                        cases.judge(
                            each.after()
                                .configuration()
                                .equals(each.after().report().bootedConfiguration()),
                            each.seen(),
                            "\"%s\" was booted instead of \"%s\""
                                .formatted(
                                    each.after().report().bootedConfiguration(),
                                    each.after().configuration())))));
  }

  private static List<ConformanceCheck> endings() {
    return List.of(
        ofHost(
            "cancel-before-boot",
            ASSIGNMENT,
            "A machine whose assignment is cancelled while it is Free does not boot for it.",
            "each machine booted before it could be cancelled",
            (host, cases) ->
                cancelled(host, HostPhase.FREE)
                    .forEach(each ->
                        cases.judge(
                            unassignedAfter(host, each)
                                .noneMatch(later ->
                                    later.begins(HostPhase.BOOTING)
                                        || later.begins(HostPhase.RUNNING)),
                            each.seen(),
                            "it booted all the same"))),
        ofHost(
            "cancel-during-boot",
            ASSIGNMENT,
            "A machine whose assignment is cancelled while it is Booting is cleaned before it is Free.",
            "no machine was cancelled in the phase Booting",
            (host, cases) ->
                cancelled(host, HostPhase.BOOTING)
                    .forEach(each ->
                        cases.judge(
                            unassignedAfter(host, each)
                                .filter(Change::isOfPhase)
                                .findFirst()
                                .filter(next ->
                                    !next.begins(HostPhase.CLEANING)
                                        && !next.begins(HostPhase.FAILED))
                                .isEmpty(),
                            each.seen(),
                            "it was not cleaned"))),
        ofHost(
            "reassign",
            ASSIGNMENT,
            "Of two assignments in a row, the first one cancelled, only the second one boots.",
            "no assignment was cancelled in time",
            (host, cases) ->
                host.changes().stream()
                    .filter(Change::isCancellation)
                    .filter(each -> host.after(each).anyMatch(later -> later.after().tenancy() > each.after().tenancy()))
                    .forEach(each -> cases.judge(isForgotten(host, each), each.seen(),
                        "tenancy %d ran after it was cancelled".formatted(each.after().tenancy())))),
        ofHost("stops", STEPS, "spec.power Off stops the machine, and it is reported Stopped.", NOT_THAT_FAR,
            came(Milestone.STOPPED)),
        ofHost(
            "off-wins",
            STEPS,
            "A machine that is to be off before its boot ended does not become Running.",
            "no machine was to be off before its boot ended",
            (host, cases) ->
                host.changes().stream()
                    .filter(each -> each.after().power() == Host.Power.OFF && each.before().power() == Host.Power.ON)
                    .filter(each -> each.after().isBooting() || each.before().isRebooting())
                    .forEach(each ->
                        cases.judge(
                            host.sameTenancyAfter(each)
                                .noneMatch(later -> later.begins(HostPhase.RUNNING) || later.isOfBoot()),
                            each.seen(),
                            "it booted all the same"))),
        ofHost(
            "off-stays-off",
            STEPS,
            "A machine that is off stays Stopped and does not join again until it is released.",
            NOT_THAT_FAR,
            (host, cases) ->
                host.changes().stream()
                    .filter(each -> each.begins(HostPhase.STOPPED) && each.after().assignment().isPresent())
                    .forEach(each ->
                        cases.judge(staysOff(host, each), each.seen(), "it came back, or a Node of it joined"))),
        ofHost(
            "release-cleans",
            ASSIGNMENT,
            "A machine that has begun to boot is Cleaning before it is Free, and Free has no Node.",
            NOT_THAT_FAR,
            (host, cases) ->
                host.changes().stream()
                    .filter(each -> each.begins(HostPhase.FREE))
                    .forEach(each -> {
                      cases.judge(
                          Set.of(HostPhase.CLEANING, HostPhase.FAILED).contains(each.before().report().phase()),
                          each.seen(),
                          phases(each));
                      cases.require(
                          host.before(each.seen()).node().isEmpty(), each.seen(), "its Node is still there");
                    })),
        ofHost("release-ends", ASSIGNMENT, "A machine without an assignment becomes Free.", NOT_THAT_FAR,
            came(Milestone.FREE)));
  }

  private static List<ConformanceCheck> boots() {
    List<ConformanceCheck> checks = new ArrayList<>();
    Arrays.stream(BootKind.values())
        .filter(BootKind::boots)
        .forEach(kind ->
            checks.add(
                ofHost(
                    name(kind),
                    BOOT,
                    "A request of the kind %s changes the boot id once, and status.reboots by 1.".formatted(kind.word()),
                    "the offer does not name %s, or %s".formatted(kind.word(), NOT_THAT_FAR),
                    (host, cases) -> requests(host, kind).forEach(each -> judge(host, each, 1, cases)))));
    checks.add(
        ofHost(
            "higher-try",
            BOOT,
            "A higher try for the same boot begins one more power cycle.",
            "no boot was under way long enough to ask for another try",
            (host, cases) ->
                requests(host, 2).forEach(each -> judge(host, each, 2, cases))));
    checks.add(
        ofHost(
            "boots-once",
            BOOT,
            "Each power cycle is one that was asked for, one for each try, and a request is not repeated.",
            NO_BOOTS,
            ConformanceChecks::bootsOnce));
    checks.add(
        ofHost(
            "boot-id-new",
            BOOT,
            "status.bootId is never one that the machine had before.",
            NOT_THAT_FAR,
            (host, cases) -> {
              Set<String> known = new HashSet<>();
              host.changes().stream()
                  .filter(Change::isOfBoot)
                  .forEach(each ->
                      cases.judge(known.add(each.after().report().bootId()), each.seen(),
                          "boot \"%s\" again".formatted(each.after().report().bootId())));
            }));
    checks.add(
        ofHost(
            "unoffered-kinds",
            BOOT,
            "A kind of boot that the offer does not name is not carried out.",
            "the offer names all kinds, or " + NOT_THAT_FAR,
            (host, cases) ->
                requests(host, 1)
                    .filter(each -> !host.offer().capabilities().offers(request(each).kind()))
                    .forEach(each ->
                        cases.judge(
                            of(host, each)
                                .noneMatch(change ->
                                    change.reboots() > 0
                                        || change.isOfBoot()
                                        || change.after().report().boot().cycle().isPresent()
                                        || change.after().boot().flatMap(change.after()::verified).isPresent()),
                            each,
                            request(each).kind().word() + " was carried out"))));
    return checks;
  }

  private static List<ConformanceCheck> capabilities() {
    return List.of(
        ofHost(
            "verification",
            BOOT,
            "A fleet that verifies answers each request once, and the kind Verification boots nothing.",
            "the offer does not say that the fleet verifies, or " + NOT_THAT_FAR,
            (host, cases) -> {
              came(Milestone.VERIFIED).accept(host, cases);
              Set<List<Object>> answered = new HashSet<>();
              host.changes().stream()
                  .filter(each -> !each.before().report().boot().verification().equals(each.after().report().boot().verification()))
                  .forEach(each ->
                      each.after().report().boot().verification()
                          .ifPresent(answer ->
                              cases.judge(answered.add(List.of(answer.bootId(), answer.operation(), answer.attempt())),
                                  each.seen(), "a second answer to try %d of %s".formatted(answer.attempt(), answer.operation()))));
            }),
        ofHost(
            "component-repairs",
            "contract.md#d151",
            "A fleet that repairs components answers each try of each alert once.",
            "the offer does not say that the fleet repairs components, or " + NOT_THAT_FAR,
            (host, cases) -> {
              came(Milestone.REPAIRED).accept(host, cases);
              Set<ComponentRepair.RepairAnswer> answers = new TreeSet<>(ConformanceChecks::compare);
              host.changes().stream()
                  .flatMap(each ->
                      each.after().report().repairs().stream()
                          .filter(answer -> !each.before().report().repairs().contains(answer))
                          .map(answer -> new Answered(each, answer)))
                  .forEach(each ->
                      cases.require(answers.add(each.answer()), each.change().seen(), "a second answer: " + each.answer()));
            }),
        ofHost(
            "reclaim",
            "contract.md#15-spot",
            "A machine is wanted back after the announcement, and only if it is offered as spot.",
            "no machine was wanted back",
            (host, cases) ->
                host.of(HostVersion.class)
                    .forEach(each ->
                        each.now().reclaim()
                            .ifPresent(notice ->
                                cases.judge(
                                    notice.reclaimAt().isAfter(notice.announcedAt()) && each.now().report().spot().offered(),
                                    each,
                                    notice.toString())))),
        ofHost(
            "signals",
            "health.md#signals",
            "A signal of the fleet is not observed in the future, and its boot is one that the machine had.",
            "no signal was reported",
            ConformanceChecks::signals),
        ofHost(
            "power",
            STEPS,
            "status.power is as new as it says: read after what changed it, and never older than 30 minutes.",
            "the fleet does not report status.power",
            ConformanceChecks::power));
  }

  private static List<ConformanceCheck> writes() {
    return List.of(
        ofHost(
            "spec-untouched",
            WRITES,
            "The fleet does not write spec.",
            NOT_THAT_FAR,
            ConformanceChecks::spec),
        ofHost(
            "status-by-version",
            WRITES,
            "A status is never written over a newer one.",
            NOT_THAT_FAR,
            (host, cases) -> {
              Set<Object> known = new HashSet<>();
              host.of(HostVersion.class).limit(1).forEach(each -> known.add(core(each.now())));
              host.changes().stream()
                  .filter(each -> !core(each.before()).equals(core(each.after())))
                  .forEach(each ->
                      cases.judge(
                          known.add(core(each.after()))
                              && each.reboots() >= 0
                              && !(each.isOfPhase() && each.after().report().since().isBefore(each.before().report().since())),
                          each.seen(),
                          "an older status came back: " + phases(each)));
            }),
        ofHost(
            "deletes-nothing",
            ASSIGNMENT,
            "The fleet deletes no Node, and no Host that is assigned.",
            NOT_THAT_FAR,
            (host, cases) -> {
              host.of(NodeDeleted.class)
                  .forEach(each ->
                      cases.judge(
                          host.of(DeletedNode.class).anyMatch(ours -> ours.uid().equals(each.uid())),
                          each,
                          "the Node was deleted"));
              host.of(HostDeleted.class).forEach(each -> cases.judge(false, each, "the Host was deleted"));
            }),
        ofHost(
            "at-rest",
            STEPS,
            "While nothing is asked of a Host, its resourceVersion stays, but for one renewal.",
            NOT_THAT_FAR,
            (host, cases) ->
                host.of(Rested.class)
                    .forEach(each -> {
                      long versions =
                          host.before(each).of(HostVersion.class).filter(seen -> seen.at().isAfter(each.from())).count();
                      cases.judge(versions <= MOST_AT_REST, each,
                          "%d versions since %s".formatted(versions, each.from()));
                    })),
        new ConformanceCheck(
            "no-orphans",
            ASSIGNMENT,
            "After all cycles there are no Nodes, Secrets and ConfigMaps that were not there before.",
            "the run did not end",
            ConformanceChecks::orphans),
        ofHost(
            "killed",
            "write-a-fleet.md#try-it",
            "A fleet that is killed in each step goes on when it is started again.",
            "no --restart-command was given",
            (host, cases) ->
                host.of(Killed.class)
                    .forEach(each ->
                        host.of(Awaited.class)
                            .filter(later -> !later.at().isBefore(each.at()))
                            .findFirst()
                            .ifPresent(next -> cases.judge(next.ending() == Ending.CAME, next, next.milestone().word() + " did not come: " + next.state())))));
  }

  private static void offer(History history, Cases cases) {
    Fact first = new Unreadable(history.facts().isEmpty() ? Instant.EPOCH : history.facts().getFirst().at(), "fleet-offer", "");
    cases.judge(history.offer().mistake().isEmpty(), first, history.offer().mistake().orElse(""));
  }

  private static Stream<Awaited> awaited(History host, Milestone milestone) {
    return host.of(Awaited.class).filter(each -> each.milestone() == milestone);
  }

  private static BiConsumer<History, Cases> came(Milestone milestone) {
    return (host, cases) ->
        awaited(host, milestone)
            .forEach(each -> cases.judge(each.ending() == Ending.CAME, each, each.state()));
  }

  private static String phases(Change change) {
    return "%s of tenancy %d, then %s of tenancy %d"
        .formatted(
            change.before().report().phase().word(),
            change.before().report().tenancy(),
            change.after().report().phase().word(),
            change.after().report().tenancy());
  }

  private static boolean has(Node node, NodeTemplate template) {
    return node.metadata().labels().entrySet().containsAll(template.labels().entrySet())
        && node.metadata().annotations().entrySet().containsAll(template.annotations().entrySet())
        && node.metadata().taints().containsAll(template.taints());
  }

  private static void tenancy(History host, Cases cases) {
    host.changes().stream()
        .filter(each -> each.isOfPhase() || each.isOfBoot() || each.after().report().tenancy() != each.before().report().tenancy())
        .forEach(each ->
            cases.judge(each.after().report().tenancy() == each.after().tenancy(), each.seen(),
                "tenancy %d, while spec.tenancy is %d".formatted(each.after().report().tenancy(), each.after().tenancy())));
    host.of(HostVersion.class)
        .filter(each -> each.now().is(HostPhase.RUNNING) && !each.now().report().bootId().isEmpty())
        .collect(Collectors.groupingBy(each -> each.now().report().bootId()))
        .forEach((boot, versions) ->
            cases.require(
                versions.stream().map(each -> each.now().tenancy()).distinct().count() == 1,
                versions.getLast(),
                "boot \"%s\" is one of an earlier tenancy".formatted(boot)));
  }

  /** At rest, a Node that is Ready shows the boot of its Host. */
  private static void sameBoot(History before, Rested rested, Cases cases) {
    Optional<Host> last = before.last(HostVersion.class).map(HostVersion::now);
    before
        .node()
        .filter(node -> node.ready() && last.filter(host -> host.is(HostPhase.RUNNING) && node.isOf(host)).isPresent())
        .ifPresent(node ->
            cases.judge(
                node.status().bootId().equals(last.orElseThrow().report().bootId()),
                rested,
                Milestone.state(last.orElseThrow(), Optional.of(node))));
  }

  private static Stream<Change> cancelled(History host, HostPhase phase) {
    return host.changes().stream()
        .filter(each -> each.isCancellation() && each.before().report().phase() == phase);
  }

  private static Stream<Change> unassignedAfter(History host, Change change) {
    return host.after(change).takeWhile(each -> each.after().assignment().isEmpty());
  }

  /** Whether nothing of a cancelled tenancy appears later. */
  private static boolean isForgotten(History host, Change cancelled) {
    int tenancy = cancelled.after().tenancy();
    return host.after(cancelled)
            .noneMatch(each ->
                each.begins(HostPhase.RUNNING) && each.after().report().tenancy() == tenancy)
        && host.newNodes().stream().noneMatch(each -> each.now().identity().tenancy() == tenancy);
  }

  private static boolean staysOff(History host, Change stopped) {
    return host.sameTenancyAfter(stopped)
            .map(each -> each.after().report().phase())
            .allMatch(phase -> phase == HostPhase.STOPPED || phase == HostPhase.FAILED)
        && host.newNodes().stream()
            .noneMatch(each ->
                each.at().isAfter(stopped.seen().at())
                    && each.now().identity().tenancy() == stopped.after().tenancy());
  }

  /** The requests that were written with this try. */
  private static Stream<Wrote> requests(History host, int attempt) {
    return host.of(Wrote.class)
        .filter(each -> each.operation() instanceof HostOperation.Boot boot && boot.request().attempt() == attempt);
  }

  /** The first tries for a boot of a kind that is offered whose end was waited for next. */
  private static Stream<Wrote> requests(History host, BootKind kind) {
    return requests(host, 1)
        .filter(each -> request(each).kind() == kind && host.offer().capabilities().offers(kind))
        .filter(each ->
            host.facts().subList(host.facts().indexOf(each) + 1, host.facts().size()).stream()
                .filter(later -> later instanceof Awaited || later instanceof Wrote)
                .findFirst()
                .filter(next -> next instanceof Awaited waited && waited.milestone() == Milestone.BOOTED)
                .isPresent());
  }

  private static BootRequest request(Wrote wrote) {
    return ((HostOperation.Boot) wrote.operation()).request();
  }

  /** The changes while the Host has this request or a later try of it. */
  private static Stream<Change> of(History host, Wrote asked) {
    return host.changes().stream()
        .filter(each -> each.after().assignment().isPresent())
        .filter(each -> each.after().tenancy() == asked.operation().tenancy())
        .filter(each -> each.after().boot().filter(last -> last.isOf(request(asked).operation())).isPresent());
  }

  private static void judge(History host, Wrote asked, int cycles, Cases cases) {
    List<Change> changes = of(host, asked).toList();
    long boots = changes.stream().filter(Change::isOfBoot).count();
    int counted = changes.stream().mapToInt(Change::reboots).sum();
    cases.judge(
        boots == 1 && counted == cycles,
        asked,
        "%d other boot ids, status.reboots + %d".formatted(boots, counted));
  }

  private static void bootsOnce(History host, Cases cases) {
    Set<List<Object>> begun = new HashSet<>();
    for (Change each : host.changes()) {
      boolean runs = each.before().is(HostPhase.RUNNING) && each.after().is(HostPhase.RUNNING);
      boolean asked = each.before().isRebooting() || each.before().report().boot().cycle().isPresent();
      if (runs && each.isOfBoot()) {
        cases.judge(asked, each.seen(), "another boot, although none was asked for");
      }
      if (each.reboots() > 0) {
        boolean first =
            each.after().boot()
                .filter(request -> begun.add(List.of(request.operation(), request.attempt())))
                .isPresent();
        cases.judge(first && each.reboots() == 1, each.seen(), "one more power cycle, although none was asked for");
      }
    }
  }

  /** An answer to a request to repair a component, and the change with which it came. */
  private record Answered(Change change, ComponentRepair.RepairAnswer answer) {}

  private static int compare(ComponentRepair.RepairAnswer one, ComponentRepair.RepairAnswer other) {
    int alerts = one.alert().compareTo(other.alert());
    return alerts == 0 ? Integer.compare(one.attempt(), other.attempt()) : alerts;
  }

  private static void signals(History host, Cases cases) {
    Set<String> boots = new HashSet<>(Set.of(""));
    host.of(HostVersion.class)
        .forEach(each -> {
          boots.add(each.now().report().bootId());
          each.now().report().signals().forEach(signal ->
              cases.judge(
                  !signal.since().isAfter(each.at().plus(SKEW)) && boots.contains(signal.bootId()),
                  each,
                  "%s since %s, boot \"%s\"".formatted(signal.name(), signal.since(), signal.bootId())));
        });
  }

  private static void power(History host, Cases cases) {
    Instant asked = Instant.MIN;
    for (Change each : host.changes()) {
      if (each.isOfSpec()) {
        asked = each.seen().at();
      }
      Optional<Host.PowerReading> before = each.before().report().power();
      Optional<Host.PowerReading> power = each.after().report().power();
      if (power.isPresent()) {
        boolean off = each.begins(HostPhase.STOPPED);
        boolean on = each.begins(HostPhase.RUNNING);
        Instant read = power.get().checkedAt();
        cases.judge(
            before.filter(last -> last.checkedAt().isAfter(read)).isEmpty()
                && !read.isAfter(each.seen().at().plus(SKEW))
                && (!(on || off) || !read.plus(SKEW).isBefore(asked))
                && (!off || power.get().state() == Host.PowerReading.State.OFF)
                && (!on || power.get().state() == Host.PowerReading.State.ON),
            each.seen(),
            "%s, read at %s; phase %s, asked for at %s"
                .formatted(power.get().state().word(), read, each.after().report().phase().word(), asked));
      }
    }
    host.of(Rested.class)
        .forEach(each ->
            host.before(each).last(HostVersion.class)
                .flatMap(last -> last.now().report().power())
                .ifPresent(power ->
                    cases.judge(
                        !power.staleAt().plus(SKEW).isBefore(each.at())
                            || power.state() == Host.PowerReading.State.UNKNOWN,
                        each,
                        "the power was last read at " + power.checkedAt())));
  }

  /** Each change of the spec must be the effect of an operation of this program, each once. */
  private static void spec(History host, Cases cases) {
    List<Wrote> ours = new ArrayList<>(host.of(Wrote.class).toList());
    for (Change each : host.changes()) {
      if (each.isOfSpec()) {
        Optional<Wrote> own =
            ours.stream()
                .filter(wrote ->
                    wrote.left().version() >= each.after().version()
                        && wrote.left().occupancy().equals(each.after().occupancy()))
                .findFirst();
        own.ifPresent(ours::remove);
        cases.judge(own.isPresent(), each.seen(), "spec was changed to " + each.after().occupancy());
      }
    }
  }

  /** What of a status never comes back once it was another one. */
  private static Object core(Host host) {
    Host.Report report = host.report();
    return List.of(report.phase(), report.tenancy(), report.boot(), report.since());
  }

  private static void orphans(History history, Cases cases) {
    Optional<Belongings> first = history.of(Belongings.class).findFirst();
    history.last(Belongings.class)
        .filter(last -> !last.equals(first.orElse(last)))
        .ifPresent(last -> {
          SortedSet<String> more = new TreeSet<>(last.names());
          more.removeAll(first.orElse(last).names());
          cases.judge(more.isEmpty(), last, "left over: " + String.join(", ", more));
        });
  }
}
