package io.nodepool.world;

import org.junit.jupiter.api.Test;

class TraceTest {
  @Test
  void trace() {
    Drill drill = Drill.with(13, Faults.ROUGH.crashAt(19, true), Parts.AS_BUILT);
    drill.world.trace(System.out::println);
    Scenario.growth().play().accept(drill);
    drill.settle();
  }
}
