import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { listed } from '../../environments/contract/tasks.ts';
import { startConfiguration } from '../../lake/configuration.ts';
import { openLake } from '../../lake/environment.ts';
import { writeBase } from '../../trainers/grpo/base.ts';
import { policyContract } from '../contract/policy-contract.ts';
import { openNeural } from './neural.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-neural-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

policyContract('neural', {
  open: async () => openNeural(await writeBase(startConfiguration, 'one', folder), { threads: 2 }),
  tasks: async () => {
    const lake = openLake();
    const configuration = { ...lake.start, agents: 3 };
    return listed(lake.generate({ configuration, split: 'validation', count: 20, seed: 'tasks' }));
  },
  draws: 'others',
  knowsBest: true,
  many: 5000,
});
