package io.nodepool.plan.rollout;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reclaim;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.Fixtures;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DisruptionNotes;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PoolFixture;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RequestedRebootCause;
import io.nodepool.plan.disruption.cause.RolloutCause;
import io.nodepool.plan.disruption.cause.ScaleDownCause;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A pool in the middle of a rollout, one letter for each of its Nodes. */
final class RolloutFixture {
  static final Instant NOW = PoolFixture.NOW;
  static final String ACTIVE = "image-2_6.8_570.2_v1.34.4";
  static final String FORMER = "image-1_6.8_570.1_v1.34.4";
  private static final PoolId POOL = new PoolId("a", "uid-a");
  private static final BootRequest REBOOT =
      new BootRequest("boot-1", 1, BootKind.POWER_RESET, "op", NOW, ACTIVE, List.of(), "");
  private static final BootRequest REPAIR =
      new BootRequest(
          "boot-1", 1, BootKind.POWER_RESET, "op", NOW, ACTIVE, List.of(), "GPUTimeoutError");

  private RolloutSettings settings = RolloutSettings.DEFAULTS;
  private RolloutState state = RolloutState.NONE.started();
  private boolean disabled;
  private int failures;
  private boolean published = true;
  private boolean trusted;
  private String before = ACTIVE;
  private String offered = ACTIVE;
  private final List<Member> members = new ArrayList<>();
  private int missing;
  private int queued;
  private int rackSize = 1;
  private Instant watchedSince = Instant.MIN;
  private PlanSettings plan = PlanSettings.DEFAULTS;
  private PoolFixture pool = new PoolFixture();
  private Optional<FleetOffer.Capabilities> capabilities = Optional.of(FleetOffer.Capabilities.ALL);

  RolloutFixture settings(RolloutSettings next) {
    settings = next;
    return this;
  }

  RolloutFixture most(int count) {
    settings = settings.withMaxUnavailable(new RolloutSettings.Limit(count, 0));
    return this;
  }

  RolloutFixture state(RolloutState next) {
    state = next;
    return this;
  }

  RolloutFixture disabled() {
    disabled = true;
    return this;
  }

  RolloutFixture failures(int count) {
    failures = count;
    return this;
  }

  RolloutFixture unpublished() {
    published = false;
    return this;
  }

  /** What this plan decided is published. */
  RolloutFixture published(Rollout.Outlook outlook) {
    trusted = trusted || outlook.soaked();
    return state(outlook.next());
  }

  /** Another configuration is published as active. */
  RolloutFixture before(String profile) {
    before = profile;
    return this;
  }

  /** The fleet offers this configuration only. */
  RolloutFixture offers(String profile) {
    offered = profile;
    return this;
  }

  RolloutFixture lost() {
    pool = pool.lost("unreachable");
    capabilities = Optional.empty();
    return this;
  }

  RolloutFixture watchedSince(Instant since) {
    watchedSince = since;
    return this;
  }

  RolloutFixture speed(int times) {
    plan = PlanSettings.DEFAULTS.faster(times);
    return this;
  }

  RolloutFixture capabilities(FleetOffer.Capabilities next) {
    capabilities = Optional.of(next);
    return this;
  }

  /** These Nodes, allocated singly. */
  RolloutFixture nodes(String letters) {
    for (int slot = 0; slot < letters.length(); slot++) {
      add(letters.charAt(slot), "1", slot);
    }
    return this;
  }

  /** These racks of Nodes, separated by blanks. */
  RolloutFixture racks(String racks) {
    pool = pool.type(PoolFixture.RACK);
    int number = 0;
    for (String rack : racks.split(" ", -1)) {
      String name = rackName(number++);
      for (int slot = 0; slot < rack.length(); slot++) {
        add(rack.charAt(slot), name, slot);
      }
      rackSize = rack.length();
    }
    return this;
  }

  private void add(char letter, String rack, int slot) {
    switch (letter) {
      case 'm' -> missing++;
      case 'g' -> queued++;
      default -> members.add(member(letter, rack, slot));
    }
  }

  /** The name of a rack: a to z, and longer ones after those. */
  private static String rackName(int number) {
    return number < 26 ? String.valueOf((char) ('a' + number)) : "z%03d-".formatted(number);
  }

  /**
   * A member; m is a Node that the pool had and for which it holds no Host, g growth that is
   * queued.
   *
   * <ul>
   *   <li>o, b, x, c: not up to date, idle; busy; not Ready; cordoned by a person
   *   <li>n, N, R: up to date, rebooted into it; delivered with it; rebooted for its repair
   *   <li>s, t, T: its turn is being written; not committed; committed
   *   <li>X: its turn is not committed, and it is not Ready
   *   <li>q: cordoned for a reboot that a client requested, which is not committed
   *   <li>B: its turn is not committed and a preemption joined
   *   <li>u: up to date, and its turn is not committed
   *   <li>e: up to date, and verified for its turn
   *   <li>k, f, p, r: not up to date, passed over; unreadable; preempted; rebooted for a client
   *   <li>d, D: in delivery, with the active configuration; with the former one
   *   <li>l: not up to date, drained to leave
   * </ul>
   */
  private static Member member(char letter, String rack, int slot) {
    String name = rack + slot;
    boolean upToDate = "nNRue".indexOf(letter) >= 0;
    boolean delivered = "dD".indexOf(letter) < 0;
    Host host =
        new Host(
            new HostId(name, "uid-" + name),
            1,
            Fixtures.machine(Fixtures.TYPE, rack, slot),
            new Host.Occupancy(
                1,
                Optional.of(Fixtures.assignment(POOL)),
                letter == 'D' ? FORMER : ACTIVE,
                Host.Power.ON,
                switch (letter) {
                  case 'n' -> Optional.of(REBOOT);
                  case 'R' -> Optional.of(REPAIR);
                  default -> Optional.empty();
                },
                List.of(),
                List.of(),
                Optional.empty()),
            DeliveryHistory.CLEAN,
            new Host.Report(
                delivered ? HostPhase.RUNNING : HostPhase.FREE,
                1,
                delivered ? "boot" : "",
                !delivered ? "" : upToDate ? ACTIVE : FORMER,
                NOW));
    if (letter == 'p' || letter == 'B') {
      host = preempted(host);
    }
    Optional<Node> node =
        delivered
            ? Optional.of(node(letter, Fixtures.node(host.id(), "node-" + name, 1)))
            : Optional.empty();
    return Fixtures.member(
        host,
        node,
        letter == 'b' ? new Workload(1, 0, false) : Workload.NONE,
        Optional.empty(),
        Optional.empty(),
        letter == 'f'
            ? Fixtures.findings(
                Optional.empty(), Optional.of("unreadable"), Optional.empty(), Optional.empty())
            : Member.Findings.NONE,
        letter == 's');
  }

  private static Host preempted(Host host) {
    Host.Occupancy spot =
        host.occupancy()
            .withAssignment(
                Optional.of(new Assignment(POOL, "spot", "op", NOW, NodeTemplate.EMPTY)));
    return host.withOccupancy(spot)
        .withReport(
            host.report()
                .withSpot(
                    new Host.Spot(
                        true, Optional.of(new Reclaim(NOW, NOW.plusSeconds(420), "wanted")))));
  }

  private static Node node(char letter, Node node) {
    return switch (letter) {
      case 'x' -> node.withStatus(node.status().withReady(false, NOW));
      case 'c' -> node.withCordoned(true);
      case 't', 'u', 'B' -> disrupted(node, admitted(new RolloutCause(ACTIVE, false)));
      case 'X' ->
          disrupted(
              node.withStatus(node.status().withReady(false, NOW)),
              admitted(new RolloutCause(ACTIVE, false)));
      case 'q' -> disrupted(node, admitted(new RequestedRebootCause(LifecycleState.REBOOT, false)));
      case 'T', 'e' -> disrupted(node, committed(new RolloutCause(ACTIVE, false)));
      case 'r' ->
          disrupted(node, committed(new RequestedRebootCause(LifecycleState.REBOOT, false)));
      case 'l' ->
          disrupted(
              node,
              new Disruption.Committed(
                  1,
                  List.of(new ScaleDownCause(CandidateRank.IDLE).at(NOW)),
                  Disruption.Cordon.OURS,
                  NOW,
                  DisruptionLimits.leaving(NOW.plusSeconds(600)),
                  DrainStage.NONE));
      case 'k' ->
          node.withDisruption(
              Optional.of(new Disruption.PassedOver(1, NOW, NOW.plusSeconds(120), false)));
      default -> node;
    };
  }

  static Node disrupted(Node node, Disruption disruption) {
    return node.withCordoned(true).withDisruption(Optional.of(disruption));
  }

  static Disruption.Admitted admitted(KnownCause what) {
    return new Disruption.Admitted(
        1, List.of(what.at(NOW)), Disruption.Cordon.OURS, DisruptionNotes.NONE);
  }

  private static Disruption.Committed committed(KnownCause what) {
    return new Disruption.Committed(
        1,
        List.of(what.at(NOW)),
        Disruption.Cordon.OURS,
        NOW,
        new DisruptionLimits(
            new DisruptionEnding.Reboot(BootKind.POWER_RESET),
            NOW.plusSeconds(600),
            Optional.empty()),
        DrainStage.NONE);
  }

  ConfigurationState configuration() {
    List<ConfigurationState.FailedBoot> failed = new ArrayList<>();
    for (int i = 0; i < failures; i++) {
      failed.add(new ConfigurationState.FailedBoot("h" + i, NOW));
    }
    ConfigurationState.BootRecord boots = Fixtures.boots(disabled, Optional.empty(), failed);
    return ConfigurationState.NONE
        .withProfile(ACTIVE)
        .withRevisions(
            List.of(
                new ConfigurationState.Revision(
                    new NodeConfiguration(ACTIVE, List.of()),
                    "r2",
                    NOW,
                    NOW,
                    0,
                    false,
                    trusted ? boots.thatIsTrusted() : boots)))
        .withRollout(state);
  }

  PoolSnapshot seen() {
    PoolSnapshot seen = pool.seen();
    Pool holder = seen.pool();
    Pool next =
        holder
            .withSpec(
                Fixtures.withTarget(holder.spec(), members.size() + missing + queued)
                    .withConfiguration(holder.spec().configuration().withRollout(settings)))
            .withStatus(
                published
                    ? holder
                        .status()
                        .withConfiguration(
                            before.equals(ACTIVE)
                                ? configuration()
                                : ConfigurationState.NONE.withProfile(before).withRollout(state))
                    : holder.status());
    Growth growth =
        new Growth(NOW, next.spec().target(), next.spec().target(), members.size() + missing);
    return Fixtures.withPool(
            seen,
            next.withStatus(
                next.status()
                    .withCounts(
                        new PoolStatus.NodeCounts(
                            next.spec().target(), members.size(), 0, 0, Optional.empty(), Map.of()))
                    .withGrowth(Optional.of(growth))))
        .withWatched(PoolSnapshot.Watched.NOT_YET.from(watchedSince))
        .withMembers(Members.of(members))
        .withAvailability(
            Fixtures.availability(
                seen.free(),
                seen.others(),
                seen.offer() instanceof PoolSnapshot.Offer.Known(FleetOffer offer)
                    ? new PoolSnapshot.Offer.Known(
                        offer
                            .withCapabilities(capabilities.orElseThrow())
                            .withReleases(List.of(FleetRelease.whole(offered, List.of()))))
                    : seen.offer()));
  }

  int rackSize() {
    return rackSize;
  }

  Rollout.Outlook plan(Instant at) {
    return Rollout.plan(
        seen(), DisruptionAdmission.of(seen()), configuration(), rackSize, at, plan);
  }

  Rollout.Outlook plan() {
    return plan(NOW);
  }
}
