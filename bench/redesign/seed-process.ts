// All arms of one seed: the first stage once, then each engineer on a fork of it. Resumes existing runs.

import { join } from 'node:path';
import { keepingTasks } from '../../src/lab/environments/caching.ts';
import { allowingAll } from '../../src/lab/programs/testing/allowed.ts';
import { openBlobs } from '../../src/ledger/blobs/open.ts';
import { sha256 } from '../../src/ledger/identity/ids.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { runtimeInfo } from '../../src/library/experiment/runtime.ts';
import { readHistory } from '../../src/producers/history/reading.ts';
import { Models } from '../../src/producers/models/models.ts';
import { openEnvironment, openLab } from '../../src/producers/run/opening.ts';
import { orchestrate } from '../../src/producers/run/orchestrate.ts';
import type { RunFacts } from '../../src/producers/run/steps/bounds.ts';
import { registry } from '../../testbed/testing/registry.ts';
import { arms, nameOf, settingsOf, smallFromTheStart } from './arms.ts';

const [folder = '', seedText = ''] = process.argv.slice(2);
const seed = Number(seedText);
const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
const blobs = await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true });
// Generates its tasks once for all arms.
const opened = await openEnvironment('lake', { allow: allowingAll(folder), registry });
const environment = { ...keepingTasks(opened), close: async () => {} };
const here = await runtimeInfo();
const models = new Models({ entries: new Map(), environment: {}, permit: () => {} });

/** The same identity every time, so that the study can be resumed. */
const runOf = (arm: string): string => sha256(nameOf(arm, seed)).slice(0, 12);

async function runArm(arm: string, about: RunFacts): Promise<void> {
  const settings = await settingsOf(arm, seed);
  const lab = await openLab(settings, environment, {
    cwd: folder,
    entries: new Map(),
    models,
    allow: allowingAll(folder),
    registry,
    threads: 1,
  });
  const run = runOf(arm);
  try {
    await orchestrate({
      ...{ ledger, blobs: async () => blobs, run, settings, lab },
      about: { ...here, ...about },
      folder: join(folder, 'runs', run),
      signal: new AbortController().signal,
      tell: async (progress) => {
        const isOver = progress.kind === 'decided' && progress.decision.type === 'StageCompleted';
        if (isOver) process.stdout.write(`${nameOf(arm, seed)}, stage ${progress.decision.stage}\n`);
      },
    });
  } finally {
    await lab.close();
  }
}

/** The first arm has the first stage that the others share. */
const [parent = '', ...others] = arms.filter((arm) => arm !== smallFromTheStart);
await runArm(parent, {});
const { completed } = (await readHistory(ledger, runOf(parent))).stages[0] ?? {};
if (completed === null || completed === undefined) throw new Error('the first stage is not complete');
const shared = { run: runOf(parent), stage: 1, revision: completed.revision, digest: completed.digest };
for (const arm of others) await runArm(arm, { parent: shared });
await runArm(smallFromTheStart, {});
await ledger.close();
await blobs.close();
