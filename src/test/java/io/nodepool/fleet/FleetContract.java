package io.nodepool.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.vocabulary.BootKind;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The contract that every implementation of the fleet port passes. */
public abstract class FleetContract {
  private static final String FIRST_BOOT = "boot-1";
  private static final String SECOND_BOOT = "boot-2";
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
    Host observed(Host host);

    /** A pool that no other test uses. */
    PoolId newPool();

    /** Makes the machine report a phase for its current tenancy. */
    void reports(Host host, HostPhase phase);

    /** Offers the machine to spot pools, and announces or withdraws a notice about it. */
    void reportsSpot(Host host, Host.Spot spot);

    /** Makes a machine that runs report what it does about its boots. */
    void reportsBoot(Host host, Host.Boot boot);
  }

  /** The fleet under test. */
  protected abstract Fleet fleet();

  @Test
  void itPublishesItsOfferAndEveryHost() {
    Host host = fleet().freeHost();

    assertThat(fleet().toldOffer().instanceTypes()).contains(host.machine().instanceType());
    assertThat(fleet().toldOffer().quotaOf(host.machine().instanceType())).isPresent();
    assertThat(fleet().observed(host)).isEqualTo(host);
  }

  @Test
  void anAssignedHostIsHeldAndReportedToTheListener() {
    Host host = fleet().freeHost();
    PoolId pool = fleet().newPool();

    Host held = done(fleet().perform(assign(host, pool)));
    assertThat(held.isHeldBy(pool.uid())).isTrue();
    assertThat(held.isBooting()).isTrue();
    assertThat(held.version()).isGreaterThan(host.version());
    assertThat(fleet().observed(held).isHeldBy(pool.uid())).isTrue();
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
    assertThat(fleet().perform(HostOperation.Cancel.of(held, other, Optional.empty())))
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
  void aDeliveryThatHasBegunIsCancelledInThePhaseThatWasSeenAndNotAssignedBeforeItIsFree() {
    Host host = fleet().freeHost();
    PoolId pool = fleet().newPool();
    Host held = done(fleet().perform(assign(host, pool)));
    fleet().reports(held, HostPhase.BOOTING);
    Host booting = done(fleet().read(host.id()));
    assertThat(booting.isBooting()).isTrue();

    assertThat(fleet().perform(HostOperation.Cancel.of(held, pool, Optional.empty())))
        .isInstanceOf(Answer.Refused.class);
    Host cancelled =
        done(fleet().perform(HostOperation.Cancel.of(booting, pool, Optional.empty())));
    assertThat(cancelled.assignment()).isEmpty();
    assertThat(cancelled.isFree()).isFalse();
    assertThat(fleet().perform(assign(cancelled, fleet().newPool())))
        .isInstanceOf(Answer.Refused.class);

    fleet().reports(cancelled, HostPhase.FREE);
    Host again = done(fleet().read(host.id()));
    Host next = done(fleet().perform(assign(again, pool)));
    fleet().reports(next, HostPhase.BOOTING);
    fleet().reports(done(fleet().read(host.id())), HostPhase.RUNNING);
    Host running = done(fleet().read(host.id()));
    assertThat(fleet().perform(HostOperation.Cancel.of(running, pool, Optional.empty())))
        .isInstanceOf(Answer.Refused.class);
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
    assertThat(fleet().observed(reclaimed).reclaim()).isEqualTo(noticed.reclaim());

    fleet().reportsSpot(held, Host.Spot.OFFERED);
    Host kept = done(fleet().read(host.id()));
    assertThat(kept.report().spot()).isEqualTo(Host.Spot.OFFERED);
    assertThat(kept.is(HostPhase.RUNNING)).isTrue();
  }

  @Test
  void aRequestToBootStaysOnTheHostAndIsFulfilledByAnotherBoot() {
    Host running = running(FIRST_BOOT);
    BootRequest request = reboot(running, "op-1");

    Host asked = done(fleet().perform(boot(running, request)));
    assertThat(asked.boot()).contains(request);
    assertThat(asked.isRebooting()).isTrue();
    assertThat(asked.is(HostPhase.RUNNING)).isTrue();
    assertThat(fleet().observed(asked).boot()).contains(request);
    assertThat(done(fleet().perform(boot(running, request)))).isEqualTo(asked);

    Host.Boot begun = running.report().boot().withCycles(1);
    Host.Cycle cycle = new Host.Cycle(running.report().bootId(), 1, NOW, "", "");
    fleet().reportsBoot(asked, begun.withCycle(Optional.of(cycle)));
    Host rebooting = done(fleet().read(asked.id()));
    assertThat(rebooting.isRebooting()).isTrue();
    assertThat(rebooting.report().boot().cycle()).contains(cycle);
    assertThat(fleet().observed(rebooting).report().boot().cycles()).isEqualTo(1);

    Host.Boot ended =
        new Host.Boot(
            SECOND_BOOT,
            "ncore-2",
            Optional.of(NOW.plusSeconds(180)),
            1,
            Optional.empty(),
            Optional.of(
                new Host.Verification(SECOND_BOOT, "op-1", 1, false, NOW, "a GPU is missing")));
    fleet().reportsBoot(rebooting, ended);
    Host booted = done(fleet().read(asked.id()));
    assertThat(booted.isRebooting()).isFalse();
    assertThat(booted.report().boot()).isEqualTo(ended);
    assertThat(booted.boot()).contains(request);
    assertThat(fleet().observed(booted).report().boot()).isEqualTo(ended);
    assertThat(ended.verification().orElseThrow().answers(SECOND_BOOT, request)).isTrue();
  }

  @Test
  void aRequestToBootThatTookEffectChangesNothingEvenAfterItsBoot() {
    Host running = running(FIRST_BOOT);
    BootRequest request = reboot(running, "op-1");
    Host asked = done(fleet().perform(boot(running, request)));
    fleet().reportsBoot(asked, Host.Boot.of(SECOND_BOOT, "ncore-1"));
    Host booted = done(fleet().read(running.id()));

    assertThat(done(fleet().perform(boot(running, request)))).isEqualTo(booted);
    assertThat(done(fleet().read(running.id()))).isEqualTo(booted);
  }

  @Test
  void aRequestToLeaveABootThatTheMachineIsNotOnIsRefused() {
    Host running = running(FIRST_BOOT);
    fleet().reportsBoot(running, Host.Boot.of(SECOND_BOOT, "ncore-1"));
    Host booted = done(fleet().read(running.id()));

    refused(boot(running, reboot(running, "op-1")), booted);
    Host asked = done(fleet().perform(boot(booted, reboot(booted, "op-1"))));
    assertThat(asked.isRebooting()).isTrue();
  }

  @Test
  void onlyAHostThatIsHeldAndOnIsBooted() {
    Host running = running(FIRST_BOOT);
    PoolId pool = running.assignment().orElseThrow().pool();
    BootRequest request = reboot(running, "op-1");

    refused(new HostOperation.Boot(running.id(), running.tenancy() + 1, pool, request), running);
    refused(
        new HostOperation.Boot(running.id(), running.tenancy(), fleet().newPool(), request),
        running);
    Host off = stopped(running);
    refused(boot(running, request), off);
  }

  @Test
  void anotherTryReplacesTheRequestAndKeepsItsHistory() {
    Host running = running(FIRST_BOOT);
    BootRequest first = reboot(running, "op-1");
    BootRequest second =
        first.again(first.from(), NOW.plusSeconds(900), BootRequest.Outcome.NOT_BOOTED);
    done(fleet().perform(boot(running, first)));

    Host asked = done(fleet().perform(boot(running, second)));
    assertThat(asked.boot()).contains(second);
    assertThat(second.history()).hasSize(1);
    assertThat(done(fleet().perform(boot(running, second)))).isEqualTo(asked);
  }

  @Test
  void aMachineWhoseFleetReportsNoBootIsAskedToBootWithoutNamingOne() {
    Host host = fleet().freeHost();
    Host held = done(fleet().perform(assign(host, fleet().newPool())));
    fleet().reports(held, HostPhase.RUNNING);
    fleet().reportsBoot(held, Host.Boot.of("", "ncore-1"));
    Host running = fleet().observed(done(fleet().read(host.id())));
    BootRequest first = reboot(running, "op-1").withConfiguration("ncore-1");

    Host asked = done(fleet().perform(boot(running, first)));
    assertThat(asked.boot()).contains(first);
    assertThat(asked.isRebooting()).isTrue();
    BootRequest second =
        first
            .again("", NOW.plusSeconds(900), BootRequest.Outcome.NOT_BOOTED)
            .withConfiguration("ncore-2");
    assertThat(done(fleet().perform(boot(running, second))).boot()).contains(second);

    fleet().reportsBoot(asked, Host.Boot.of(FIRST_BOOT, "ncore-1"));
    Host booted = done(fleet().read(host.id()));
    assertThat(booted.isRebooting()).isFalse();
    refused(boot(running, first), booted);
  }

  @Test
  void aRequestToBootIsTakenBackUntilItsBootHasBegun() {
    Host running = running(FIRST_BOOT);
    BootRequest first = reboot(running, "op-1");
    done(fleet().perform(boot(running, first)));
    Host dropped = done(fleet().perform(drop(running, first)));
    assertThat(dropped.boot()).contains(first.takenBack());
    assertThat(dropped.isRebooting()).isFalse();
    assertThat(done(fleet().perform(drop(running, first)))).isEqualTo(dropped);

    BootRequest second = reboot(running, "op-2");
    Host asked = done(fleet().perform(boot(running, second)));
    refused(drop(running, first), asked);
    Host.Cycle cycle = new Host.Cycle(FIRST_BOOT, 1, NOW, "ncore-1", "");
    fleet().reportsBoot(asked, asked.report().boot().withCycle(Optional.of(cycle)));
    refused(drop(running, second), done(fleet().read(running.id())));
  }

  private static HostOperation drop(Host host, BootRequest request) {
    return new HostOperation.DropBoot(
        host.id(), host.tenancy(), host.assignment().orElseThrow().pool(), request);
  }

  @Test
  void theHistoryOfBootsStaysWithTheHostFromOneTenancyToTheNext() {
    Host running = running(FIRST_BOOT);
    PoolId pool = running.assignment().orElseThrow().pool();
    BootRequest request = reboot(running, "op-1");
    done(fleet().perform(boot(running, request)));
    Host off = stopped(running);
    fleet().reports(off, HostPhase.STOPPED);
    Host released =
        done(fleet().perform(new HostOperation.Release(running.id(), running.tenancy(), pool)));
    assertThat(released.boot()).contains(request);
    fleet().reports(released, HostPhase.FREE);

    Host again = done(fleet().perform(assign(released, fleet().newPool())));
    assertThat(again.boot()).contains(request);
    fleet().reports(again, HostPhase.RUNNING);
    fleet().reportsBoot(again, Host.Boot.of(SECOND_BOOT, "ncore-1"));
    assertThat(done(fleet().read(running.id())).isRebooting()).isFalse();
  }

  /** A Host that a new pool holds and that runs, on this boot. */
  private Host running(String bootId) {
    Host host = fleet().freeHost();
    Host held = done(fleet().perform(assign(host, fleet().newPool())));
    fleet().reports(held, HostPhase.RUNNING);
    fleet().reportsBoot(held, Host.Boot.of(bootId, "ncore-1"));
    return fleet().observed(done(fleet().read(host.id())));
  }

  private static BootRequest reboot(Host host, String operation) {
    return BootRequest.first(host.report().bootId(), BootKind.REBOOT, operation, NOW, host.boot());
  }

  private static HostOperation boot(Host host, BootRequest request) {
    return new HostOperation.Boot(
        host.id(), host.tenancy(), host.assignment().orElseThrow().pool(), request);
  }

  @Test
  void aBootStagesWhatItBootsIntoUnlessAnotherWasStagedMeanwhile() {
    Host running = running(FIRST_BOOT);
    BootRequest request = reboot(running, "op-1").withConfiguration("ncore-2");
    HostOperation.Boot staged =
        new HostOperation.Boot(
            running.id(),
            running.tenancy(),
            running.assignment().orElseThrow().pool(),
            request,
            Optional.of(stage(running, "ncore-2")));
    Host other = done(fleet().perform(stage(running, "ncore-3")));
    refused(staged, other);

    done(fleet().perform(stage(other, running.configuration())));
    Host booting = done(fleet().perform(staged));
    assertThat(booting.configuration()).isEqualTo("ncore-2");
    assertThat(booting.boot()).contains(request);
    assertThat(done(fleet().perform(staged))).isEqualTo(booting);
  }

  @Test
  void aStagedConfigurationIsWantedOfTheMachineAndBootsNothing() {
    Host running = running(FIRST_BOOT);

    Host staged = done(fleet().perform(stage(running, "ncore-2")));
    assertThat(staged.configuration()).isEqualTo("ncore-2");
    assertThat(staged.report()).isEqualTo(running.report());
    assertThat(staged.boot()).isEqualTo(running.boot());
    assertThat(fleet().observed(staged).configuration()).isEqualTo("ncore-2");
    assertThat(done(fleet().perform(stage(running, "ncore-2")))).isEqualTo(staged);
    assertThat(done(fleet().perform(stage(staged, "ncore-1"))).configuration())
        .isEqualTo("ncore-1");
  }

  @Test
  void aConfigurationIsNotStagedOverOneThatWasStagedMeanwhile() {
    Host running = running(FIRST_BOOT);
    Host staged = done(fleet().perform(stage(running, "ncore-3")));

    refused(stage(running, "ncore-2"), staged);
  }

  @Test
  void aConfigurationIsStagedOnlyForTheHolderAndItsTenancy() {
    Host running = running(FIRST_BOOT);
    PoolId pool = running.assignment().orElseThrow().pool();

    refused(
        new HostOperation.Stage(
            running.id(), running.tenancy(), fleet().newPool(), "ncore-1", "ncore-2"),
        running);
    refused(
        new HostOperation.Stage(running.id(), running.tenancy() + 1, pool, "ncore-1", "ncore-2"),
        running);
    Host off = stopped(running);
    fleet().reports(off, HostPhase.STOPPED);
    Host released =
        done(fleet().perform(new HostOperation.Release(running.id(), running.tenancy(), pool)));
    refused(stage(running, "ncore-2"), released);
  }

  /** A pool whose fleet offers nothing to boot assigns its Hosts without a configuration. */
  @Test
  void aConfigurationIsStagedOnAHostThatWasAssignedWithoutOne() {
    Host free = fleet().freeHost();
    Host held = done(fleet().perform(assign(free, fleet().newPool(), "")));
    assertThat(held.configuration()).isEmpty();
    fleet().reports(held, HostPhase.RUNNING);
    fleet().reportsBoot(held, Host.Boot.of(FIRST_BOOT, ""));
    Host running = done(fleet().read(free.id()));

    assertThat(done(fleet().perform(stage(running, "ncore-1"))).configuration())
        .isEqualTo("ncore-1");
  }

  private static HostOperation.Stage stage(Host host, String configuration) {
    return new HostOperation.Stage(
        host.id(),
        host.tenancy(),
        host.assignment().orElseThrow().pool(),
        host.configuration(),
        configuration);
  }

  @Test
  void aRepairOfAComponentIsRequestedOnceForEachAttempt() {
    Host running = running(FIRST_BOOT);
    ComponentRepair first = new ComponentRepair("DPURouteCountMismatch", "dpu0", 1, NOW, List.of());

    Host asked = done(fleet().perform(repair(running, first)));
    assertThat(asked.unansweredRepairs()).containsExactly(first);
    assertThat(asked.report()).isEqualTo(running.report());
    assertThat(fleet().observed(asked).occupancy().repairs()).containsExactly(first);
    assertThat(done(fleet().perform(repair(running, first)))).isEqualTo(asked);
    ComponentRepair again = new ComponentRepair(first.alert(), "dpu0", 2, NOW, List.of());
    refused(repair(running, again), asked);

    ComponentRepair other = new ComponentRepair("Other/~Alert", "", 1, NOW, List.of());
    Host both = done(fleet().perform(repair(asked, other)));
    assertThat(both.occupancy().repairs()).containsExactly(first, other);
    refused(repair(asked, new ComponentRepair(other.alert(), "", 2, NOW, List.of())), both);
    Host twice = done(fleet().perform(repair(both, again)));
    assertThat(twice.occupancy().repairs()).containsExactly(again, other);
    refused(repair(both, new ComponentRepair(first.alert(), "dpu0", 1, NOW, List.of())), twice);
  }

  @Test
  void aHostRemembersTheLastRepairsOfItsComponents() {
    Host host = running(FIRST_BOOT);
    for (int i = 0; i <= ComponentRepair.REMEMBERED; i++) {
      host =
          done(
              fleet()
                  .perform(
                      repair(
                          host,
                          new ComponentRepair("Alert" + i, "", 1, NOW.plusSeconds(i), List.of()))));
    }
    assertThat(host.occupancy().repairs()).hasSize(ComponentRepair.REMEMBERED);
    assertThat(host.repair("Alert0")).isEmpty();
  }

  @Test
  void aComponentIsRepairedOnlyForTheHolderAndItsTenancyWhileTheMachineRuns() {
    Host running = running(FIRST_BOOT);
    PoolId pool = running.assignment().orElseThrow().pool();
    ComponentRepair request = new ComponentRepair("Alert", "", 1, NOW, List.of());

    refused(
        new HostOperation.RepairComponent(
            running.id(), running.tenancy(), fleet().newPool(), List.of(), request),
        running);
    refused(
        new HostOperation.RepairComponent(
            running.id(), running.tenancy() + 1, pool, List.of(), request),
        running);
    Host off = stopped(running);
    refused(repair(running, request), off);
  }

  private static HostOperation repair(Host host, ComponentRepair request) {
    return new HostOperation.RepairComponent(
        host.id(),
        host.tenancy(),
        host.assignment().orElseThrow().pool(),
        host.occupancy().repairs(),
        request);
  }

  @Test
  void whatIsDoneToAMachineIsNotedOnceAndInTurn() {
    Host running = running(FIRST_BOOT);
    PoolId pool = running.assignment().orElseThrow().pool();
    PastRepair first = new PastRepair("A", pool.uid(), NOW, false, false, true);
    PastRepair proved = new PastRepair("A", pool.uid(), NOW, false, true, true);

    Host noted = done(fleet().perform(note(running, first)));
    assertThat(noted.past()).containsExactly(first);
    assertThat(noted.report()).isEqualTo(running.report());
    assertThat(fleet().observed(noted).past()).containsExactly(first);
    assertThat(done(fleet().perform(note(running, first)))).isEqualTo(noted);
    refused(note(running, new PastRepair("B", pool.uid(), NOW, true, false, false)), noted);
    Host again = done(fleet().perform(note(noted, proved)));
    assertThat(again.past()).containsExactly(proved);
    refused(note(noted, new PastRepair("B", pool.uid(), NOW, true, false, false)), again);
  }

  @Test
  void whatIsDoneToAMachineIsNotedOnlyForTheHolderAndItsTenancy() {
    Host running = running(FIRST_BOOT);
    PoolId pool = running.assignment().orElseThrow().pool();
    PastRepair entry = new PastRepair("A", pool.uid(), NOW, false, false, true);
    List<PastRepair> next = List.of(entry);

    refused(
        new HostOperation.Note(
            running.id(), running.tenancy(), fleet().newPool(), List.of(), entry, next),
        running);
    refused(
        new HostOperation.Note(running.id(), running.tenancy() + 1, pool, List.of(), entry, next),
        running);
    assertThat(done(fleet().perform(note(stopped(running), entry))).past()).containsExactly(entry);
  }

  @Test
  void whatWasDoneToAMachineStaysWithItFromOneTenancyToTheNext() {
    Host host = running(FIRST_BOOT);
    PoolId pool = host.assignment().orElseThrow().pool();
    for (int i = 0; i <= PastRepair.REMEMBERED; i++) {
      host =
          done(
              fleet()
                  .perform(
                      note(
                          host,
                          new PastRepair("A", pool.uid(), NOW.plusSeconds(i), true, false, true))));
    }
    List<PastRepair> past = host.past();
    assertThat(past).hasSize(PastRepair.REMEMBERED);
    fleet().reports(stopped(host), HostPhase.STOPPED);
    Host released =
        done(fleet().perform(new HostOperation.Release(host.id(), host.tenancy(), pool)));
    assertThat(released.past()).isEqualTo(past);
    fleet().reports(released, HostPhase.FREE);
    assertThat(done(fleet().perform(assign(released, fleet().newPool()))).past()).isEqualTo(past);
  }

  private static HostOperation note(Host host, PastRepair entry) {
    return new HostOperation.Note(
        host.id(),
        host.tenancy(),
        host.assignment().orElseThrow().pool(),
        host.past(),
        entry,
        entry.amid(host.past(), NOW, PastRepair.WINDOW));
  }

  @Test
  void aRunningMachineIsKeptForInspectionUntilItsRelease() {
    Host running = running(FIRST_BOOT);
    PoolId pool = running.assignment().orElseThrow().pool();
    Assignment.Preserved kept = new Assignment.Preserved("GPUFallenOffBus", NOW.plusSeconds(3600));
    DeliveryHistory setAside = new DeliveryHistory(Optional.empty(), "its machine is faulty");
    refused(preserve(running, fleet().newPool(), kept, setAside), running);

    Host preserved = done(fleet().perform(preserve(running, pool, kept, setAside)));
    assertThat(preserved.preserved()).contains(kept);
    assertThat(preserved.power()).isEqualTo(Host.Power.ON);
    assertThat(preserved.deliveries()).isEqualTo(setAside);
    assertThat(fleet().observed(preserved).preserved()).contains(kept);
    Assignment.Preserved later = new Assignment.Preserved("Other", NOW.plusSeconds(7200));
    assertThat(done(fleet().perform(preserve(preserved, pool, later, setAside))))
        .isEqualTo(preserved);

    Host off = stopped(preserved);
    fleet().reports(off, HostPhase.STOPPED);
    Host released = done(fleet().perform(new HostOperation.Release(off.id(), off.tenancy(), pool)));
    assertThat(released.preserved()).isEmpty();
    assertThat(released.deliveries()).isEqualTo(setAside);
  }

  @Test
  void aMachineThatIsStoppedIsNotKeptForInspection() {
    Host running = running(FIRST_BOOT);
    PoolId pool = running.assignment().orElseThrow().pool();
    Host off = stopped(running);
    refused(
        preserve(off, pool, new Assignment.Preserved("Alert", NOW), DeliveryHistory.CLEAN), off);
  }

  private static HostOperation preserve(
      Host host, PoolId pool, Assignment.Preserved kept, DeliveryHistory failed) {
    return new HostOperation.Preserve(host.id(), host.tenancy(), pool, kept, Optional.of(failed));
  }

  /** A Host whose machine is to be stopped. */
  private Host stopped(Host running) {
    PoolId pool = running.assignment().orElseThrow().pool();
    return done(
        fleet()
            .perform(
                new HostOperation.Stop(running.id(), running.tenancy(), pool, Optional.empty())));
  }

  private void refused(HostOperation operation, Host unchanged) {
    assertThat(fleet().perform(operation)).isInstanceOf(Answer.Refused.class);
    assertThat(done(fleet().read(unchanged.id()))).isEqualTo(unchanged);
  }

  /** A Host that was given back with this history. */
  private Host failed(PoolId pool, DeliveryHistory history) {
    Host held = done(fleet().perform(assign(fleet().freeHost(), pool)));
    return done(fleet().perform(HostOperation.Cancel.of(held, pool, Optional.of(history))));
  }

  private static DeliveryHistory inOne(PoolId pool, String setAside) {
    return new DeliveryHistory(
        Optional.of(
            new DeliveryHistory.Failure(
                1,
                NOW,
                "it did not boot",
                NOW,
                Optional.of(new DeliveryHistory.Suspect(pool.uid(), "ncore-1")))),
        setAside);
  }

  private static HostOperation.ClearFailures excuse(
      Host host, PoolId pool, String configuration, String setAside) {
    return new HostOperation.ClearFailures(
        host.id(), host.tenancy(), pool, configuration, setAside);
  }

  @Test
  void aHostIsExcusedOfTheFailuresInAConfiguration() {
    PoolId pool = fleet().newPool();
    Host waits = failed(pool, inOne(pool, ""));
    assertThat(waits.deliveries()).isEqualTo(inOne(pool, ""));
    HostOperation.ClearFailures excuse = excuse(waits, pool, "ncore-1", "");

    Host excused = done(fleet().perform(excuse));
    assertThat(excused.deliveries()).isEqualTo(DeliveryHistory.CLEAN);
    assertThat(excused.occupancy()).isEqualTo(waits.occupancy());
    assertThat(fleet().observed(excused).deliveries()).isEqualTo(DeliveryHistory.CLEAN);
    assertThat(done(fleet().perform(excuse))).isEqualTo(excused);
  }

  @Test
  void aHostThatWasSetAsideForItsConfigurationIsPutBack() {
    PoolId pool = fleet().newPool();
    Host aside = failed(pool, inOne(pool, "it did not boot"));
    assertThat(aside.isFree()).isFalse();

    Host excused = done(fleet().perform(excuse(aside, pool, "ncore-1", "it did not boot")));
    assertThat(excused.deliveries()).isEqualTo(DeliveryHistory.CLEAN);
    assertThat(excused.isFree()).isTrue();
  }

  @Test
  void aHostIsNotExcusedOfSomethingElse() {
    PoolId pool = fleet().newPool();
    Host aside = failed(pool, inOne(pool, "it did not boot"));

    refused(excuse(aside, pool, "ncore-1", ""), aside);
    refused(excuse(aside, pool, "ncore-1", "on loan"), aside);
    refused(excuse(aside, pool, "ncore-2", "it did not boot"), aside);
    refused(excuse(aside, fleet().newPool(), "ncore-1", "it did not boot"), aside);
    Host waits = failed(pool, inOne(pool, ""));
    Host again = done(fleet().perform(assign(waits, fleet().newPool())));
    refused(excuse(waits, pool, "ncore-1", ""), again);
    refused(excuse(again, pool, "ncore-1", ""), again);
  }

  @Test
  void anAssignmentWithATaintThatTheDefinitionDoesNotAdmitIsDeniedAsInvalid() {
    Host host = fleet().freeHost();
    PoolId pool = fleet().newPool();

    for (Taint wrong :
        List.of(
            new Taint("node.kubernetes.io/disk-pressure", "", "NoSchedule"),
            new Taint("two words", "", "NoSchedule"),
            new Taint("example.com/team", "two words", "NoSchedule"))) {
      NodeTemplate template = new NodeTemplate(new TreeMap<>(), new TreeMap<>(), List.of(wrong));
      assertThat(fleet().perform(assign(host, pool, "ncore-1", template)))
          .isInstanceOfSatisfying(
              Answer.Denied.class, denied -> assertThat(denied.invalid()).isTrue());
    }
    assertThat(done(fleet().read(host.id()))).isEqualTo(host);
  }

  @Test
  void aHostThatDoesNotExistIsMissing() {
    HostId nobody = new HostId("nobody", "no-uid");

    assertThat(fleet().read(nobody)).isInstanceOf(Answer.Missing.class);
    assertThat(
            fleet()
                .perform(
                    new HostOperation.Cancel(
                        nobody, 1, fleet().newPool(), HostPhase.FREE, Optional.empty())))
        .isInstanceOf(Answer.Missing.class);
    assertThat(
            fleet()
                .perform(
                    new HostOperation.Stage(nobody, 1, fleet().newPool(), "ncore-1", "ncore-2")))
        .isInstanceOf(Answer.Missing.class);
    BootRequest request =
        BootRequest.first(FIRST_BOOT, BootKind.REBOOT, "op-1", NOW, Optional.empty());
    assertThat(fleet().perform(new HostOperation.Boot(nobody, 1, fleet().newPool(), request)))
        .isInstanceOf(Answer.Missing.class);
  }

  private static Host done(Answer<Host> answer) {
    assertThat(answer).isInstanceOf(Answer.Done.class);
    return ((Answer.Done<Host>) answer).object();
  }

  private static HostOperation assign(Host host, PoolId pool) {
    return assign(host, pool, "ncore-1");
  }

  private static HostOperation assign(Host host, PoolId pool, String configuration) {
    return assign(host, pool, configuration, NodeTemplate.EMPTY);
  }

  private static HostOperation assign(
      Host host, PoolId pool, String configuration, NodeTemplate template) {
    return new HostOperation.Assign(
        host.id(),
        host.tenancy(),
        new Assignment(
            pool,
            "default",
            HostOperation.assignId(host.id(), host.tenancy(), pool),
            NOW,
            template),
        configuration);
  }
}
