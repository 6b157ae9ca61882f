import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { policyContract } from 'icecore/testing';
import { afterAll } from 'vitest';
import { writeBase } from '../grpo/base.ts';
import { startConfiguration } from '../lake/configuration.ts';
import { lake, neural } from '../plugin.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-neural-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

policyContract(neural, {
  on: lake,
  configuration: { ...startConfiguration, agents: 3 },
  checkpoint: () => writeBase(startConfiguration, 'one', folder),
  draws: 'others',
  knowsBest: true,
  many: 5000,
});
