package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.PodRun.Report;
import io.nodepool.simulated.PodRun.RestartPolicy;
import io.nodepool.simulated.PodRun.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a simulated kubelet reports what of the containers of a Pod that end by themselves. */
class PodRunTest {
  private static final Instant BEGAN = Instant.parse("2026-11-21T05:00:00Z");
  private static final Duration LASTS = Duration.ofSeconds(30);
  private static final Instant END = BEGAN.plus(LASTS);

  private static PodRun run(RestartPolicy policy, int code, State state, int restarts) {
    return new PodRun(
        new PodRun.Program(Optional.of(LASTS), code, policy, Optional.empty()),
        BEGAN,
        state,
        restarts);
  }

  private static Next next(PodRun run, Instant now) {
    Pod pod = Fixtures.pod("default", "p");
    return PodLife.next(
        pod.withExecution(pod.execution().withStarted(true)), Optional.of(run), now);
  }

  private static Optional<Report> report(Next next) {
    return next.action().map(action -> ((FleetAction.ReportRun) action).report());
  }

  @ParameterizedTest
  @CsvSource({
    "NEVER, 0, false",
    "NEVER, 3, false",
    "ON_FAILURE, 0, false",
    "ON_FAILURE, 3, true",
    "ALWAYS, 0, true",
    "ALWAYS, 3, true",
  })
  void containersRunForTheirTimeAndAreRestartedAsThePolicySays(
      RestartPolicy policy, int code, boolean restarted) {
    PodRun run = run(policy, code, new State.Running(BEGAN), 2);

    assertThat(next(run, END.minusMillis(1))).isEqualTo(Next.at(END));
    assertThat(report(next(run, END.plusSeconds(1))))
        .contains(
            restarted
                ? new Report.Crashed(BEGAN, END, code, 2)
                : new Report.Exited(BEGAN, END, code, 2));
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 10", "2, 20", "3, 40", "5, 160", "6, 300", "60, 300"})
  void theWaitBeforeARestartGrowsAsAKubelets(int restarts, int seconds) {
    PodRun run = run(RestartPolicy.ALWAYS, 1, new State.Waiting(END), restarts);
    Instant at = END.plusSeconds(seconds);

    assertThat(report(next(run, at))).contains(new Report.Restarted(restarts + 1));
    if (seconds > 0) {
      assertThat(next(run, at.minusSeconds(1))).isEqualTo(Next.at(at));
    }
  }

  @Test
  void aPodThatIsActiveForTooLongFailsWhateverItDoes() {
    PodRun.Program endless =
        new PodRun.Program(
            Optional.empty(), 0, RestartPolicy.ALWAYS, Optional.of(Duration.ofSeconds(60)));
    PodRun run = new PodRun(endless, BEGAN, new State.Running(BEGAN), 0);

    assertThat(next(run, BEGAN)).isEqualTo(Next.at(BEGAN.plusSeconds(60)));
    assertThat(report(next(run, BEGAN.plusSeconds(60)))).contains(new Report.Expired(0));
  }

  @Test
  void aPodThatIsDeletedOrOverIsReportedNoMore() {
    PodRun run = run(RestartPolicy.NEVER, 0, new State.Running(BEGAN), 0);
    Pod pod = Fixtures.pod("default", "p");
    Pod.Execution over = pod.execution().withFinished(true);
    Pod leaving =
        Fixtures.ending(
            pod.withExecution(pod.execution().withStarted(true)),
            new Pod.Ending(END.plusSeconds(9), Duration.ofSeconds(30)));

    assertThat(PodLife.next(pod.withExecution(over), Optional.of(run), END.plusSeconds(1)))
        .isEqualTo(Next.NOTHING);
    assertThat(PodLife.next(leaving, Optional.of(run), END.plusSeconds(1)))
        .isEqualTo(Next.at(END.plusSeconds(9)));
  }

  /** As a kubelet's: controllers count a Pod by its phase, and may keep its object until then. */
  @Test
  void theEndOfADeletedPodIsReportedBeforeItsObjectIsRemoved() {
    Pod pod = Fixtures.pod("default", "p");
    Pod ended = Fixtures.ending(pod, new Pod.Ending(END, Duration.ofSeconds(30)));
    Pod reported = ended.withExecution(ended.execution().withFinished(true));
    Pod kept =
        reported.withExecution(
            reported.execution().withEnding(Optional.of(new Pod.Ending(END, Duration.ZERO))));

    assertThat(PodLife.next(ended, Optional.empty(), END))
        .isEqualTo(Next.now(new FleetAction.ReportRun(id(pod), new Report.Killed(0))));
    assertThat(PodLife.next(reported, Optional.empty(), BEGAN))
        .isEqualTo(Next.now(new FleetAction.EndPod(id(pod))));
    assertThat(PodLife.next(kept, Optional.empty(), END)).isEqualTo(Next.NOTHING);
  }

  private static FleetAction.PodId id(Pod pod) {
    return new FleetAction.PodId(pod.namespace(), pod.name(), pod.uid());
  }
}
