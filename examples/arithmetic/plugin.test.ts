import { environmentContract, trainerContract } from 'icecore/testing';
import { arithmetic, type Problem, solution } from './environment.ts';
import { practice } from './trainer.ts';

environmentContract(arithmetic, {
  right: ({ instance }) => String(solution(instance as Problem)),
  wrong: ({ instance }) => ['no idea', null, [], solution(instance as Problem) < 0n ? '1' : '-1', '1e9', {}],
});

trainerContract(practice, {
  request: { configuration: { ...startOf(), negatives: 0 }, budget: { 'agent-steps': 20_000 }, seed: 'seven' },
  overshoot: { 'agent-steps': 8 * 8 * 17 },
});

function startOf() {
  const families = {
    addition: { share: 0.4, digits: 2, terms: 2 },
    multiplication: { share: 0.3, digits: 1, terms: 2 },
    chains: { share: 0.3, digits: 1, terms: 2 },
  };
  return { families };
}
