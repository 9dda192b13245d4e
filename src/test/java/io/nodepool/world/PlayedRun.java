package io.nodepool.world;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One run, as a failing suite prints it: a scenario, a seed, and the faults if there were any.
 *
 * @param name the name of the scenario, {@link #ROUGH_WORLD_WITH_LOSSES}, {@link #ROUGH_WORLD}, or
 *     {@link #IDLE_SAFETY}
 * @param fleet what is wrong with the reports of its fleet, in runs of {@link FaultyFleetTest}
 */
record PlayedRun(String name, long seed, Faults faults, Optional<FleetFaults> fleet) {
  /** Names the runs of {@link RoughWorldTest}, whose faults follow from the seed. */
  static final String ROUGH_WORLD_WITH_LOSSES = "rough world with losses";

  /** The same without losses of records, as it was when most runs were recorded. */
  static final String ROUGH_WORLD = "rough world";

  /** Names the runs of {@link IdleSafetyTest}, whose faults follow from the seed. */
  static final String IDLE_SAFETY = "idle safety";

  private static final Pattern PRINTED = Pattern.compile("(?<name>.+?), seed (?<seed>\\d+).*");

  private static final Pattern FAULTS =
      Pattern.compile(
          "Faults\\[crashAtWrite=OptionalInt(?:\\[(?<write>\\d+)\\]|\\.empty), crashAfter=(?<after>\\w+),"
              + " unknownPercent=(?<unknown>\\d+), latePercent=(?<late>\\d+),"
              + " unavailablePercent=(?<unavailable>\\d+), stallPercent=(?<stall>\\d+),"
              + " relistPercent=(?<relist>\\d+)\\]");

  private static final Pattern FLEET =
      Pattern.compile(
          "FleetFaults\\[noBootId=(?<none>\\d+), repeatedBootId=(?<repeated>\\d+),"
              + " lateBootId=(?<late>\\d+), otherConfiguration=(?<other>\\d+),"
              + " wrongVerification=(?<wrong>\\d+), lateStart=(?<start>\\d+), clock=(?<clock>[^\\]]+)\\]");

  /** A run with an ordinary fleet. */
  PlayedRun(String name, long seed, Faults faults) {
    this(name, seed, faults, Optional.empty());
  }

  /**
   * Reads a run as it was printed; what follows the faults is ignored. Faults that cannot be read
   * are refused: without them it would be another run.
   */
  static PlayedRun parse(String line) {
    Matcher printed = PRINTED.matcher(line);
    if (!printed.matches()) {
      throw new IllegalArgumentException("no run of a scenario with a seed: " + line);
    }
    return new PlayedRun(
        printed.group("name"), Long.parseLong(printed.group("seed")), faults(line), fleet(line));
  }

  private static Optional<FleetFaults> fleet(String line) {
    Matcher faults = FLEET.matcher(line);
    if (!isFound(faults, "FleetFaults[", line)) {
      return Optional.empty();
    }
    return Optional.of(
        new FleetFaults(
            Integer.parseInt(faults.group("none")),
            Integer.parseInt(faults.group("repeated")),
            Integer.parseInt(faults.group("late")),
            Integer.parseInt(faults.group("other")),
            Integer.parseInt(faults.group("wrong")),
            Integer.parseInt(faults.group("start")),
            Duration.parse(faults.group("clock"))));
  }

  private static boolean isFound(Matcher faults, String printed, String line) {
    boolean found = faults.find();
    if (!found && line.contains(printed)) {
      throw new IllegalArgumentException("faults that cannot be read: " + line);
    }
    return found;
  }

  private static Faults faults(String line) {
    Matcher faults = FAULTS.matcher(line);
    if (!isFound(faults, " Faults[", line)) {
      return Faults.NONE;
    }
    String write = faults.group("write");
    return new Faults(
        write == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(write)),
        Boolean.parseBoolean(faults.group("after")),
        Integer.parseInt(faults.group("unknown")),
        Integer.parseInt(faults.group("late")),
        Integer.parseInt(faults.group("unavailable")),
        Integer.parseInt(faults.group("stall")),
        Integer.parseInt(faults.group("relist")));
  }

  /** Plays it; returns the failure. */
  Optional<String> failure(OperatorOverrides overrides) {
    if (name.equals(ROUGH_WORLD) || name.equals(ROUGH_WORLD_WITH_LOSSES)) {
      return Monkey.failure(seed, name.equals(ROUGH_WORLD_WITH_LOSSES), overrides, new Census());
    }
    if (name.equals(IDLE_SAFETY)) {
      return IdleSafetyTest.failure(seed, overrides);
    }
    Scenario scenario =
        Stream.concat(Scenario.all(), RebootPairScenarios.all())
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no scenario has the name " + name));
    if (fleet.isPresent()) {
      return FaultyFleetTest.failure(scenario, seed, fleet.get(), overrides, new Census());
    }
    return scenario.failure(seed, faults, overrides, scenario.undisturbed().outcome());
  }

  @Override
  public String toString() {
    return "%s, seed %d, %s".formatted(name, seed, fleet.<Object>map(each -> each).orElse(faults));
  }
}
