package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.Word;

/**
 * The reasons of the condition CWRegistered of a Node (contract §10; the words but Registered are
 * this product's).
 */
public enum RegistrationReason implements Word {
  REGISTERED("Registered", "The Node has joined the cluster with all that its pool wants of it."),
  NOT_REGISTERED(
      "NotRegistered",
      "The Node has joined the cluster, and its pool has not registered it yet. The machine's own creation of the Node says so."),
  NOT_READY("NotReady", "The Node has not been Ready for a minute or longer."),
  FAILED(
      "RegistrationFailed",
      "The Node did not register in time; its machine is given back, and the pool takes another one.");

  private final String word;
  private final String meaning;

  RegistrationReason(String word, String meaning) {
    this.word = word;
    this.meaning = meaning;
  }

  @Override
  public String word() {
    return word;
  }

  /** What it says of the Node. */
  public String meaning() {
    return meaning;
  }
}
