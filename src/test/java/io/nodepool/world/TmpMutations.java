package io.nodepool.world;
import org.junit.jupiter.api.Test;
import java.util.stream.*;
class TmpMutations {
  @Test
  void some() {
    int from = Integer.getInteger("m.from"), to = Integer.getInteger("m.to");
    MutationTest.mutations().filter(m -> m.number() >= from && m.number() <= to).forEach(m -> {
      try { new MutationTest().theOraclesFindTheFault(m); } catch (AssertionError e) { System.out.println("NOT FOUND " + m + " " + e.getMessage()); }
      catch (RuntimeException e) { System.out.println("BROKEN " + m + " " + e); }
    });
  }
}
