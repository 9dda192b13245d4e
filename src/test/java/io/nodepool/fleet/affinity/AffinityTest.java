package io.nodepool.fleet.affinity;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AffinityTest {
  private static final HostId HOST = new HostId("g12ab34", "u");
  private static final Machine MACHINE =
      new Machine(
          "gd-8xh100ib-i128",
          new Machine.Location("US-EAST-04A", "US-EAST-04", "169", "dh1-r169-us-east-04a", 7),
          new Machine.Interconnect(
              "", "fabric-1", new Machine.LeafGroup("leaf-1", "90.1-DH1", "203"), "1"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          node.coreweave.cloud/rack=169                                      | true
          node.coreweave.cloud/rack == 169                                   | true
          node.coreweave.cloud/rack=170                                      | false
          node.coreweave.cloud/rack!=170                                     | true
          node.coreweave.cloud/rack in (169, 170)                            | true
          node.coreweave.cloud/rack notin (169,170)                          | false
          kubernetes.io/hostname notin (g000001)                             | true
          ds.coreweave.com/nvlink.domain                                     | false
          !ds.coreweave.com/nvlink.domain                                    | true
          node.coreweave.cloud/rack in (169,170),node.coreweave.cloud/slot=7 | true
          node.coreweave.cloud/rack in (169,170),node.coreweave.cloud/slot=8 | false
          backend.coreweave.cloud/superpod=1                                 | true
          """)
  void aSelectorHasTheMeaningOfKubectl(String text, boolean admitted) {
    assertThat(AffinityText.read(text).admits(HOST, MACHINE)).isEqualTo(admitted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a in 169",
        "a in (169",
        "a b",
        "=169",
        "a=1,",
        "a in (1,2))",
        "a in (1 2)",
        "a=b=c"
      })
  void textThatIsNotASelectorAdmitsNothingAndTheMessageNamesTheValidForms(String text) {
    Affinity affinity = AffinityText.read(text);
    assertThat(affinity.admits(HOST, MACHINE)).isFalse();
    assertThat(affinity)
        .isInstanceOfSatisfying(
            Affinity.Unreadable.class,
            unreadable -> assertThat(unreadable.why()).contains("is no requirement; write"));
  }

  @Test
  void blankTextHasNoRequirementsAndTooLongTextIsRejected() {
    assertThat(AffinityText.read("  ").isSelective()).isFalse();
    assertThat(AffinityText.read("a".repeat(AffinityText.LONGEST + 1)))
        .isInstanceOf(Affinity.Unreadable.class);
  }
}
