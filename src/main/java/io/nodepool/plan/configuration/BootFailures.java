package io.nodepool.plan.configuration;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory.Suspect;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.BootRecord;
import io.nodepool.model.pool.ConfigurationState.FailedBoot;
import io.nodepool.plan.disruption.cause.RebootRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The boots of the active configuration that failed in a row, and whether they disable it (decision
 * D25). In a row means: no boot that began with the failed one, or later, succeeded. A failure is
 * published before anything is done about the machine, so none is forgotten.
 */
public final class BootFailures {
  /** The number of Hosts on which a configuration has to fail before it is disabled. */
  public static final int HOSTS = 3;

  private static final Comparator<FailedBoot> ORDER =
      Comparator.comparing(FailedBoot::begunAt).thenComparing(FailedBoot::host);

  private BootFailures() {}

  /**
   * The state with the failures of its active configuration.
   *
   * @param late the members whose delivery has failed
   * @param attempts the number of attempts of a reboot; the last one boots another configuration
   */
  static ConfigurationState record(
      ConfigurationState state, Members members, List<Member> late, int attempts, int size) {
    BootRecord last = state.boots();
    List<FailedBoot> found =
        Stream.of(
                late.stream().flatMap(member -> ofDelivery(state, member).stream()),
                members
                    .having(Members.Trait.REBOOT_RETRIED)
                    .flatMap(member ->
                        member.disruption().stream()
                            .flatMap(reboot -> ofReboots(state, member.host(), reboot, attempts))),
                members
                    .having(Members.Trait.IN_ANOTHER_CONFIGURATION)
                    .flatMap(member -> inAnotherConfiguration(state, member)))
            .flatMap(each -> each)
            .toList();
    if (last.disabled() || (found.isEmpty() && last.failures().isEmpty())) {
      return state;
    }
    Optional<Instant> proven =
        Stream.concat(
                last.provenAt().stream(),
                members.byConfiguration().lastBegun(state.profile()).stream())
            .max(Comparator.naturalOrder());
    BootRecord counting =
        new BootRecord(false, proven, List.of(), last.countedSince(), last.trusted());
    List<FailedBoot> failures =
        Stream.concat(last.failures().stream(), found.stream())
            .filter(failed -> counting.counts(failed.begunAt()))
            .distinct()
            .sorted(ORDER)
            .toList();
    List<FailedBoot> unbooted = failures.stream().filter(failed -> !failed.booted()).toList();
    List<FailedBoot> booted = failures.stream().filter(FailedBoot::booted).toList();
    long hosts = unbooted.stream().map(FailedBoot::host).distinct().count();
    // Machines that boot another configuration run well: their pool may grow.
    boolean disabled = hosts >= HOSTS || (size < HOSTS && unbooted.size() >= HOSTS);
    BootRecord next =
        new BootRecord(
            disabled,
            proven,
            Stream.concat(newest(unbooted, 2 * HOSTS), newest(booted, HOSTS))
                .sorted(ORDER)
                .toList(),
            last.countedSince(),
            last.trusted());
    return state.withRevision(state.profile(), active -> active.withBoots(next));
  }

  /**
   * The newest failures of each Host, so that the failure of a Host which failed before is
   * published too; of the first Hosts only, which are enough to disable the configuration.
   */
  private static Stream<FailedBoot> newest(List<FailedBoot> failures, int most) {
    Map<String, List<FailedBoot>> byHost =
        failures.stream()
            .collect(Collectors.groupingBy(FailedBoot::host, TreeMap::new, Collectors.toList()));
    return failures.stream()
        .map(FailedBoot::host)
        .distinct()
        .limit(most)
        .map(host -> byHost.getOrDefault(host, List.of()))
        .flatMap(tries -> tries.stream().skip(Math.max(0, tries.size() - HOSTS)));
  }

  /**
   * Whether the failure of this delivery is published as far as that is needed, so that its machine
   * may be returned.
   */
  public static boolean isPublished(ConfigurationState published, Member member) {
    return ofDelivery(published, member).stream()
        .allMatch(failed -> isPublished(published, failed));
  }

  /**
   * Whether the failed attempts of this reboot are published as far as that is needed, so that its
   * Node may leave or return to production. So failures that come at once are all counted.
   *
   * @param attempts the number of attempts of a reboot; the last one boots another configuration
   */
  public static boolean arePublished(
      ConfigurationState published, Host host, Disruption.Active reboot, int attempts) {
    return ofReboots(published, host, reboot, attempts)
        .allMatch(failed -> isPublished(published, failed));
  }

  private static boolean isPublished(ConfigurationState published, FailedBoot failed) {
    BootRecord record = published.boots();
    return published.active().isEmpty()
        || record.disabled()
        || !record.counts(failed.begunAt())
        || record.failures().contains(failed);
  }

  /**
   * Whether a Host is set aside for failures: not while the configuration itself may be the cause,
   * because no machine of the pool has booted it yet, or because it is disabled.
   */
  public static boolean isHostToBlame(ConfigurationState published, Host host) {
    return published.active().isEmpty()
        || !host.occupancy().configuration().equals(published.profile())
        || published
            .active()
            .filter(each ->
                !each.boots().disabled()
                    && (each.activeNodes() > 0 || each.boots().provenAt().isPresent()))
            .isPresent();
  }

  /**
   * The configuration that may be to blame for a failed delivery: the one that the machine had to
   * boot, if it did not.
   *
   * @param stopped whether the machine had joined and stopped later
   */
  public static Optional<Suspect> suspect(Host host, Optional<Node> node, boolean stopped) {
    return stopped || node.filter(Node::ready).isPresent()
        ? Optional.empty()
        : suspect(host, host.configuration());
  }

  /** The configuration that may be to blame for a failed reboot: what its last attempt booted. */
  public static Optional<Suspect> suspectOfReboot(Host host) {
    return host.boot()
        .filter(request -> request.kind().boots())
        .flatMap(request -> suspect(host, asked(host, request.configuration())));
  }

  private static Optional<Suspect> suspect(Host host, String configuration) {
    return configuration.isEmpty()
        ? Optional.empty()
        : host.assignment().map(held -> new Suspect(held.pool().uid(), configuration));
  }

  /**
   * The failed delivery of a member, if its boot is to blame: a machine whose Node became Ready, or
   * that stopped later, had booted.
   */
  private static Optional<FailedBoot> ofDelivery(ConfigurationState state, Member member) {
    boolean booted =
        member.isAwaited(Member.Awaited.OUTAGE) || member.node().filter(Node::ready).isPresent();
    return booted || !member.host().occupancy().configuration().equals(state.profile())
        ? Optional.empty()
        : member
            .host()
            .assignment()
            .map(assignment -> new FailedBoot(member.host().id().name(), assignment.at()));
  }

  /**
   * The failed attempts of a reboot under way, whichever client requested it: each boots what is
   * staged, which may be the active configuration for the first time.
   */
  private static Stream<FailedBoot> ofReboots(
      ConfigurationState state, Host host, Disruption.Active reboot, int attempts) {
    boolean boots =
        reboot.causes().stream()
            .flatMap(cause -> cause.what().state().stream())
            .anyMatch(each -> RebootRequest.kind(each).boots());
    BootRequest request = host.boot().orElse(null);
    if (!boots || request == null) {
      return Stream.empty();
    }
    List<FailedBoot> failed = new ArrayList<>();
    int past = Math.min(request.attempt() - 1, attempts - 1);
    List<BootRequest.PastAttempt> history = request.history();
    history.stream()
        .skip(Math.max(0, history.size() - (request.attempt() - 1)))
        .limit(Math.max(0, past))
        .filter(each -> each.kind().boots())
        .filter(each -> isInto(state, host, each.configuration()))
        .filter(each -> counts(state, each.alert()))
        .forEach(each -> failed.add(new FailedBoot(host.id().name(), each.at())));
    if (host.is(HostPhase.FAILED)
        && request.attempt() < Math.max(2, attempts)
        && isInto(state, host, request.configuration())
        && counts(state, request.alert())) {
      failed.add(new FailedBoot(host.id().name(), request.at()));
    }
    return failed.stream();
  }

  /**
   * Whether an attempt for this alert counts against the configuration. A machine that is booted
   * for its repair has a fault of its own, which is to blame once any machine has booted the
   * configuration.
   */
  private static boolean counts(ConfigurationState state, String alert) {
    return alert.isEmpty() || state.boots().provenAt().isEmpty();
  }

  /** Whether an attempt boots the configuration; if it names none, it boots what is staged. */
  private static boolean isInto(ConfigurationState state, Host host, String asked) {
    return asked(host, asked).equals(state.profile());
  }

  private static String asked(Host host, String asked) {
    return asked.isEmpty() ? host.configuration() : asked;
  }

  /** The last boot of a machine that had to boot the configuration, and booted another one. */
  private static Stream<FailedBoot> inAnotherConfiguration(
      ConfigurationState state, Member member) {
    Host host = member.host();
    return host.boot().stream()
        .filter(request -> request.configuration().equals(state.profile()))
        .filter(request ->
            state.active().filter(each -> !request.at().isBefore(each.activatedAt())).isPresent())
        .map(request -> new FailedBoot(host.id().name(), request.at(), true));
  }
}
