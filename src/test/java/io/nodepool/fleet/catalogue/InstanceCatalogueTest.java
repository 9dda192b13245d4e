package io.nodepool.fleet.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Comparator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstanceCatalogueTest {
  private static final String GOOD =
      "x1,8,H100,80,128,2112109804,30003181568,amd64,epyc,110,0,false,infiniband,64,US-EAST-04A RNO2A";

  private final InstanceCatalogue catalogue = InstanceCatalogue.bundled();

  @Test
  void holdsEveryTypeOfTheContractInNameOrder() {
    assertThat(catalogue.all())
        .hasSize(26)
        .isSortedAccordingTo(Comparator.comparing(InstanceType::name));
  }

  @Test
  void capacityIsTheAutoscalersWhereItHasTheType() {
    InstanceType h100 = catalogue.find("gd-8xh100ib-i128").orElseThrow();
    assertThat(h100.gpus().count()).isEqualTo(8);
    assertThat(h100.gpus().model()).contains("H100");
    assertThat(h100.resources().processor().vcpus()).isEqualTo(128);
    assertThat(h100.resources().memoryKi()).isEqualTo(2112109804L);
    assertThat(h100.resources().ephemeralStorageKi()).isEqualTo(30003181568L);
    assertThat(h100.network()).isEqualTo(Network.INFINIBAND);
    assertThat(h100.isGpu()).isTrue();
    assertThat(h100.isRack()).isFalse();
    assertThat(catalogue.find("cd-hc-a384-genoa").orElseThrow().resources().maxPods())
        .isEqualTo(300);
  }

  @Test
  void capacityOfOtherTypesIsThePublishedSize() {
    InstanceType gb200 = catalogue.find("gb200-4x").orElseThrow();
    assertThat(gb200.resources().memoryKi()).isEqualTo(960L * 1024 * 1024 * 63 / 64 - 1_629_100);
    assertThat(gb200.resources().ephemeralStorageKi()).isEqualTo(15_000_000_000L);
    assertThat(gb200.resources().processor().architecture()).isEqualTo("arm64");
  }

  @Test
  void rackTypesComeInEighteensAndAreSuperchips() {
    assertThat(catalogue.all())
        .filteredOn(InstanceType::isRack)
        .allSatisfy(type -> assertThat(type.rackSize()).isEqualTo(18))
        .allSatisfy(type -> assertThat(type.superchip()).isTrue())
        .extracting(InstanceType::name)
        .containsExactly("gb200-4x", "gb300-4x", "gb300-4x-e", "verarubin-4x-e");
    assertThat(catalogue.find("gd-1xgh200").orElseThrow().superchip()).isTrue();
  }

  @Test
  void aTypeIsInItsZonesOnly() {
    InstanceType a100 = catalogue.find("gd-8xa100-i128").orElseThrow();
    assertThat(a100.zones()).contains("US-EAST-04A").doesNotContain("US-EAST-01A");
    assertThat(catalogue.find("turin-gp-v2").orElseThrow().zones()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu-4", "h100-80gb-sxm-ib", "", "GD-8XH100IB-I128"})
  void otherNamesAreNotTypes(String name) {
    assertThat(catalogue.find(name)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "gd-8xh100-i128, gd-8xh100ib-i128",
    "GD-8XH100IB-I128, gd-8xh100ib-i128",
    "gd-8xa100i128, gd-8xa100-i128",
    "turin, turin-gp",
    "gb300, gb300-4x",
    "h200, gd-1xgh200"
  })
  void theClosestTypeIsSuggestedForAMisspeltName(String name, String meant) {
    assertThat(catalogue.closest(name)).map(InstanceType::name).contains(meant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu-4", "m5.xlarge", "x", ""})
  void nothingIsSuggestedForANameWithoutASimilarType(String name) {
    assertThat(catalogue.closest(name)).isEmpty();
  }

  @Test
  void readsCommentsBlankLinesAndZonesInAnyOrder() {
    InstanceCatalogue read = InstanceCatalogue.parse("t.csv", text("", "# a comment", GOOD));
    assertThat(read.all()).hasSize(1);
    assertThat(read.all().getFirst().zones()).containsExactly("RNO2A", "US-EAST-04A");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x1,8                    | t.csv line 3: it has 2 fields, but a type has 15",
        ",0,,0,1,1,1,amd64,epyc,1,0,false,roce,0, | t.csv line 3: name is empty",
        "a,0,,0,x,1,1,amd64,epyc,1,0,false,roce,0, | t.csv line 3: vcpus is 'x', but has to be a whole number from 1 to 100000",
        "a,0,,0,0,1,1,amd64,epyc,1,0,false,roce,0, | t.csv line 3: vcpus is '0', but has to be a whole number from 1 to 100000",
        "a,0,,0,1,99999999999999999999,1,amd64,epyc,1,0,false,roce,0, | t.csv line 3: memoryKi is '99999999999999999999', but has to be a whole number from 1 to 9223372036854775807",
        "a,8,,80,1,1,1,amd64,epyc,1,0,false,roce,0, | t.csv line 3: gpuModel has to be given exactly when there are gpus",
        "a,0,H100,80,1,1,1,amd64,epyc,1,0,false,roce,0, | t.csv line 3: gpuModel has to be given exactly when there are gpus",
        "a,0,,0,1,1,1,x86,epyc,1,0,false,roce,0, | t.csv line 3: architecture is 'x86', but has to be amd64 or arm64",
        "a,0,,0,1,1,1,amd64,epyc,1,0,yes,roce,0, | t.csv line 3: superchip is 'yes', but has to be true or false",
        "a,0,,0,1,1,1,amd64,epyc,1,0,false,token,0, | t.csv line 3: network is 'token', but has to be infiniband, roce or ethernet"
      })
  void aBadLineFailsWithItsNumber(String line, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> InstanceCatalogue.parse("t.csv", text("# comment", line)))
        .withMessage(message);
  }

  @Test
  void aDuplicateNameFails() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> InstanceCatalogue.parse("t.csv", text(GOOD, GOOD)))
        .withMessage("t.csv line 3: the type 'x1' is defined twice");
  }

  @Test
  void aWrongHeaderFails() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> InstanceCatalogue.parse("t.csv", "name\n" + GOOD))
        .withMessageStartingWith("t.csv line 1: the header has to be 'name,gpus,");
  }

  private static String text(String... lines) {
    return InstanceTypeRows.HEADER + "\n" + String.join("\n", lines) + "\n";
  }
}
