package io.nodepool.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract that every implementation of the fleet port passes. */
public abstract class NodeFleetContract {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  /** A fleet with some free Hosts, and what its listener received. */
  public interface Fleet {
    /** Performs an operation and waits for the answer. */
    Answer<Host> perform(HostOperation operation);

    /** Reads live and waits for the answer. */
    Answer<Host> read(HostId host);

    /** A free Host that no other test uses. */
    Host freeHost();

    /** The last offer that the listener received; waits for the first. */
    FleetOffer toldOffer();

    /**
     * Waits until the listener has received this state of the Host or a newer one, and returns the
     * last state received.
     */
    Host told(Host host);

    /** A pool that no other test uses. */
    PoolId newPool();

    /** Makes the machine report a phase for its current tenancy. */
    void reports(Host host, HostPhase phase);

    /** Offers the machine to spot pools, and announces or withdraws a notice about it. */
    void reportsSpot(Host host, Host.Spot spot);
  }

  /** The fleet under test. */
  protected abstract Fleet fleet();

  @Test
  void itPublishesItsOfferAndEveryHost() {
    Host host = fleet().freeHost();

    assertThat(fleet().toldOffer().instanceTypes()).contains(host.machine().instanceType());
    assertThat(fleet().toldOffer().quotaOf(host.machine().instanceType())).isPresent();
    assertThat(fleet().told(host)).isEqualTo(host);
  }

  @Test
  void anAssignedHostIsHeldAndReportedToTheListener() {
    Host host = fleet().freeHost();
    PoolId pool = fleet().newPool();

    Host held = done(fleet().perform(assign(host, pool)));
    assertThat(held.isHeldBy(pool.uid())).isTrue();
    assertThat(held.isBooting()).isTrue();
    assertThat(held.version()).isGreaterThan(host.version());
    assertThat(fleet().told(held).isHeldBy(pool.uid())).isTrue();
  }

  @Test
  void anOperationThatTookEffectChangesNothingWhenRepeated() {
    Host host = fleet().freeHost();
    PoolId pool = fleet().newPool();
    Host held = done(fleet().perform(assign(host, pool)));

    assertThat(done(fleet().perform(assign(host, pool)))).isEqualTo(held);
  }

  @Test
  void anOperationOnAChangedHostIsRefused() {
    Host host = fleet().freeHost();
    PoolId holder = fleet().newPool();
    PoolId other = fleet().newPool();
    Host held = done(fleet().perform(assign(host, holder)));

    assertThat(fleet().perform(assign(host, other))).isInstanceOf(Answer.Refused.class);
    assertThat(
            fleet()
                .perform(
                    new HostOperation.Cancel(host.id(), held.tenancy(), other, Optional.empty())))
        .isInstanceOf(Answer.Refused.class);
    assertThat(
            fleet()
                .perform(
                    new HostOperation.Stop(
                        host.id(), held.tenancy() + 1, holder, Optional.empty())))
        .isInstanceOf(Answer.Refused.class);
    assertThat(done(fleet().read(host.id()))).isEqualTo(held);
  }

  @Test
  void aTenancyGoesFromAssignmentToRelease() {
    Host host = fleet().freeHost();
    PoolId pool = fleet().newPool();
    Host held = done(fleet().perform(assign(host, pool)));
    fleet().reports(held, HostPhase.RUNNING);
    Host running = done(fleet().read(host.id()));
    assertThat(running.is(HostPhase.RUNNING)).isTrue();

    Host off =
        done(
            fleet()
                .perform(
                    new HostOperation.Stop(host.id(), held.tenancy(), pool, Optional.empty())));
    assertThat(off.power()).isEqualTo(Host.Power.OFF);
    fleet().reports(off, HostPhase.STOPPED);
    Host released =
        done(fleet().perform(new HostOperation.Release(host.id(), held.tenancy(), pool)));
    assertThat(released.assignment()).isEmpty();
    assertThat(released.power()).isEqualTo(Host.Power.ON);
    assertThat(released.isFree()).isFalse();
    fleet().reports(released, HostPhase.FREE);
    assertThat(done(fleet().read(host.id())).isFree()).isTrue();
  }

  @Test
  void aNoticeThatTheFleetWantsAMachineBackIsReportedToTheListenerUntilItIsWithdrawn() {
    Host host = fleet().freeHost();
    Host held = done(fleet().perform(assign(host, fleet().newPool())));
    fleet().reports(held, HostPhase.RUNNING);
    Host.Spot noticed =
        Host.Spot.OFFERED.withReclaim(
            Optional.of(new Reclaim(NOW, NOW.plusSeconds(420), "wanted elsewhere")));

    fleet().reportsSpot(held, noticed);
    Host reclaimed = done(fleet().read(host.id()));
    assertThat(reclaimed.report().spot()).isEqualTo(noticed);
    assertThat(reclaimed.is(HostPhase.RUNNING)).isTrue();
    assertThat(reclaimed.occupancy()).isEqualTo(held.occupancy());
    assertThat(fleet().told(reclaimed).reclaim()).isEqualTo(noticed.reclaim());

    fleet().reportsSpot(held, Host.Spot.OFFERED);
    Host kept = done(fleet().read(host.id()));
    assertThat(kept.report().spot()).isEqualTo(Host.Spot.OFFERED);
    assertThat(kept.is(HostPhase.RUNNING)).isTrue();
  }

  @Test
  void aHostThatDoesNotExistIsMissing() {
    HostId nobody = new HostId("nobody", "no-uid");

    assertThat(fleet().read(nobody)).isInstanceOf(Answer.Missing.class);
    assertThat(
            fleet()
                .perform(new HostOperation.Cancel(nobody, 1, fleet().newPool(), Optional.empty())))
        .isInstanceOf(Answer.Missing.class);
  }

  private static Host done(Answer<Host> answer) {
    assertThat(answer).isInstanceOf(Answer.Done.class);
    return ((Answer.Done<Host>) answer).object();
  }

  private static HostOperation assign(Host host, PoolId pool) {
    return new HostOperation.Assign(
        host.id(),
        host.tenancy(),
        new Assignment(
            pool,
            "default",
            HostOperation.assignId(host.id(), host.tenancy(), pool),
            NOW,
            NodeTemplate.EMPTY),
        "ncore-1");
  }
}
