// Ablations of tiny runs: designed from recorded histories and executed. Conclusions are tested elsewhere; here a
// conclusion only lists unfinished arms.

import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunSettings, runSettings } from '../../../../schemas/run-file.ts';
import { openLake } from '../../../../testbed/lake/environment.ts';
import { registry } from '../../../../testbed/testing/registry.ts';
import { createOnce } from '../../../base/testing/folder-content.ts';
import { keepingTasks } from '../../../lab/environments/caching.ts';
import type { Environment } from '../../../lab/environments/environment.ts';
import type { ModelEntry } from '../../../lab/models/entries.ts';
import type { Spending } from '../../../lab/models/spending.ts';
import { allowingAll } from '../../../lab/programs/testing/allowed.ts';
import { withTrainerKnobs } from '../../../lab/trainers/knobs.ts';
import { openBlobs } from '../../../ledger/blobs/open.ts';
import { LedgerBook } from '../../answers/answers.ts';
import { formNamed } from '../../contexts/forms.ts';
import { readHistory } from '../../history/reading.ts';
import type { RunHistory } from '../../history/run-history.ts';
import { Models } from '../../models/models.ts';
import { environmentOf } from '../../run/opening.ts';
import { runTiny, splitPlace, type TinyPlace, type TinyRun, tinyPlace } from '../../run/testing/tiny.ts';
import { trainerKnobsOf } from '../../trainers/trainers.ts';
import { type Design, identityOf, type Replayed, replayedOf } from '../design.ts';
import { type AblationRequest, designed } from '../designing.ts';
import { type AblateOptions, ablate } from '../orchestrate.ts';
import type { AblationRecord } from '../record.ts';
import { Station } from '../stations.ts';

/** Runs that are recorded once per process, and copied for every test that writes. */
export interface RecordedRuns {
  readonly folder: string;
  copy(): Promise<TinyPlace>;
}

/** A lake with a small, fast probe pool, shared by all histories of a process. */
export const tinyLake: Environment = { ...fewProbes(keepingTasks(openLake())), close: async () => {} };

const probes = 12;

function fewProbes(environment: Environment): Environment {
  return { ...environment, probe: ({ perCell: _, ...rest }) => environment.generate({ ...rest, count: probes }) };
}

type KeptRun = Required<Pick<TinyRun, 'run' | 'settings'>>;

export function keptRuns(...runs: readonly KeptRun[]): Promise<RecordedRuns> {
  return keptIn('one store', runs);
}

/** `split`: evidence has its own store. */
export async function keptIn(stores: 'one store' | 'split', runs: readonly KeptRun[]): Promise<RecordedRuns> {
  const folder = await createOnce([stores, runs], async (folder) => {
    const place = stores === 'split' ? await splitPlace(undefined, folder) : await tinyPlace(folder);
    for (const run of runs) await runTiny(place, { lake: tinyLake, ...run });
    await place.ledger.close();
  });
  return {
    folder,
    copy: async () => {
      const copy = mkdtempSync(join(tmpdir(), 'icecore-ablation-'));
      cpSync(folder, copy, { recursive: true });
      return await tinyPlace(copy);
    },
  };
}

type Stopping = Partial<Pick<AblateOptions, 'signal' | 'tell' | 'jobs' | 'onWait' | 'onError' | 'clock' | 'conclude'>>;

/** The default options: rules with the run's own form and failures. */
export interface TinyAblation extends Stopping, Partial<Omit<AblationRequest, 'histories' | 'forms'>> {
  readonly runs: readonly string[];
  /** The histories, if they differ from the recorded ones. */
  readonly histories?: (recorded: RunHistory) => RunHistory;
  readonly stages?: readonly number[];
  readonly forms?: readonly string[] | null;
  /** Only these arms, if the others are irrelevant. */
  readonly arms?: readonly string[];
  /** The environment, if it is not the shared one. */
  readonly lake?: Environment;
  readonly entries?: ReadonlyMap<string, ModelEntry>;
  readonly spending?: Spending;
}

export interface Ablated {
  readonly design: Design;
  readonly record: AblationRecord;
}

type Place = Pick<TinyPlace, 'folder' | 'ledger'>;

/** Starts or resumes an ablation, or reads its result. */
export async function ablateTiny(place: Place, tiny: TinyAblation): Promise<Ablated> {
  return await within(place, tiny, async (surroundings, blobs, design) => {
    const { signal = new AbortController().signal, tell = async () => {}, jobs = 2 } = tiny;
    const { conclude = (_, unfinished) => ({ results: [], contrasts: [], unfinished, conclusions: [] }) } = tiny;
    const record = await ablate({
      ...{ ledger: place.ledger, blobs, design, surroundings, jobs, signal, tell, conclude },
      folder: join(place.folder, 'runs', design.ablation),
      about: {},
      ...(tiny.onWait === undefined ? {} : { onWait: tiny.onWait }),
      ...(tiny.onError === undefined ? {} : { onError: tiny.onError }),
      ...(tiny.clock === undefined ? {} : { clock: tiny.clock }),
    });
    return { design, record };
  });
}

/** The plan of the ablation. */
export async function designTiny(place: Place, tiny: TinyAblation): Promise<Design> {
  return await within(place, tiny, async (_, __, design) => design);
}

async function within<Result>(
  place: Place,
  tiny: TinyAblation,
  body: (surroundings: AblateOptions['surroundings'], blobs: AblateOptions['blobs'], design: Design) => Promise<Result>,
): Promise<Result> {
  const { folder, ledger } = place;
  const { entries = new Map(), spending, lake = tinyLake } = tiny;
  const store = await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true });
  const book = new LedgerBook(ledger, { url: store.url, toRead: async () => store, toWrite: async () => store });
  const models = new Models({
    ...{ entries, environment: { THE_KEY: 'sk-very-secret' }, permit: () => {}, book },
    ...(spending === undefined ? {} : { spending }),
  });
  const open: typeof environmentOf = async (settings, by) =>
    settings.environment === 'lake'
      ? withTrainerKnobs(lake, trainerKnobsOf(settings.trainer, registry))
      : await environmentOf(settings, by);
  const surroundings = { cwd: process.cwd(), entries, models, allow: allowingAll(), registry, threads: 1, open };
  try {
    const histories = await Promise.all(tiny.runs.map(async (run) => await historyOf(place, run, tiny)));
    const [first] = histories;
    if (first === undefined) throw new Error('an ablation has a history');
    const station = await Station.open(first, surroundings);
    try {
      const design = narrowed(designed(optionsFor(tiny, histories), station, { entries }), tiny.arms, entries);
      return await body(surroundings, async () => store, design);
    } finally {
      await station.close();
    }
  } finally {
    await models.close();
    await book.settled();
    await store.close();
  }
}

function narrowed(
  design: Design,
  only: readonly string[] | undefined,
  entries: ReadonlyMap<string, ModelEntry>,
): Design {
  if (only === undefined) return design;
  const arms = design.arms.filter(({ arm }) => only.includes(arm));
  const declared = design.declared.filter(({ arm, reference }) => only.includes(arm) && only.includes(reference));
  return { ...design, arms, declared, ablation: identityOf({ ...design, arms, declared }, entries) };
}

async function historyOf({ ledger }: Place, run: string, { histories, stages }: TinyAblation): Promise<Replayed> {
  const recorded = await readHistory(ledger, run);
  const settings: RunSettings = runSettings.parse(recorded.started?.data.options);
  return replayedOf(histories === undefined ? recorded : histories(recorded), settings, stages ?? null);
}

function optionsFor(tiny: TinyAblation, histories: readonly Replayed[]): AblationRequest {
  const { depth = 'propose', engineers = ['rules'], choice = { kind: 'as-named' }, seeds = null } = tiny;
  const { level = 0.95, margin = null, budget = null, name = null, tags = [], says = null } = tiny;
  const { contrasts = [], measure = null, baselines = null } = tiny;
  const forms = tiny.forms === undefined ? ['failures'] : tiny.forms;
  return {
    ...{ histories, depth, engineers, choice, seeds, level, margin, budget, name, tags, says },
    forms: forms === null ? null : forms.map(formNamed),
    ...{ contrasts, measure, baselines },
  };
}
