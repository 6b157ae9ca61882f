// The contract for icecore's own engineers that need only the request; plugins are tested by the same contract.
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
