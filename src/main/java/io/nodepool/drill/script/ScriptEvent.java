package io.nodepool.drill.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One occurrence of an entry of a script.
 *
 * @param entry the index of the entry in the script, from 0
 * @param number the number of the occurrence, from 0
 * @param at from the start of the drill
 * @param seed the seed of its random choices
 */
public record ScriptEvent(int entry, int number, Duration at, long seed) {
  /** All occurrences of a script with this seed, in order. */
  public static List<ScriptEvent> all(List<ScriptEntry> script, Duration lasts, long seed) {
    List<ScriptEvent> all = new ArrayList<>();
    SplittableRandom root = new SplittableRandom(seed);
    for (int entry = 0; entry < script.size(); entry++) {
      SplittableRandom random = root.split();
      List<Duration> times = script.get(entry).when().times(lasts, random);
      for (int number = 0; number < times.size(); number++) {
        all.add(new ScriptEvent(entry, number, times.get(number), random.nextLong()));
      }
    }
    all.sort(Comparator.comparing(ScriptEvent::at).thenComparingInt(ScriptEvent::entry));
    return all;
  }
}
