// Runs as values to show: rows of a list, and one run with its stages.
import type { EventData } from '../../../schemas/catalogue.ts';
import { external, runSettings } from '../../../schemas/run-file.ts';
import type { ParentRow, RunRow, RunShown, RunState } from '../../../schemas/run-output.ts';
import { humanName } from '../../lab/engineers/engineer.ts';
import { DamagedEvent } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type RunFound, unstartedRuns } from '../../ledger/runs.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { decisionFor } from '../../producers/history/decisions.ts';
import { rateOf, validationOf } from '../../producers/history/figures.ts';
import { type RunRead, readRun } from '../../producers/history/reading.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { programsIn } from '../../producers/programs.ts';
import { isHeld, type LastClaim, lastClaim } from '../../producers/run/claim.ts';
import { modelCostsOf } from './model-costs.ts';
import { notesOf, tagsOf, unknownShown } from './notes.ts';
import { recordingIn, unrecordedIn } from './settings.ts';
import { benchmarksOf, stageRow } from './stages.ts';

interface WantedRuns {
  readonly tag?: string;
  readonly environment?: string;
  readonly limit: number;
  /** With those that ablations made: they are many. Who asks for a tag has them anyway. */
  readonly arms?: true;
}

export interface RunsListed {
  /** How many there are that are wanted. */
  readonly total: number;
  /** The newest first. */
  readonly rows: readonly RunRow[];
  /** How many ablations made, which are left out. */
  readonly armsLeftOut: number;
  /** By their identities, runs that cannot be shown, as an event of theirs is damaged. */
  readonly damaged: readonly string[];
  /** What environments and tags there are at all. */
  readonly environments: readonly string[];
  readonly tags: readonly string[];
}

interface Begun extends RunFound {
  readonly environment: string | null;
  readonly tags: readonly string[];
  /** An arm of an ablation goes on as this run. */
  readonly isArm: boolean;
}

export async function listRuns(ledger: Ledger, { tag, environment, limit, arms }: WantedRuns): Promise<RunsListed> {
  const { begun: all, damaged: unbegun } = await readBegun(ledger);
  const damaged = [...unbegun];
  const asked = all.filter(
    (one) =>
      (tag === undefined || one.tags.includes(tag)) && (environment === undefined || one.environment === environment),
  );
  const wanted = arms === true || tag !== undefined ? asked : asked.filter(({ isArm }) => !isArm);
  const rows: RunRow[] = [];
  for (const one of wanted.toReversed().slice(0, limit)) {
    try {
      rows.push(await rowOf(ledger, one));
    } catch (fault) {
      if (!(fault instanceof DamagedEvent)) throw fault;
      damaged.push(one.run);
    }
  }
  return {
    total: wanted.length,
    rows,
    armsLeftOut: asked.length - wanted.length,
    damaged,
    environments: [...new Set(all.flatMap((one) => one.environment ?? []))],
    tags: [...new Set(all.flatMap((one) => one.tags))],
  };
}

/** In the order in which they began; those that never said so come first. A run that cannot be read hides no other. */
export async function begunRuns(ledger: Ledger): Promise<readonly Begun[]> {
  return (await readBegun(ledger)).begun;
}

/** `damaged`: the identities of those that cannot be read. */
async function readBegun(
  ledger: Ledger,
): Promise<{ readonly begun: readonly Begun[]; readonly damaged: readonly string[] }> {
  const started: Begun[] = [];
  const damaged: string[] = [];
  const runs = new Set<string>();
  for await (const events of ledger.readAll({ types: ['RunStarted'] })) {
    for (const event of events) {
      // In other streams it begins nothing, whoever put it there.
      if (!event.stream.startsWith('run-')) continue;
      const run = event.stream.slice('run-'.length);
      const begun = begunIn(event);
      if (begun === 'damaged') damaged.push(run);
      else started.push(...begun);
      runs.add(run);
    }
  }
  const begun = [...(await unstartedRuns(ledger, runs)).map(bare), ...started];
  const noted = new Map<string, string[]>();
  for await (const events of ledger.readAll({ types: ['RunAnnotated'] })) {
    for (const { envelope, reading } of events) {
      if (envelope.run === null || envelope.stage !== null || !reading.known || reading.type !== 'RunAnnotated')
        continue;
      const { tags = [] } = reading.data;
      if (tags.length > 0) noted.set(envelope.run, [...(noted.get(envelope.run) ?? []), ...tags]);
    }
  }
  return {
    begun: begun.map((one) => ({ ...one, tags: [...new Set([...one.tags, ...(noted.get(one.run) ?? [])])] })),
    damaged,
  };
}

function begunIn(event: StoredEvent): readonly Begun[] | 'damaged' {
  try {
    const { reading, envelope } = event;
    const { run } = envelope;
    if (run === null) return [];
    if (!reading.known || reading.type !== 'RunStarted') return [bare(run)];
    const { name, environment, tags = [], arm } = reading.data;
    return [{ run, name, environment: environment.name, tags, isArm: arm !== undefined }];
  } catch {
    return 'damaged';
  }
}

/** Of which only the identity is known. */
function bare(run: string): Begun {
  return { run, name: run, environment: null, tags: [], isArm: false };
}

/** What a line about a run needs: none of the long texts that engineers are shown. */
const inRow = [
  'RunStarted',
  'ConfigAdopted',
  'StageStarted',
  'TrainingRecorded',
  'EvaluationRecorded',
  'StageCompleted',
  'RunCompleted',
  'RunFailed',
  'RunTakenOver',
];

async function rowOf(ledger: Ledger, { tags, run, name }: Begun): Promise<RunRow> {
  const read = await readRun(ledger, { run, name }, (type) => inRow.includes(type));
  const last = read.stages.findLast((stage) => validationOf(stage) !== null);
  const evaluation = last === undefined ? null : (validationOf(last)?.data ?? null);
  return {
    ...(await headOf(ledger, read)),
    tags: [...tags],
    validation:
      last === undefined
        ? null
        : { stage: last.stage, valid: rateOf(evaluation, 'valid'), optimal: rateOf(evaluation, 'optimal') },
  };
}

async function headOf(ledger: Ledger, read: RunRead): Promise<Omit<RunRow, 'validation' | 'tags'>> {
  const { run, name, at, started, stages } = read;
  const asked = started?.data;
  return {
    run,
    name,
    at,
    environment: asked?.environment.name ?? null,
    engineer: asked?.engineer?.name ?? null,
    form: asked?.contextForm === undefined ? null : formName(asked.contextForm),
    done: stages.filter(({ completed }) => completed !== null).length,
    planned: asked?.stages ?? null,
    ...(await standingOf(ledger, read)),
  };
}

export function formName({ name, modules }: NonNullable<EventData['RunStarted']['contextForm']>): string {
  return name ?? modules.join('+');
}

export async function runShown(ledger: Ledger, read: RunRead): Promise<RunShown> {
  const { started, stages, parent } = read;
  const { notes, opaque } = await notesOf(ledger, read.run);
  const beyond = (stages.at(-1)?.stage ?? 0) + 1;
  const isDecided = read.adoptions.has(beyond) || stages.at(-1)?.proposals.length;
  return {
    ledger: ledger.url,
    ...(await headOf(ledger, read)),
    tags: tagsOf(started?.data.tags ?? [], notes),
    asked: askedOf(read),
    parent: parent === null ? null : ({ ...parent } satisfies ParentRow),
    failure: failureOf(read),
    stages: stages.map((stage) => stageRow(read, stage)),
    next: isDecided ? decisionFor(read, beyond) : null,
    modelCosts: modelCostsOf(read),
    benchmarks: benchmarksOf(read),
    notes,
    opaque: unknownShown([...read.opaque, ...opaque]),
  };
}

function askedOf(history: RunHistory): RunShown['asked'] {
  const data = history.started?.data;
  const { code, contextForm: form, source } = data ?? {};
  const asked = {
    environment: data?.environment ?? null,
    engineer: data?.engineer ?? null,
    form: form === undefined ? null : { name: form.name ?? null, modules: form.modules },
    policy: data?.policy ?? null,
    trainer: data?.trainer ?? null,
    programs: programsOf(data),
    suites: data?.suites?.map(({ name }) => name) ?? null,
    budget: data?.budget ?? null,
    seed: data?.seed ?? null,
    rollouts: recordingIn(data?.options),
    unrecorded: unrecordedIn(history),
    code:
      code === undefined
        ? null
        : { version: code.version, commit: code.commit ?? null, modified: code.modified ?? null },
    source: source === undefined ? null : [source.tool, source.version, source.location].filter(Boolean).join(' '),
    says: data?.notes ?? null,
  };
  // Events are read-only all the way down, which the types of what is printed need not be.
  return asked as RunShown['asked'];
}

/** From the settings, which decide what runs. How a run describes its parts is only what it says of itself. */
function programsOf(data: EventData['RunStarted'] | undefined): RunShown['asked']['programs'] {
  const settings = runSettings.safeParse(data?.options);
  if (!settings.success) return [];
  return programsIn(settings.data).map(({ role, command }) => ({ role, command: [...command] }));
}

function failureOf({ failed }: RunRead): RunShown['failure'] {
  if (failed === null) return null;
  const { reason, message, during = null, resumable } = failed.data;
  return { stage: failed.envelope.stage, reason, message, during, resumable };
}

/** The state of a run: whether a process holds it, and whether it is complete. */
interface Standing {
  readonly state: RunState;
  /** While it is running. */
  readonly holder: string | null;
  readonly waiting: RunRow['waiting'];
}

export async function standingOf(ledger: Ledger, history: RunHistory): Promise<Standing> {
  const { run, completed, failed } = history;
  const none = { holder: null, waiting: null };
  if (completed !== null) return { state: 'completed', ...none };
  const claim = await lastClaim(ledger, run);
  if (claim !== null && isInForce(claim)) return { state: 'running', holder: claim.holder, waiting: null };
  // icecore records no failure for that; other tools may, for a run that was stopped.
  if (failed !== null) return { state: failed.data.reason === 'interrupted' ? 'stopped' : 'failed', ...none };
  if (claim === null) return { state: 'recorded', ...none };
  return { state: 'stopped', holder: null, waiting: waitingIn(history) };
}

/** What has to be done outside icecore before the run can continue. */
function waitingIn({ started, stages }: RunHistory): RunRow['waiting'] {
  const last = stages.at(-1);
  if (started === null || last === undefined) return null;
  const { stage, training, completed, adopted } = last;
  const { trainer, engineer, stages: planned = stage } = started.data;
  if (completed === null) return training === null && trainer?.name === external ? { for: 'training', stage } : null;
  const isDecidedByHand = engineer?.name === humanName && adopted === null && stage < planned;
  return isDecidedByHand ? { for: 'decision', stage: stage + 1 } : null;
}

/** Of a process on another machine nothing can be seen but how long ago it renewed its claim. */
export function isInForce(claim: LastClaim): boolean {
  return isHeld(claim) ?? Date.now() < claim.recordedMs + claim.leaseSeconds * 1000;
}
