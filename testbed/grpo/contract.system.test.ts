import { trainerContract } from 'icecore/testing';
import { grpo } from '../plugin.ts';
import { configured } from './testing/configured.ts';

const configuration = configured({ '3': { data: 0.5, hole: 0.1, wait: 0 }, '4': { data: 0.5, hole: 0.1, wait: 0.2 } });

trainerContract(grpo, {
  hyperparameters: { groups: 8, samples: 4, saveEvery: 3 },
  request: { configuration, budget: { 'agent-steps': 4500 }, seed: 'seven' },
  // Eight instances, four plans each, two agents, at most sixteen steps.
  overshoot: { 'agent-steps': 8 * 4 * 2 * 16 },
});
