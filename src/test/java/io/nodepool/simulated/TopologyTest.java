package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Machine;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTest {
  private static final InstanceCatalogue CATALOGUE = InstanceCatalogue.bundled();

  /** The first row has the values of a public B200 cluster, but for the number of its fabric. */
  @ParameterizedTest
  @CsvSource({
    "82, b200-8x, US-EAST-15A-FAB1, 2, 90.1-DH1, ''",
    "89, gb300-4x-e, US-EAST-15A-FAB2, 2, 90.2-DH1, DH1-089-US-EAST-15A",
    "392, gb200-4x, US-EAST-15A-FAB1, 8, 400.1-DH1, DH1-392-US-EAST-15A",
    "392, gd-1xgh200, '', '', '', ''",
    "row-b, b200-8x, US-EAST-15A-FAB1, 1, 10.1-DH1, ''",
  })
  void whatAMachineIsConnectedToFollowsFromTheNumberOfItsRack(
      String rack, String type, String fabric, String superpod, String group, String domain) {
    Machine.Interconnect found = machine(rack, type).interconnect();

    assertThat(found.fabric()).isEqualTo(fabric);
    assertThat(found.superpod()).isEqualTo(superpod);
    assertThat(found.leafgroup().name()).isEqualTo(group);
    assertThat(found.leafgroup().id()).matches(fabric.isEmpty() ? "" : "[1-9][0-9]{11}");
    assertThat(found.nvlinkDomain()).isEqualTo(domain);
  }

  @Test
  void racksOfOneLeafGroupShareItsIdentifierAndOthersHaveAnother() {
    Machine.LeafGroup group = machine("81", "b200-8x").interconnect().leafgroup();

    assertThat(machine("89", "gd-8xh100ib-i128").interconnect().leafgroup())
        .isEqualTo(new Machine.LeafGroup(group.id(), group.name(), "901"));
    assertThat(group.port()).isEqualTo("101");
    assertThat(machine("90", "b200-8x").interconnect().leafgroup().id()).isNotEqualTo(group.id());
    assertThat(machine("89", "gb300-4x-e").interconnect().leafgroup().id())
        .isNotEqualTo(group.id());
  }

  private static Machine machine(String rack, String type) {
    return new Topology(new DataCentre.Site("US-EAST-15A", "US-EAST-15", "cw623e"), 1)
        .machine(new DataCentre.Rack(rack, type, 18), CATALOGUE.find(type).orElseThrow(), 0);
  }
}
