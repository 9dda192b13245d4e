package io.nodepool.plugin.whatif;

import io.nodepool.plugin.input.CommandGroup;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool what-if}. */
@Command(
    name = "what-if",
    description =
        "Say what would happen, in which order and when, and what would block. Nothing is written.")
public final class WhatIfCommand extends CommandGroup {
  @Override
  protected SequencedMap<String, Class<?>> commands() {
    SequencedMap<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("scale", AboutPools.Scale.class);
    commands.put("upgrade", AboutPools.Upgrade.class);
    commands.put("rollout", AboutPools.RolloutQuestion.class);
    commands.put("apply", AboutPools.Apply.class);
    commands.put("quota", AboutPools.QuotaQuestion.class);
    commands.put("cordon", AboutMachines.Cordon.class);
    commands.put("drain", AboutMachines.DrainQuestion.class);
    commands.put("reboot", AboutMachines.Reboot.class);
    commands.put("lost", AboutMachines.Lost.class);
    commands.put("losses", LossesCommand.class);
    commands.put("preempt", AboutMachines.Preempt.class);
    commands.put("repair", AboutMachines.Repair.class);
    return commands;
  }
}
