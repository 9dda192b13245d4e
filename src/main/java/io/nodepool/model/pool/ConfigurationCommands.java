package io.nodepool.model.pool;

import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;

/**
 * The commands of users about the configurations of a pool, as annotations of the NodePool. A
 * command is first accepted: in one write its annotation is removed, and its request is recorded
 * with a number. The status then contains the number of the last command that was carried out. So a
 * command is carried out once, even if the operator dies.
 *
 * @param asked the commands that are not accepted yet
 * @param accepted the last accepted command; empty if there is none, or its record is void
 * @param problem why the record of the last accepted command cannot be read: one sentence
 */
@RecordBuilder
public record ConfigurationCommands(
    Asked asked, Optional<Accepted> accepted, Optional<String> problem)
    implements ConfigurationCommandsCopy.With {
  /** The greatest number; the command after it has number 1. */
  public static final int LAST = 999_999_999;

  /** The greatest length of a profile in a status. */
  private static final int LONGEST_PROFILE = 255;

  /** No commands. */
  public static final ConfigurationCommands NONE =
      new ConfigurationCommands(Asked.NOTHING, Optional.empty(), Optional.empty());

  /**
   * The annotations of commands that are not accepted yet, as they are written.
   *
   * @param promote whether to promote the pending configuration: {@code true}, or a text that is no
   *     boolean; {@code false} is no command and counts as absent
   * @param rollback the configuration to go back to; empty text for the one before the active one
   * @param rollout start or stop, or a text that is neither
   */
  public record Asked(
      Optional<String> promote, Optional<String> rollback, Optional<String> rollout) {
    /** No command. */
    public static final Asked NOTHING =
        new Asked(Optional.empty(), Optional.empty(), Optional.empty());

    /** Whether it asks for a promotion. */
    public boolean promotes() {
      return promote.filter(PoolAnnotations.TRUE::equals).isPresent();
    }

    /** Whether it asks to stop a rollout. */
    public boolean stops() {
      return is(rollout, PoolAnnotations.STOP);
    }

    /** Whether it asks to start a rollout, and not together with a refused promotion. */
    public boolean starts() {
      return is(rollout, PoolAnnotations.START) && (promote.isEmpty() || promotes());
    }
  }

  /**
   * An accepted command.
   *
   * @param number counts the accepted commands of a pool, from 1
   * @param after the number of the last command that was carried out when this one was accepted; 0
   *     for none, and in a record of an earlier version
   * @param promote whether to promote the pending configuration
   * @param rollback the configuration to go back to; empty text for the one before the active one
   * @param rollout start or stop
   * @param evict whether a rollout that it starts evicts work
   */
  public record Accepted(
      int number,
      int after,
      boolean promote,
      Optional<String> rollback,
      Optional<String> rollout,
      boolean evict) {
    /** Whether it stops a rollout. */
    public boolean stops() {
      return is(rollout, PoolAnnotations.STOP);
    }

    /** Whether it starts a rollout. */
    public boolean starts() {
      return is(rollout, PoolAnnotations.START);
    }

    /** This command with the rollout request of another one. */
    private Accepted withRollout(Accepted other) {
      return new Accepted(number, after, promote, rollback, other.rollout, other.evict);
    }
  }

  /**
   * A profile as it is recorded. A text that is too long is cut, so that the record fits into the
   * annotations of the pool; it is still no valid profile (decision D213).
   */
  private static String recorded(String profile) {
    return profile.length() <= LONGEST_PROFILE
        ? profile
        : UserText.shortened(profile, LONGEST_PROFILE);
  }

  private static boolean is(Optional<String> word, String wanted) {
    return word.filter(wanted::equals).isPresent();
  }

  /** These commands after this one was accepted. */
  public ConfigurationCommands afterAccepting(Accepted next) {
    return new ConfigurationCommands(asked, Optional.of(next), Optional.empty());
  }

  /** Whether there is a command that is not accepted yet. */
  public boolean isWaiting() {
    return !asked.equals(Asked.NOTHING);
  }

  /** The number of the last accepted command; 0 before the first, and if its record is void. */
  public int number() {
    return accepted.map(Accepted::number).orElse(0);
  }

  /**
   * The accepted command that is not carried out.
   *
   * @param handled the number of the last command that was carried out
   */
  public Optional<Accepted> open(int handled) {
    return accepted.filter(
        each -> each.number() > handled || (handled == LAST && each.number() == 1));
  }

  /**
   * Whether a status is older than the accepted command, as after a backup was restored. Then a
   * later command than the status shows had been carried out when the command was accepted.
   *
   * @param handled the number of the last command that was carried out, by the status
   */
  boolean isOlder(int handled) {
    return open(handled).filter(each -> each.after() > handled).isPresent();
  }

  /**
   * Whether a command that is not carried out ends or replaces a rollout: then the rollout begins
   * nothing.
   *
   * @param handled the number of the last command that was carried out
   */
  public boolean holdRollout(int handled) {
    return asked.stops()
        || asked.rollback().isPresent()
        || open(handled).filter(each -> each.stops() || each.rollback().isPresent()).isPresent();
  }

  /**
   * Whether a stop waits to be carried out: then a rollout alone evicts nothing more.
   *
   * @param handled the number of the last command that was carried out
   */
  public boolean stopRollout(int handled) {
    return asked.stops() || open(handled).filter(Accepted::stops).isPresent();
  }

  /**
   * The record of the waiting commands when they are accepted; empty if none waits, or if they have
   * to wait for the last command. A promotion may wait for Nodes in delivery: meanwhile a stop is
   * accepted together with the promotion, a rollback ends the promotion, and a repeated promotion
   * counts as the same one.
   *
   * @param handled the number of the last command that was carried out
   * @param evict whether a rollout that is started evicts work
   */
  public Optional<Accepted> next(int handled, boolean evict) {
    if (!isWaiting() && problem.isEmpty()) {
      return Optional.empty();
    }
    Accepted given =
        new Accepted(
            Math.max(number(), handled) % LAST + 1,
            handled,
            asked.promotes(),
            asked.rollback().map(ConfigurationCommands::recorded),
            asked.rollout().filter(_ -> asked.stops() || asked.starts()),
            asked.starts() && evict);
    Optional<Accepted> open = open(handled);
    if (open.isEmpty()) {
      return Optional.of(given);
    }
    Accepted last = open.get();
    if (asked.rollback().isPresent()) {
      // A start that was given with a promotion ends with that promotion.
      return Optional.of(
          asked.rollout().isPresent() || (last.starts() && last.promote())
              ? given
              : given.withRollout(last));
    }
    boolean joins =
        last.promote()
            && last.rollback().isEmpty()
            && (asked.stops() || (asked.promotes() && asked.rollout().isEmpty()));
    return joins
        ? Optional.of(
            new Accepted(given.number(), handled, true, Optional.empty(), Optional.empty(), false)
                .withRollout(asked.stops() ? given : last))
        : Optional.empty();
  }
}
