package io.nodepool.plan.configuration;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.BootRecord;
import io.nodepool.model.pool.ConfigurationState.FailedBoot;
import io.nodepool.plan.disruption.RebootRequest;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The boots of the active configuration that failed in a row, and whether they disable it (decision
 * D25). In a row means: no boot that began as late as the failed one succeeded. A failure is
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
    BootRecord last =
        state.active().map(ConfigurationState.Revision::boots).orElse(BootRecord.NONE);
    List<FailedBoot> found =
        Stream.concat(
                late.stream().flatMap(member -> ofDelivery(state, member).stream()),
                members
                    .having(Members.Trait.REBOOT_RETRIED)
                    .flatMap(member -> ofReboots(state, member, attempts)))
            .toList();
    if (last.disabled() || (found.isEmpty() && last.failures().isEmpty())) {
      return state;
    }
    Optional<Instant> proven =
        Stream.concat(
                last.provenAt().stream(),
                members.stream().flatMap(member -> succeeded(state, member).stream()))
            .max(Comparator.naturalOrder());
    List<FailedBoot> failures =
        Stream.concat(last.failures().stream(), found.stream())
            .filter(failed -> proven.filter(at -> !at.isBefore(failed.begunAt())).isEmpty())
            .distinct()
            .sorted(ORDER)
            .toList();
    long hosts = failures.stream().map(FailedBoot::host).distinct().count();
    boolean disabled = hosts >= HOSTS || (size < HOSTS && failures.size() >= HOSTS);
    BootRecord next =
        new BootRecord(disabled, proven, failures.stream().limit(2L * HOSTS).toList());
    return state.withRevision(state.profile(), active -> active.withBoots(next));
  }

  /**
   * Whether the failure of this delivery is published as far as that is needed, so that its machine
   * may be returned.
   */
  public static boolean isPublished(ConfigurationState published, Member member) {
    Optional<FailedBoot> failed = ofDelivery(published, member);
    BootRecord record =
        published.active().map(ConfigurationState.Revision::boots).orElse(BootRecord.NONE);
    return failed.isEmpty()
        || published.active().isEmpty()
        || record.disabled()
        || record.provenAt().filter(at -> !at.isBefore(failed.get().begunAt())).isPresent()
        || record.failures().contains(failed.get());
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
   * The failed delivery of a member, if its boot is to blame: a Node that became Ready, and one
   * that stopped later, had booted.
   */
  private static Optional<FailedBoot> ofDelivery(ConfigurationState state, Member member) {
    boolean booted =
        member.isWaitedForAt(Member.Stage.OUTAGE) || member.node().filter(Node::ready).isPresent();
    return booted || !member.host().occupancy().configuration().equals(state.profile())
        ? Optional.empty()
        : member
            .host()
            .assignment()
            .map(assignment -> new FailedBoot(member.host().id().name(), assignment.at()));
  }

  /** The attempts of a reconfiguration under way that failed. */
  private static Stream<FailedBoot> ofReboots(
      ConfigurationState state, Member member, int attempts) {
    Host host = member.host();
    boolean reconfigures =
        member
            .disruption()
            .filter(active -> RebootRequest.stateOf(active.causes()) == LifecycleState.RECONFIGURE)
            .isPresent();
    BootRequest request = host.boot().orElse(null);
    if (!reconfigures
        || request == null
        || !host.occupancy().configuration().equals(state.profile())) {
      return Stream.empty();
    }
    List<FailedBoot> failed = new ArrayList<>();
    int past = Math.min(request.attempt() - 1, attempts - 1);
    List<BootRequest.PastAttempt> history = request.history();
    history.stream()
        .skip(Math.max(0, history.size() - (request.attempt() - 1)))
        .limit(Math.max(0, past))
        .filter(each -> each.kind().boots())
        .forEach(each -> failed.add(new FailedBoot(host.id().name(), each.at())));
    if (host.is(HostPhase.FAILED) && request.attempt() < Math.max(2, attempts)) {
      failed.add(new FailedBoot(host.id().name(), request.at()));
    }
    return failed.stream();
  }

  /** When the boot of a Node began that is on the active configuration. */
  private static Optional<Instant> succeeded(ConfigurationState state, Member member) {
    Host host = member.host();
    boolean up =
        member.isCurrent()
            && host.report().bootedConfiguration().equals(state.profile())
            && member.disruption().filter(Disruption.Committed.class::isInstance).isEmpty();
    if (!up) {
      return Optional.empty();
    }
    Optional<Instant> rebooted =
        host.report()
            .boot()
            .at()
            .flatMap(_ -> host.boot())
            .filter(request -> request.kind().boots())
            .map(BootRequest::at);
    return rebooted.or(() -> host.assignment().map(Assignment::at));
  }
}
