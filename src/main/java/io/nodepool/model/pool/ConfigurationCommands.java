package io.nodepool.model.pool;

import java.util.Optional;

/**
 * The commands of users about the configurations of a pool, as annotations of the NodePool. A
 * command is first accepted: in one write its annotation is removed, and what it asks for is
 * recorded with a number. The status then says up to which number they were carried out. So a
 * command is carried out once, whenever the operator dies.
 *
 * @param promote whether the pending configuration is to become the active one
 * @param rollback the configuration to go back to; empty text for the one before the active one
 * @param rollout the word of a command to start or stop a rollout
 * @param accepted the last accepted command
 */
public record ConfigurationCommands(
    boolean promote,
    Optional<String> rollback,
    Optional<String> rollout,
    Optional<Accepted> accepted) {
  /** No commands. */
  public static final ConfigurationCommands NONE =
      new ConfigurationCommands(false, Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * An accepted command.
   *
   * @param number counts the accepted commands of a pool, from 1
   * @param promote whether the pending configuration is to become the active one
   * @param rollback the configuration to go back to; empty text for the one before the active one
   * @param rollout the word of a command to start or stop a rollout
   */
  public record Accepted(
      int number, boolean promote, Optional<String> rollback, Optional<String> rollout) {}

  /** These commands after this one was accepted. */
  public ConfigurationCommands withAccepted(Accepted next) {
    return new ConfigurationCommands(promote, rollback, rollout, Optional.of(next));
  }

  /** Whether there is a command that is not accepted yet. */
  public boolean isWaiting() {
    return promote || rollback.isPresent() || rollout.isPresent();
  }

  /** The number of the last accepted command; 0 before the first. */
  public int number() {
    return accepted.map(Accepted::number).orElse(0);
  }

  /** What is recorded when the waiting command is accepted. */
  public Accepted next() {
    return new Accepted(number() + 1, promote, rollback, rollout);
  }
}
