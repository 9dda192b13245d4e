package io.nodepool.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.MachineState;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BoardTest {
  private final Board board = new Board();

  @Test
  void onlyDisplayedFactsCountAsAChange() {
    assertThat(board.seen(host("h100-2", "a", "1"))).isTrue();
    assertThat(board.seen(host("h100-2", "a", "2"))).isFalse();
    HostResource aside = host("h100-2", "a", "3");
    aside.getSpec().setAside = "by hand";
    assertThat(board.seen(aside)).isTrue();

    assertThat(board.seen(event("e", "Normal", "NodePool", "05:00:00", "m"))).isTrue();
    assertThat(board.seen(event("e", "Normal", "NodePool", "05:00:00", "m"))).isFalse();
    assertThat(board.seen(event("e", "Normal", "NodePool", "05:00:01", "m"))).isTrue();
  }

  @Test
  void machinesAreInTheOrderOfTheirRacks() {
    board.seen(host("h100-10", "a", "1"));
    board.seen(host("h100-2", "c", "1"));
    board.seen(host("h100-2", "b", "1"));

    assertThat(board.picture().machines())
        .extracting(machine -> machine.place().name())
        .containsExactly("b", "c", "a");
    assertThat(board.picture().machines())
        .extracting(machine -> machine.state())
        .containsOnly(MachineState.FREE);
  }

  @Test
  void theNewestEventsAreKeptInTheirOrder() {
    for (int i = 0; i < 300; i++) {
      int second = (i * 7) % 300;
      board.seen(
          event(
              "e" + i,
              "Normal",
              "NodePool",
              "05:%02d:%02d".formatted(second / 60, second % 60),
              "" + second));
    }
    assertThat(board.picture().events().stream().map(EventView::message).map(Integer::valueOf))
        .isSorted()
        .hasSize(100)
        .startsWith(200);
  }

  @Test
  void ofNodesOnlyWarningsAreShown() {
    assertThat(board.seen(event("n", "Normal", "Node", "05:00:00", "m"))).isFalse();
    assertThat(board.seen(event("w", "Warning", "Node", "05:00:00", "m"))).isTrue();
    assertThat(board.picture().events()).extracting(EventView::warning).containsExactly(true);
  }

  @Test
  void aKeyEndsTheViewAndTheTerminalIsRestored() {
    List<String> calls = new ArrayList<>();
    Screen screen =
        new Screen() {
          @Override
          public Showing open(Runnable changed, Runnable quit) {
            quit.run();
            return () -> calls.add("restored");
          }

          @Override
          public void show(ClusterView view) {
            calls.add("shown");
          }

          @Override
          public void say(String line) {}

          @Override
          public void at(int percent, String line) {}

          @Override
          public void pin(String line) {}

          @Override
          public void conclude(String line) {}
        };

    int code =
        new PoolProgress(
                screen,
                board,
                new Goal(Set.of()),
                false,
                Optional.of(Duration.ofDays(1)),
                new CompletableFuture<>())
            .run();

    assertThat(code).isEqualTo(ExitCodes.DONE);
    assertThat(calls).containsExactly("restored");
  }

  private static HostResource host(String rack, String name, String version) {
    HostResource host = new HostResource();
    host.setMetadata(new ObjectMetaBuilder().withName(name).withResourceVersion(version).build());
    host.setSpec(new HostSpec());
    host.getSpec().machine.rack = rack;
    host.setStatus(new HostStatus());
    host.getStatus().phase = HostStatus.Phase.FREE;
    return host;
  }

  private static Event event(String name, String type, String kind, String time, String message) {
    return new EventBuilder()
        .withMetadata(new ObjectMetaBuilder().withName(name).build())
        .withType(type)
        .withLastTimestamp("2026-11-21T" + time + "Z")
        .withMessage(message)
        .withNewInvolvedObject()
        .withKind(kind)
        .withName("a")
        .endInvolvedObject()
        .build();
  }
}
