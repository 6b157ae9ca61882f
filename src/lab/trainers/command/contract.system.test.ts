import { fileURLToPath } from 'node:url';
import { allowed } from '../../programs/testing/allowed.ts';
import { trainerContract } from '../contract/trainer-contract.ts';
import { openCommandTrainer } from './open.ts';

const program = fileURLToPath(new URL('../../../../examples/trainers/shell-trainer.sh', import.meta.url));

trainerContract('command, with the trainer in sh', {
  open: async () =>
    openCommandTrainer({
      program: allowed(['sh', program]),
      environment: 'lake',
      variables: { UPDATE_SECONDS: '0.02' },
    }),
  request: { configuration: { agents: 2 }, budget: { 'agent-steps': 750 }, seed: 'seven' },
  overshoot: { 'agent-steps': 99 },
});
