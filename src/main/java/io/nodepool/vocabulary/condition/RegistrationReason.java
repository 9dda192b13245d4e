package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.DefinedWord;

/**
 * The reasons of the condition CWRegistered of a Node (contract §10; all words except Registered
 * are this product's).
 */
public enum RegistrationReason implements DefinedWord {
  REGISTERED("The Node has joined the cluster with all that its pool wants of it."),
  NOT_REGISTERED(
      "The Node has joined the cluster, and its pool has not registered it yet. The machine's own creation of the Node says so."),
  NOT_READY("The Node has not been Ready for a minute or longer."),
  REGISTRATION_FAILED(
      "The Node did not register in time; its machine is given back, and the pool takes another one.");

  private final String meaning;

  RegistrationReason(String meaning) {
    this.meaning = meaning;
  }

  @Override
  public String meaning() {
    return meaning;
  }
}
