// The engineers of icecore that need nothing but the question, held to what those of plugins are held to.
import { openLake } from '../../../testbed/lake/environment.ts';
import { engineerContract } from './contract/engineer-contract.ts';
import type { Engineer } from './engineer.ts';
import { ruleEngineer, rulesDescribed } from './registry.ts';

for (const [name] of rulesDescribed) {
  const engineer = ruleEngineer(name) as Engineer;
  engineerContract(name, {
    open: async () => engineer,
    reads: engineer.reads,
    environment: async () => openLake(),
  });
}
