package io.nodepool.simulated.cluster.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.FleetMishaps;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.RebootMishaps;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataCentreDocumentTest {
  private static final InstanceCatalogue CATALOGUE = InstanceCatalogue.bundled();

  @Test
  void aSpecBecomesTheDataCentreThatItDescribes() {
    SimulatedFleetSpec spec = spec();
    spec.region = "US-EAST-04";
    spec.organization = "cw9a2f";
    spec.seed = 7;
    spec.kubernetesVersion = "v1.34.9";
    spec.quotas.add(quota("turin-gp", 12));
    spec.timings = timings("20s", "1m30s", "2s");

    DataCentreDocument.Reading.Valid read = valid(spec);

    assertThat(read.kubeletVersion()).isEqualTo("v1.34.9");
    DataCentre centre = read.dataCentre();
    assertThat(centre.site().zone()).isEqualTo("US-EAST-04A");
    assertThat(centre.site().region()).isEqualTo("US-EAST-04");
    assertThat(centre.site().organization()).isEqualTo("cw9a2f");
    assertThat(centre.seed()).isEqualTo(7);
    assertThat(centre.terms().quotas()).containsOnlyKeys("turin-gp").containsValue(12);
    assertThat(centre.timings())
        .isEqualTo(
            new DataCentre.Timings(
                Duration.ofSeconds(20), Duration.ofSeconds(90), Duration.ofSeconds(2)));
    assertThat(centre.racks()).containsExactly(new DataCentre.Rack("7", "turin-gp", 4));
  }

  @Test
  void theRegionDefaultsToTheZone() {
    assertThat(valid(spec()).dataCentre().site().region()).isEqualTo("US-EAST-04A");
  }

  @Test
  void anEntryWithMoreHostsThanSlotsIsSeveralRacks() {
    SimulatedFleetSpec spec = spec(rack("nv", "gb200-4x", 54));
    spec.racks.getFirst().slotsPerRack = 18;

    assertThat(valid(spec).dataCentre().racks())
        .containsExactly(
            new DataCentre.Rack("nv-1", "gb200-4x", 18),
            new DataCentre.Rack("nv-2", "gb200-4x", 18),
            new DataCentre.Rack("nv-3", "gb200-4x", 18));
  }

  @ParameterizedTest
  @CsvSource({"169, 170", "016, 017", "099, 100", "99, 100", "r9, r9-2"})
  void racksWithANumberAreNumberedFromIt(String first, String second) {
    SimulatedFleetSpec spec = spec(rack(first, "gb200-4x", 36));
    spec.racks.getFirst().slotsPerRack = 18;

    assertThat(valid(spec).dataCentre().racks())
        .extracting(DataCentre.Rack::name)
        .containsExactly(first.equals("r9") ? "r9-1" : first, second);
  }

  @Test
  void generatedRackNamesThatCollideAreRejected() {
    SimulatedFleetSpec spec = spec(rack("169", "gb200-4x", 36), rack("170", "turin-gp", 4));
    spec.racks.getFirst().slotsPerRack = 18;

    assertThat(why(spec)).isEqualTo("spec.racks: there are two racks named 170.");
  }

  @Test
  void theLastOfSeveralRacksMayBePartlyFilled() {
    SimulatedFleetSpec spec = spec(rack("a", "turin-gp", 10));
    spec.racks.getFirst().slotsPerRack = 4;

    assertThat(valid(spec).dataCentre().racks())
        .extracting(DataCentre.Rack::hosts)
        .containsExactly(4, 4, 2);
  }

  @Test
  void anUnknownTypeIsNamedWithASuggestion() {
    assertThat(why(spec(rack("7", "gd-8xh100-i128", 4))))
        .isEqualTo(
            "spec.racks: rack 7: there is no instance type \"gd-8xh100-i128\"; did you mean gd-8xh100ib-i128?");
  }

  @Test
  void aQuotaOfAnUnknownTypeIsRejected() {
    assertThat(why(with(spec -> spec.quotas.add(quota("turin", 3)))))
        .startsWith("spec.quotas: there is no instance type \"turin\"");
  }

  @Test
  void anUnreadableDurationIsNamed() {
    assertThat(why(with(spec -> spec.timings = timings("20s", "soon", "2s"))))
        .isEqualTo(
            "spec.timings.bootMax: \"soon\" is not a duration; write it like 90s, 5m or 1h30m.");
  }

  @Test
  void whatIsSaidAboutSpotBecomesPartOfTheDataCentre() {
    DataCentre quiet = valid(spec()).dataCentre();
    assertThat(quiet.slots(CATALOGUE)).allMatch(DataCentre.Slot::spot);
    assertThat(quiet.timings().reclaimWindow()).isEqualTo(Duration.ofMinutes(7));
    assertThat(quiet.mishaps()).isEqualTo(DataCentre.Mishaps.NONE);
    String host = quiet.slots(CATALOGUE).getFirst().host();

    SimulatedFleetSpec spec = spec(rack("7", "turin-gp", 4), rack("8", "gd-1xgh200", 2));
    spec.racks.add(rack("9", "turin-gp", 1));
    spec.racks.getLast().spot = false;
    spec.timings = timings("20s", "1m30s", "2s");
    spec.timings.reclaimWindow = "3m";
    spec.mishaps = new FleetMishaps();
    spec.mishaps.reclaimsPerDay = 5;
    spec.reclaims.add(script(host, "20m", "90s"));
    DataCentre centre = valid(spec).dataCentre();

    assertThat(centre.slots(CATALOGUE))
        .allSatisfy(slot -> assertThat(slot.spot()).isEqualTo(slot.machine().rack().equals("7")));
    assertThat(centre.timings().reclaimWindow()).isEqualTo(Duration.ofMinutes(3));
    assertThat(centre.mishaps().reclaimsPerDay()).isEqualTo(5);
    assertThat(centre.mishaps().reclaims())
        .containsExactly(
            new DataCentre.ScriptedReclaim(
                host, Duration.ofMinutes(20), Optional.of(Duration.ofSeconds(90))));
  }

  @Test
  void aMistakeInTheScriptOrTheWindowIsNamed() {
    String host = valid(spec()).dataCentre().slots(CATALOGUE).getFirst().host();

    assertThat(why(with(spec -> spec.reclaims.add(script("g0", "1m", null)))))
        .isEqualTo("spec.reclaims: there is no machine named \"g0\".");
    assertThat(why(with(spec -> spec.reclaims.add(script(host, "soon", null)))))
        .isEqualTo(
            "spec.reclaims: %s: \"soon\" is not a duration; write it like 90s, 5m or 1h30m."
                .formatted(host));
    assertThat(why(with(spec -> spec.reclaims.add(script(host, "1m", "never")))))
        .contains("\"never\" is not a duration");
    assertThat(
            why(
                with(spec -> {
                  spec.reclaims.add(script(host, "1m", null));
                  spec.reclaims.add(script(host, "2m", null));
                })))
        .isEqualTo("spec.reclaims: %s is there twice.".formatted(host));
    assertThat(
            why(
                with(spec -> {
                  spec.timings = new SimulatedFleetSpec.Timings();
                  spec.timings.reclaimWindow = "0s";
                })))
        .isEqualTo("spec.timings.reclaimWindow must be more than 0s.");
  }

  @Test
  void whatIsSaidAboutRebootsBecomesPartOfTheDataCentre() {
    DataCentre quiet = valid(spec()).dataCentre();
    assertThat(quiet.timings().reboot()).isEqualTo(Duration.ofMinutes(3));
    assertThat(quiet.timings().verification()).isEqualTo(Duration.ofMinutes(10));
    assertThat(quiet.mishaps().reboots()).isEqualTo(RebootMishaps.NONE);
    String host = quiet.slots(CATALOGUE).getFirst().host();

    SimulatedFleetSpec spec = spec();
    spec.timings = new SimulatedFleetSpec.Timings();
    spec.timings.reboot = "90s";
    spec.timings.verification = "0s";
    spec.mishaps = new FleetMishaps();
    spec.mishaps.reboots.add(mishap(host, 2, "Hang"));
    spec.mishaps.reboots.add(mishap(host, null, "VerificationFailure"));
    spec.mishaps.rebootHangPercent = 5;
    spec.mishaps.rebootFailurePercent = 95;
    spec.mishaps.verificationFailurePercent = 100;
    DataCentre centre = valid(spec).dataCentre();

    assertThat(centre.timings().reboot()).isEqualTo(Duration.ofSeconds(90));
    assertThat(centre.timings().verification()).isZero();
    assertThat(centre.mishaps().reboots())
        .isEqualTo(
            new RebootMishaps(
                List.of(
                    new RebootMishaps.Scripted(host, 2, RebootMishaps.Kind.HANG),
                    new RebootMishaps.Scripted(host, 0, RebootMishaps.Kind.VERIFICATION_FAILURE)),
                5,
                95,
                100,
                0));
    DataCentre fast = centre.faster(10);
    assertThat(fast.timings().reboot()).isEqualTo(Duration.ofSeconds(9));
    assertThat(fast.mishaps().reboots()).isEqualTo(centre.mishaps().reboots());
  }

  @Test
  void aMistakeAboutRebootsIsNamed() {
    String host = valid(spec()).dataCentre().slots(CATALOGUE).getFirst().host();

    assertThat(whyOfReboot(mishap("g0", 1, "Hang")))
        .isEqualTo("spec.mishaps.reboots: there is no machine named \"g0\".");
    assertThat(whyOfReboot(mishap(host, 0, "Hang")))
        .isEqualTo(
            "spec.mishaps.reboots: %s: reboot is 0; the first one is 1, and without it each is meant."
                .formatted(host));
    assertThat(whyOfReboot(mishap(host, 1, "Explode")))
        .isEqualTo(
            "spec.mishaps.reboots: %s: there is no mishap \"Explode\"; it is one of Hang, Fail, NotReady, VerificationFailure."
                .formatted(host));
    SimulatedFleetSpec percents = spec();
    percents.mishaps = new FleetMishaps();
    percents.mishaps.rebootHangPercent = 60;
    percents.mishaps.rebootFailurePercent = 50;
    assertThat(why(percents))
        .isEqualTo(
            "spec.mishaps: rebootHangPercent (60) and rebootFailurePercent (50) are more than 100 together.");
    SimulatedFleetSpec times = spec();
    times.timings = new SimulatedFleetSpec.Timings();
    times.timings.reboot = "soon";
    assertThat(why(times))
        .isEqualTo(
            "spec.timings.reboot: \"soon\" is not a duration; write it like 90s, 5m or 1h30m.");
    times.timings.reboot = null;
    times.timings.verification = "later";
    assertThat(why(times)).startsWith("spec.timings.verification: \"later\" is not a duration");
  }

  @Test
  void aMistakeAboutFaultsIsNamed() {
    assertThat(why(with(spec -> spec.mishaps = fault("g0", null))))
        .isEqualTo("spec.mishaps.faults: GPUVeryHot: there is no machine named \"g0\".");
    assertThat(why(with(spec -> spec.mishaps = fault(null, "8"))))
        .isEqualTo("spec.mishaps.faults: GPUVeryHot: there is no rack named \"8\".");
    assertThat(why(with(spec -> spec.mishaps = fault("g0", "7"))))
        .startsWith("spec.mishaps.faults: GPUVeryHot: give host or rack, not both.");
  }

  @Test
  void aFaultOfAllMachinesIsNoMistakeBeforeThereAreAny() {
    SimulatedFleetSpec spec = spec();
    spec.racks.clear();
    spec.mishaps = fault(null, null);

    assertThat(valid(spec).dataCentre().racks()).isEmpty();
  }

  private static FleetMishaps fault(@Nullable String host, @Nullable String rack) {
    FleetMishaps.FaultOfMachines entry = new FleetMishaps.FaultOfMachines();
    entry.alert = "GPUVeryHot";
    entry.after = "1m";
    entry.host = host;
    entry.rack = rack;
    FleetMishaps mishaps = new FleetMishaps();
    mishaps.faults.add(entry);
    return mishaps;
  }

  private static String whyOfReboot(FleetMishaps.ScriptedReboot entry) {
    return why(
        with(spec -> {
          spec.mishaps = new FleetMishaps();
          spec.mishaps.reboots.add(entry);
        }));
  }

  private static FleetMishaps.ScriptedReboot mishap(
      String host, @Nullable Integer reboot, String mishap) {
    FleetMishaps.ScriptedReboot entry = new FleetMishaps.ScriptedReboot();
    entry.host = host;
    entry.reboot = reboot;
    entry.mishap = mishap;
    return entry;
  }

  private static SimulatedFleetSpec.ScriptedReclaim script(
      String host, String after, @Nullable String withdrawAfter) {
    SimulatedFleetSpec.ScriptedReclaim entry = new SimulatedFleetSpec.ScriptedReclaim();
    entry.host = host;
    entry.after = after;
    entry.withdrawAfter = withdrawAfter;
    return entry;
  }

  @Test
  void theMinimumBootTimeIsAtMostTheMaximum() {
    assertThat(why(with(spec -> spec.timings = timings("2m", "1m", "2s"))))
        .isEqualTo("spec.timings.bootMin (2m) is more than bootMax (1m).");
  }

  @Test
  void aRackOfARackTypeIsFull() {
    assertThat(why(spec(rack("nv", "gb200-4x", 17))))
        .startsWith("spec.racks: rack nv has 17 hosts; a rack of gb200-4x has 18.");
  }

  @Test
  void noTwoRacksShareAName() {
    SimulatedFleetSpec spec = spec(rack("a", "turin-gp", 4), rack("a-2", "turin-gp", 1));
    spec.racks.getFirst().slotsPerRack = 2;

    assertThat(why(spec)).isEqualTo("spec.racks: there are two racks named a-2.");
  }

  @Test
  void aNameTooLongForALabelIsRejected() {
    assertThat(why(spec(rack("x".repeat(60), "turin-gp", 4)))).contains("is too long");
    assertThat(why(spec(rack("a b", "turin-gp", 4)))).contains("\"a b\"");
    assertThat(why(with(spec -> spec.zone = "-zone"))).startsWith("spec.zone: \"-zone\"");
  }

  private static SimulatedFleetSpec spec(SimulatedFleetSpec.Rack... racks) {
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = "US-EAST-04A";
    spec.racks.addAll(racks.length == 0 ? List.of(rack("7", "turin-gp", 4)) : List.of(racks));
    return spec;
  }

  private static SimulatedFleetSpec with(Consumer<SimulatedFleetSpec> change) {
    SimulatedFleetSpec spec = spec();
    change.accept(spec);
    return spec;
  }

  private static SimulatedFleetSpec.Rack rack(String name, String type, int hosts) {
    SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
    rack.name = name;
    rack.instanceType = type;
    rack.hosts = hosts;
    return rack;
  }

  private static SimulatedFleetSpec.QuotaSpec quota(String type, int nodes) {
    SimulatedFleetSpec.QuotaSpec quota = new SimulatedFleetSpec.QuotaSpec();
    quota.instanceType = type;
    quota.nodes = nodes;
    return quota;
  }

  private static SimulatedFleetSpec.Timings timings(String bootMin, String bootMax, String clean) {
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = bootMin;
    timings.bootMax = bootMax;
    timings.clean = clean;
    return timings;
  }

  private static DataCentreDocument.Reading.Valid valid(SimulatedFleetSpec spec) {
    return (DataCentreDocument.Reading.Valid) DataCentreDocument.read(spec, CATALOGUE);
  }

  private static String why(SimulatedFleetSpec spec) {
    return ((DataCentreDocument.Reading.Invalid) DataCentreDocument.read(spec, CATALOGUE)).why();
  }
}
