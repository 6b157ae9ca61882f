// Runs small enough to be made repeatedly: two stages, a few hundred agent steps each, everything else as in any run.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { openLake } from '../../../../testbed/lake/environment.ts';
import { registry } from '../../../../testbed/testing/registry.ts';
import { keepingTasks } from '../../../lab/environments/caching.ts';
import type { Environment } from '../../../lab/environments/environment.ts';
import type { ModelEntry } from '../../../lab/models/entries.ts';
import { allowingAll } from '../../../lab/programs/testing/allowed.ts';
import { withTrainerKnobs } from '../../../lab/trainers/knobs.ts';
import { openBlobs } from '../../../ledger/blobs/open.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { LedgerBook } from '../../answers/answers.ts';
import { Models } from '../../models/models.ts';
import { trainerKnobsOf } from '../../trainers/trainers.ts';
import { environmentOf, openLab } from '../opening.ts';
import { type Orchestration, orchestrate, type RunEnd } from '../orchestrate.ts';

/** On the lake: three sizes, so that its pools are generated quickly. */
export function tinySettings(change: Partial<RunSettings> = {}): RunSettings {
  return {
    environment: 'lake',
    configuration: lakeOf(),
    stages: 2,
    budget: { 'agent-steps': 800 },
    seed: 1,
    policy: 'neural',
    trainer: 'grpo',
    engineer: 'rules',
    context: 'training,stats,behaviour,failures,history',
    suites: [],
    validation: 16,
    perCell: 1,
    samples: 1,
    trained: 20,
    exemplars: 3,
    contextTokens: 0,
    name: 'tiny',
    tags: [],
    ...change,
  };
}

function lakeOf(): RunSettings['configuration'] {
  const sizes = Array.from({ length: 8 }, (_, i) => i + 3);
  return {
    agents: 2,
    sizes: Object.fromEntries(sizes.map((size) => [size, { data: size < 6 ? 1 / 3 : 0, hole: 0.1, wait: 0.25 }])),
  };
}

export interface TinyPlace {
  readonly folder: string;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

export async function tinyPlace(folder?: string): Promise<TinyPlace> {
  return await placeIn(folder ?? newFolder());
}

/** A ledger with a separate evidence store, by default in a file. */
export async function splitPlace(evidence?: string, folder = newFolder()): Promise<TinyPlace> {
  writeFileSync(join(folder, 'evidence'), evidence ?? `sqlite:${join(folder, 'evidence.db')}`);
  return await placeIn(folder);
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'icecore-run-'));
}

async function placeIn(folder: string): Promise<TinyPlace> {
  const evidence = join(folder, 'evidence');
  const own = `sqlite:${join(folder, 'ledger.db')}`;
  // A copy of a folder has separate files.
  const url = existsSync(evidence)
    ? `split:${own}+${readFileSync(evidence, 'utf8').replace(/(?<=^sqlite:).*(?=\/)/, folder)}`
    : own;
  const ledger = await openLedger(url, { create: true });
  return {
    folder,
    ledger,
    close: async () => {
      await ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One lake for all runs of a process, whose pools are generated once. */
const wholeLake: Environment = { ...keepingTasks(openLake()), close: async () => {} };

type RunOption = 'limits' | 'clock' | 'signal' | 'tell' | 'about' | 'until' | 'leaseSeconds' | 'leavesShards';

export interface TinyRun extends Partial<Pick<Orchestration, RunOption>> {
  readonly run: string;
  readonly settings?: RunSettings;
  /** The environment, if it is not the shared lake. */
  readonly lake?: Environment;
  /** The models of the project; their answers are recorded. */
  readonly entries?: ReadonlyMap<string, ModelEntry>;
}

/** Starts or resumes a run. */
export async function runTiny(
  { folder, ledger }: Pick<TinyPlace, 'folder' | 'ledger'>,
  tiny: TinyRun,
): Promise<RunEnd> {
  const { run, settings = tinySettings(), lake = wholeLake, entries = new Map(), ...others } = tiny;
  const isLake = settings.environment === 'lake';
  const allow = allowingAll();
  const environment = isLake
    ? withTrainerKnobs(lake, trainerKnobsOf(settings.trainer, registry))
    : await environmentOf(settings, { allow, registry });
  const store = await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true });
  const book = new LedgerBook(ledger, { url: store.url, toRead: async () => store, toWrite: async () => store });
  const models = new Models({ entries, environment: { THE_KEY: 'sk-very-secret' }, permit: () => {}, book });
  const surroundings = { cwd: process.cwd(), entries, models, allow, registry, threads: 1 };
  const lab = await openLab(settings, environment, surroundings);
  try {
    return await orchestrate({
      ledger,
      blobs: async () => store,
      run,
      settings,
      lab,
      folder: join(folder, 'runs', run),
      about: {},
      signal: new AbortController().signal,
      tell: async () => {},
      ...others,
    });
  } finally {
    await lab.close();
    await models.close();
    await store.close();
  }
}
