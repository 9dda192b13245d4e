package io.nodepool.health.catalogue;

import io.nodepool.vocabulary.DefinedWord;

/** What an alert is about. */
public enum AlertSubject implements DefinedWord {
  HOST("Host", "the machine, or the Node on it"),
  DPU("DPU", "a DPU of the machine"),
  GPU("GPU", "a GPU of the machine"),
  NVLINK("NVLink", "the NVLink connections of the machine's GPUs"),
  SWITCH("switch", "an NVLink switch of the rack"),
  RACK("rack", "a rack"),
  DOMAIN("domain", "an NVLink domain");

  private final String word;
  private final String meaning;

  AlertSubject(String word, String meaning) {
    this.word = word;
    this.meaning = meaning;
  }

  @Override
  public String word() {
    return word;
  }

  @Override
  public String meaning() {
    return meaning;
  }

  /** Whether alerts about it concern one Host, and not a rack as a whole. */
  public boolean isOfOneHost() {
    return this == HOST || this == DPU || this == GPU || this == NVLINK;
  }
}
