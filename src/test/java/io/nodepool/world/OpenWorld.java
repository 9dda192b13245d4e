package io.nodepool.world;

import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.simulated.DataCentre;
import io.nodepool.world.check.Checks;
import io.nodepool.world.check.cost.PlanCost;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;

/** Makes worlds for tests of other packages, and starts and ends the operators in them. */
public final class OpenWorld {
  private OpenWorld() {}

  /** A world whose API server checks what is written, with an operator. */
  public static World of(
      long seed, DataCentre dataCentre, OperatorOverrides overrides, int auditEvery) {
    World world =
        new World(
            dataCentre,
            InstanceCatalogue.bundled(),
            seed,
            Faults.NONE,
            LoopSettings.DEFAULTS,
            PlanCost.checking(overrides));
    Checks.watch(world, LoopSettings.DEFAULTS, Faults.NONE, auditEvery);
    world.cluster().validate(CrdValidation.ALL);
    world.operators().start();
    return world;
  }

  /** A world that no oracle watches, with an operator. */
  public static World unwatched(long seed, DataCentre dataCentre, OperatorOverrides overrides) {
    World world =
        new World(
            dataCentre,
            InstanceCatalogue.bundled(),
            seed,
            Faults.NONE,
            LoopSettings.DEFAULTS,
            overrides);
    world.operators().start();
    return world;
  }

  /**
   * From now on, the order of steps that may happen in any order, and how long machines take, are
   * others for each number.
   */
  public static void fork(World world, int number) {
    world.fork(number);
  }

  /** Ends the operator; another one starts after this time. */
  public static void restart(World world, Duration down) {
    world.operators().restart(down);
  }

  /** Names of all machines of a data centre, in the order in which they are assigned. */
  public static List<String> names(DataCentre dataCentre) {
    return Drill.names(dataCentre);
  }

  /** Racks of one type, with these machines each. */
  public static DataCentre racks(String type, int racks, int machines) {
    return Drill.racks(type, racks, machines);
  }
}
