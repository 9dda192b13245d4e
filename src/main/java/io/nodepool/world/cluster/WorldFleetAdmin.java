package io.nodepool.world.cluster;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reclaim;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.health.Signal;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.BootKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Actions of the owner of the virtual world's machines. */
public final class WorldFleetAdmin {
  private final WorldStore store;

  WorldFleetAdmin(WorldStore store) {
    this.store = store;
  }

  private Optional<Host> host(String name) {
    return Optional.ofNullable(store.hosts.get(name));
  }

  /** Changes a Host, if it exists. */
  private void edit(String name, UnaryOperator<Host> edit) {
    host(name).ifPresent(host -> store.put(edit.apply(host.withVersion(store.next()))));
  }

  private static Host withBoot(Host host, UnaryOperator<Host.Boot> edit) {
    return host.withReport(host.report().withBoot(edit.apply(host.report().boot())));
  }

  /** Replaces the fleet's offer. */
  public void offer(FleetOffer next) {
    store.put(next);
  }

  /** Publishes a release, as the newest one. */
  public void publish(FleetRelease release) {
    FleetOffer last = store.offer();
    store.put(
        last.withReleases(Stream.concat(last.releases().stream(), Stream.of(release)).toList()));
  }

  /** The fleet no longer offers this kind of boot. */
  public void withdrawBoot(BootKind kind) {
    FleetOffer last = store.offer();
    SortedSet<BootKind> boots = new TreeSet<>(last.capabilities().boots());
    boots.remove(kind);
    store.put(last.withCapabilities(last.capabilities().withBoots(boots)));
  }

  /** Deletes the definition of Hosts, and with it all Hosts, as an API server does. */
  public void deleteDefinition(String why) {
    store.define(Optional.of(why));
    List.copyOf(store.hosts.values()).forEach(store::removeHost);
  }

  /** Creates the definition of Hosts again; there are no Hosts. */
  public void createDefinition() {
    store.define(Optional.empty());
  }

  /** Makes the offer unreadable until it is replaced. */
  public void loseOffer(String why) {
    store.loseOffer(why);
  }

  /** A user changes the alert catalogue. */
  public void alerts(AlertCatalogue next) {
    store.alerts(new Observation.CatalogueSeen(next));
  }

  /** A user makes a mistake in the document of the alert catalogue. */
  public void garbleAlerts(String why) {
    store.alerts(new Observation.CatalogueRefused(why));
  }

  /** Takes a Host out of service, or puts it back if the text is empty. */
  public void setAside(String host, String why) {
    edit(
        host,
        seen -> {
          DeliveryHistory last = seen.deliveries();
          boolean isReleased = last.isSetAside() && why.isEmpty();
          return seen.withDeliveries(
              new DeliveryHistory(
                  isReleased ? Optional.empty() : last.failure(),
                  why,
                  isReleased ? Optional.of(store.now()) : last.released()));
        });
  }

  /** Replaces a Host's spec, as another version of the operator rewrites it. */
  public void replaceSpec(Host next) {
    host(next.id().name())
        .filter(seen -> seen.id().equals(next.id()))
        .ifPresent(seen -> store.put(next.withVersion(store.next()).withReport(seen.report())));
  }

  /** Reports a phase for the present tenancy, requested or not. */
  public void report(String host, HostPhase phase, Instant now) {
    host(host).ifPresent(seen -> report(host, phase, seen.tenancy(), now));
  }

  /** Reports a phase for another tenancy than the Host's present one. */
  public void report(String host, HostPhase phase, int tenancy, Instant now) {
    edit(
        host,
        seen -> {
          Host.Report last = seen.report();
          Host.Boot boot =
              phase == HostPhase.RUNNING ? last.boot() : last.boot().withCycle(Optional.empty());
          return seen.withReport(last.inPhase(phase, tenancy, boot, now));
        });
  }

  /** Reports the power of a machine; empty if the fleet no longer reports it. */
  public void power(String host, Optional<Host.PowerReading> reading) {
    edit(host, seen -> seen.withReport(seen.report().withPower(reading)));
  }

  /** Reports whether the owner of a machine works on it. */
  public void maintenance(String host, boolean works) {
    edit(host, seen -> seen.withReport(seen.report().withMaintenance(works)));
  }

  /** A person confirms that a failed machine, in its current phase, cannot run. */
  public void fence(String host) {
    edit(
        host,
        seen ->
            seen.withOccupancy(
                seen.occupancy()
                    .withFenced(
                        Optional.of(
                            new Host.Fenced(seen.tenancy(), seen.report().since(), store.now())))));
  }

  /** Reports these signals about a machine, instead of its earlier signals. */
  public void signals(String host, List<Signal> next) {
    if (host(host).filter(seen -> !seen.report().signals().equals(next)).isPresent()) {
      edit(host, seen -> seen.withReport(seen.report().withSignals(next)));
    }
  }

  /** Lets the next reboot of a machine go wrong in this way. */
  public void nextReboot(String host, RebootMishaps.Kind mishap) {
    host(host).ifPresent(seen -> reboot(host, seen.report().boot().cycles() + 1, mishap));
  }

  /**
   * Lets a reboot of a machine go wrong in this way.
   *
   * @param reboot the number of the reboot, from 1; 0 for all of them
   */
  public void reboot(String host, int reboot, RebootMishaps.Kind mishap) {
    store.rebootScript.add(new RebootMishaps.Scripted(host, reboot, mishap));
  }

  /** From now on, reboots of the machine go wrong only as the data centre's description defines. */
  public void healReboots(String host) {
    store.rebootScript.removeIf(each -> each.host().equals(host));
    edit(host, seen -> seen);
  }

  /** From now on, boots into these configurations go wrong. */
  public void breakConfigurations(BrokenConfiguration configurations) {
    store.broken.add(configurations);
  }

  /** From now on, configurations are only broken as the data centre's description defines. */
  public void mendConfigurations() {
    store.broken.clear();
    List.copyOf(store.hosts.keySet()).forEach(host -> edit(host, seen -> seen));
  }

  /** The machine boots although nobody requested it. */
  public void bootsByItself(String host, Instant now) {
    if (host(host).filter(seen -> seen.is(HostPhase.RUNNING)).isPresent()) {
      String id = store.newUid("boot");
      edit(
          host,
          seen ->
              withBoot(
                  seen,
                  last ->
                      last.first(id, seen.occupancy().configuration()).withAt(Optional.of(now))));
    }
  }

  /** Loses the answer to the fleet's next write about a Host, so that it sends the write again. */
  public void loseFleetAnswer(String host) {
    store.lostFleetAnswers.add(host);
  }

  /** Announces that the fleet wants a machine back, and takes it at the end of this window. */
  public void reclaim(String host, Duration window, Instant now) {
    Reclaim notice = new Reclaim(now, now.plus(window), "a drill");
    setSpot(host, spot -> spot.withReclaim(Optional.of(notice)));
  }

  /** Withdraws the notice about a machine. */
  public void withdrawReclaim(String host) {
    setSpot(host, spot -> spot.withReclaim(Optional.empty()));
  }

  /** Lets the data centre reclaim machines of spot pools for on-demand pools that wait for them. */
  public void reclaimForOnDemand() {
    store.reclaimsForOnDemand = true;
  }

  /** Offers a machine to spot pools, or no longer. */
  public void offerSpot(String host, boolean offered) {
    setSpot(host, spot -> new Host.Spot(offered, spot.reclaim()));
  }

  private void setSpot(String host, UnaryOperator<Host.Spot> change) {
    if (host(host)
        .map(seen -> seen.report().spot())
        .filter(s -> !change.apply(s).equals(s))
        .isPresent()) {
      edit(
          host,
          seen -> seen.withReport(seen.report().withSpot(change.apply(seen.report().spot()))));
    }
  }

  /** The machine continues to run, but its Host no longer reports a boot id. */
  public void loseBoot(String host) {
    if (host(host).filter(running -> !running.report().bootId().isEmpty()).isPresent()) {
      edit(host, running -> withBoot(running, boot -> boot.withId("")));
    }
  }

  /** The machine boots by itself into another configuration than its Host names. */
  public void bootsInto(String host, String configuration, Instant now) {
    edit(
        host,
        running ->
            withBoot(
                running,
                boot ->
                    boot.withConfiguration(configuration)
                        .withAt(boot.at().or(() -> Optional.of(now)))));
  }

  /** Replaces the machine with another one under the same Host name: free and never used. */
  public void replace(String host, Instant now) {
    host(host)
        .ifPresent(gone -> {
          store.removeHost(gone);
          store.put(fresh(gone, now));
        });
  }

  /** Restores a deleted machine, as a new Host that was never used. */
  public void restore(Host deleted, Instant now) {
    if (!store.hosts.containsKey(deleted.id().name())) {
      store.put(fresh(deleted, now));
    }
  }

  private Host fresh(Host gone, Instant now) {
    return store.unused(
        new HostId(gone.id().name(), store.newUid("host")),
        gone.machine(),
        gone.report().spot().withReclaim(Optional.empty()),
        now);
  }

  /**
   * Removes the validation rule by which the API server itself refuses a second holder of a Host.
   */
  public void admitSecondHolders() {
    store.secondHoldersAreAdmitted = true;
  }

  /** Deletes the Host of this name permanently. */
  public void delete(String host) {
    host(host).ifPresent(store::removeHost);
  }

  /** Whether the data centre reclaims machines that on-demand pools wait for. */
  public boolean reclaimsForOnDemand() {
    return store.reclaimsForOnDemand;
  }

  /** The reboots that go wrong, in addition to those of the data centre's description. */
  public List<RebootMishaps.Scripted> rebootScript() {
    return List.copyOf(store.rebootScript);
  }

  /** Configurations into which boots go wrong, besides those of the data centre's description. */
  public List<BrokenConfiguration> brokenConfigurations() {
    return List.copyOf(store.broken);
  }

  /**
   * Whether the answer to the fleet's next write about this Host is lost, so that the fleet sends
   * it again; true at most once for each {@link #loseFleetAnswer}.
   */
  public boolean losesFleetAnswer(String host) {
    return store.lostFleetAnswers.remove(host);
  }
}
