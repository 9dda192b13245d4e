package io.nodepool.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.kubernetes.api.ReferenceNames.Row;
import org.junit.jupiter.api.Test;

/**
 * Every name of CoreWeave's pages is a name here, or says why not, and has a test that shows it.
 */
class ReferenceNamesTest {
  @Test
  void everyNameHasATestThatAssertsOnIt() {
    assertThat(ReferenceNames.read().stream().map(Row::complaint).filter(each -> !each.isEmpty()))
        .isEmpty();
  }

  @Test
  void aNameThatIsNotOursSaysWhy() {
    assertThat(ReferenceNames.read())
        .filteredOn(row -> row.isOurs() != row.note().isEmpty())
        .as(
            "names that we do not have, or do nothing with, and no others, have a reason in %s",
            ReferenceNames.FILE)
        .isEmpty();
  }

  @Test
  void everyNameIsThereOnce() {
    assertThat(ReferenceNames.read()).extracting(Row::kind, Row::name).doesNotHaveDuplicates();
  }

  @Test
  void aTestThatMentionsANameOrSaysThatItIsNotThereDoesNotShowIt() {
    TestCode code = TestCode.of("ShrinkIT");
    String test = "busyNodesRemainUnchangedUntilTheirWorkEnds";

    assertThat(code.shows(test, "", text -> text.contains("EventReason.NODE_CORDONED"))).isTrue();
    assertThat(code.shows(test, "", text -> text.contains("EventReason.DRAIN_NODE"))).isFalse();
    assertThat(code.shows(test, "", text -> text.contains("idle-only-agent"))).isFalse();
  }
}
