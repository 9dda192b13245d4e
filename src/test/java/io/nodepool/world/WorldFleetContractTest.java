package io.nodepool.world;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.FleetContract;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.simulated.FleetAction;
import io.nodepool.world.cluster.WorldCluster;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Tests the fleet contract on the virtual world's Hosts. */
class WorldFleetContractTest extends FleetContract {
  private final WorldCluster cluster =
      new WorldCluster(
          Drill.dataCentre(), InstanceCatalogue.bundled(), InstantSource.fixed(World.START));
  private final Map<HostId, Host> observed = new HashMap<>();
  private int pools;

  WorldFleetContractTest() {
    cluster.validate(CrdValidation.ALL);
    cluster.list(WorldCluster.Kind.HOSTS).forEach(this::hear);
    cluster.watch(WorldCluster.Kind.HOSTS, this::hear);
  }

  private void hear(Observation seen) {
    if (seen instanceof Observation.HostSeen(Host host)) {
      observed.put(host.id(), host);
    }
  }

  @Override
  protected Fleet fleet() {
    return new InWorld();
  }

  private final class InWorld implements Fleet {
    @Override
    public Answer<Host> perform(HostOperation operation) {
      return ofHost(cluster.apply(new Action.OnHost(operation), World.START));
    }

    @Override
    public Answer<Host> read(HostId host) {
      return ofHost(cluster.read(new Action.Subject.OfHost(host)));
    }

    private Answer<Host> ofHost(Answer<Observation> answer) {
      return switch (answer) {
        case Answer.Done<Observation>(Observation.HostSeen(Host host)) -> new Answer.Done<>(host);
        case Answer.Done<Observation> _, Answer.Missing<Observation> _ -> new Answer.Missing<>();
        case Answer.Refused<Observation>(String why) -> new Answer.Refused<>(why);
        case Answer.Denied<Observation>(String why, boolean invalid) ->
            new Answer.Denied<>(why, invalid);
        case Answer.Unavailable<Observation>(String why) -> new Answer.Unavailable<>(why);
        case Answer.Unknown<Observation>(String why) -> new Answer.Unknown<>(why);
      };
    }

    @Override
    public Host freeHost() {
      return cluster.hosts().values().stream().filter(Host::isFree).findFirst().orElseThrow();
    }

    @Override
    public FleetOffer toldOffer() {
      return cluster.offer();
    }

    @Override
    public Host observed(Host host) {
      return Optional.ofNullable(observed.get(host.id())).orElseThrow();
    }

    @Override
    public PoolId newPool() {
      return cluster.createPool("pool-" + ++pools, Fixtures.spec(0), World.START).id();
    }

    @Override
    public void reports(Host host, HostPhase phase) {
      cluster.apply(
          new FleetAction.ReportHost(
              host, new Host.Report(phase, host.tenancy(), "boot", "ncore-1", World.START)),
          World.START);
    }

    @Override
    public void reportsSpot(Host host, Host.Spot spot) {
      Host live = Optional.ofNullable(cluster.hosts().get(host.id().name())).orElseThrow();
      cluster.apply(new FleetAction.ReportHost(live, live.report().withSpot(spot)), World.START);
    }

    @Override
    public void reportsBoot(Host host, Host.Boot boot) {
      Host live = Optional.ofNullable(cluster.hosts().get(host.id().name())).orElseThrow();
      cluster.apply(new FleetAction.ReportHost(live, live.report().withBoot(boot)), World.START);
    }
  }
}
