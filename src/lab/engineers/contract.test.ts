// The contract for every kind of engineer that icecore brings; plugins are tested by the same contract.
import { afterAll, beforeAll } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import { knobValues } from '../environments/knobs.ts';
import { answerReply, Endpoint } from '../models/testing/endpoint.ts';
import { engineerContract } from './contract/engineer-contract.ts';
import type { Engineer } from './engineer.ts';
import { openIntrospective } from './introspective.ts';
import { ruleEngineer, rulesDescribed } from './registry.ts';
import { engineerAt } from './testing/engineering.ts';
import { everyModule } from './testing/questions.ts';

const environment = async () => openLake();

for (const [name] of rulesDescribed) {
  const engineer = ruleEngineer(name) as Engineer;
  engineerContract(name, { open: async () => engineer, reads: engineer.reads, environment });
}

for (const identity of ['base', 'checkpoint'] as const) {
  const open = () =>
    openIntrospective({
      identity,
      environment: openLake(),
      policyOf: async () => {
        throw new Error('the requests of the contract name no checkpoint');
      },
    });
  engineerContract(identity, { open: async () => open(), reads: open().reads, environment });
}

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
  const { descriptor, start } = openLake();
  const knobs = knobValues(descriptor, start).map(({ knob, value }) => [knob, value]);
  endpoint.replies(answerReply(JSON.stringify({ configuration: Object.fromEntries(knobs), reasons: [] })));
});
afterAll(() => endpoint.stop());

engineerContract('a model', { open: async () => engineerAt(endpoint), reads: everyModule, environment });
