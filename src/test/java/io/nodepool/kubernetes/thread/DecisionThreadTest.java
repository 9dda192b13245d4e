package io.nodepool.kubernetes.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The end of the thread on which all is decided. */
class DecisionThreadTest {
  @Test
  void whatIsSubmittedOnceItEndsIsDropped() {
    List<String> run = new CopyOnWriteArrayList<>();
    DecisionThread thread = new DecisionThread("decisions");
    thread.execute(() -> run.add("before"));
    thread.close();

    thread.execute(() -> run.add("after"));

    assertThat(run).containsExactly("before");
  }
}
