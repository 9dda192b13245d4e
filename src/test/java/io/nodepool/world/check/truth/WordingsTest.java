package io.nodepool.world.check.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.Pictures;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.check.cause.CauseCheck;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.text.Untruth;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every reason has texts with a check, and texts are read as they are written. */
class WordingsTest {
  @Test
  void everyEventHasTextsAboutEachOfItsObjects() {
    Causes causes = new Causes(CauseCheck.ALL);
    List<String> missing =
        Stream.of(EventReason.values())
            .flatMap(reason ->
                reason.on().stream()
                    .filter(target ->
                        EventWordings.of(reason, causes).stream()
                            .noneMatch(wording -> wording.about() == about(target)))
                    .map(target -> reason.word() + " about a " + target))
            .toList();
    assertThat(missing).isEmpty();
  }

  private static Untruth.About about(EventTarget target) {
    return switch (target) {
      case POOL -> Untruth.About.POOL;
      case NODE -> Untruth.About.NODE;
      case NAMESPACE -> Untruth.About.NAMESPACE;
    };
  }

  @Test
  void everyReasonOfAConditionHasTexts() {
    assertThat(PoolCondition.allReasons())
        .allSatisfy(r -> assertThat(PoolConditionWordings.of(r)).isNotEmpty());
    assertThat(NodeRemovalReason.values())
        .allSatisfy(r -> assertThat(NodeConditionWordings.of(r)).isNotEmpty());
  }

  /** The operator does not set KernelDeadlock. */
  @Test
  void everyConditionOfANodeHasTexts() {
    assertThat(NodeCondition.values())
        .filteredOn(each -> each != NodeCondition.KERNEL_DEADLOCK)
        .allSatisfy(each -> assertThat(NodeConditionWordings.of(each, "True")).isNotEmpty());
  }

  @Test
  void theKnownMessagesOfPoolsHaveTheirForm() {
    assertThat(PoolCondition.allReasons().stream().filter(reason -> reason.message().isPresent()))
        .allSatisfy(reason ->
            assertThat(
                    PoolConditionWordings.of(reason).stream()
                        .map(wording -> wording.form().read(reason.message().orElseThrow())))
                .anyMatch(read -> read.isPresent()));
  }

  /** {@code docs/reference/live-view.md} shows these texts. */
  @Test
  void theTextsOfTheExampleOfTheLiveViewOccur() {
    Causes causes = new Causes(CauseCheck.ALL);
    ClusterView example = Pictures.ordinary();
    List<String> texts = new ArrayList<>();
    example.pools().stream()
        .flatMap(pool -> pool.conditions().values().stream())
        .filter(shown -> !shown.message().isEmpty())
        .filter(shown ->
            PoolCondition.allReasons().stream()
                .filter(reason -> reason.word().equals(shown.reason()))
                .flatMap(reason -> PoolConditionWordings.of(reason).stream())
                .noneMatch(wording -> wording.form().read(shown.message()).isPresent()))
        .forEach(shown -> texts.add(shown.message()));
    example.events().stream()
        .filter(shown ->
            Stream.of(EventReason.values())
                .filter(reason -> reason.word().equals(shown.reason()))
                .flatMap(reason -> EventWordings.of(reason, causes).stream())
                .map(wording -> wording.form().read(shown.message()))
                .noneMatch(read -> read.filter(of -> of.miscounted().isEmpty()).isPresent()))
        .forEach(shown -> texts.add(shown.message()));

    assertThat(example.events()).isNotEmpty();
    assertThat(texts).isEmpty();
  }

  @Test
  void placesAreRead() {
    TextForm form = TextForm.of("Removing {nodes#Node}[ ({names~nodes})]: {why*}.");
    TextForm.Statement read =
        form.read("Removing 7 Nodes (a, b and 5 more): it is so.").orElseThrow();
    assertThat(read.number("nodes")).isEqualTo(7);
    assertThat(read.names("names")).containsExactly("a", "b");
    assertThat(read.word("why")).isEqualTo("it is so");
    assertThat(read.miscounted()).isEmpty();
    assertThat(form.read("Removing 1 Node: it is so.").orElseThrow().has("names")).isFalse();
  }

  /** What is in brackets after an entry of a list is not an entry. */
  @Test
  void entriesWithRemarksAreRead() {
    TextForm form = TextForm.of("{pods#Pod}: {blocked~pods}.");
    TextForm.Statement read =
        form.read("2 Pods: default/a (two budgets, refused), default/b (budget c).").orElseThrow();
    assertThat(read.names("blocked"))
        .containsExactly("default/a (two budgets, refused)", "default/b (budget c)");
    assertThat(read.miscounted()).isEmpty();
  }

  @Test
  void aNumberThatIsNotThatOfTheNamesIsFound() {
    TextForm form = TextForm.of("{nodes#Node} ({names~nodes}).");
    assertThat(form.read("4 Nodes (a, b, c, d, e).").orElseThrow().miscounted()).hasSize(1);
    assertThat(form.read("2 Nodes (a, a).").orElseThrow().miscounted()).hasSize(1);
    assertThat(form.read("2 Nodes (a).").orElseThrow().miscounted()).hasSize(1);
  }

  @Test
  void anotherTextIsNotRead() {
    TextForm form = TextForm.of("{nodes#Node} registered.");
    assertThat(form.read("1 Nodes registered.")).isEmpty();
    assertThat(form.read("2 Node registered.")).isEmpty();
    assertThat(form.read("2 Nodes are registered.")).isEmpty();
  }
}
