// Replays decisions of runs with other contexts or engineers and evaluates the results. Repeating an interrupted ablation
// continues where it stopped.
import { availableParallelism } from 'node:os';
import type { Ablated, AblationPlan } from '../../../schemas/ablation-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { OnError } from '../../../schemas/run-file.ts';
import { commandIn } from '../../../schemas/run-file.ts';
import { ablatedOf, type Named } from '../../analysis/ablation/ablated.ts';
import { completion } from '../../analysis/ablation/conclude.ts';
import { planned } from '../../analysis/ablation/plan.ts';
import { settleOf } from '../../analysis/ablation/settle.ts';
import { contrastsByTask } from '../../analysis/ablation/tasks.ts';
import { unrecordedIn } from '../../analysis/history/settings.ts';
import type { Registry } from '../../lab/registry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { runOf } from '../../ledger/runs.ts';
import { type Depth, type Design, recordedEnvironment, tasksOf } from '../../producers/ablation/design.ts';
import { type AblationRequest, designed } from '../../producers/ablation/designing.ts';
import { ablate as replay } from '../../producers/ablation/orchestrate.ts';
import { AblationRecord } from '../../producers/ablation/record.ts';
import { Station } from '../../producers/ablation/stations.ts';
import type { AblationProgress as TaskProgress } from '../../producers/ablation/working.ts';
import { builderOf } from '../../producers/contexts/build.ts';
import { stepsBy } from '../../producers/history/configurations.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { Surroundings } from '../../producers/run/opening.ts';
import { type NamedProgram, ProgramGate } from '../consent/programs.ts';
import { type ProgressOptions, withCommand } from '../experiment/advance.ts';
import { checkedName } from '../experiment/names.ts';
import { type OpenExperiment, withExperiment } from '../experiment/open.ts';
import { threadsIn } from '../experiment/run.ts';
import { runtimeInfo } from '../experiment/runtime.ts';
import { requireUnits } from '../experiment/settings.ts';
import { nextStage, type RunReference } from '../reference.ts';
import { notePartOfName } from '../run-named.ts';
import { noticingHolder, type Session } from '../session.ts';
import { historiesOf, itemsOf, requireSnapshots } from './histories.ts';
import { type AblationPlanOptions, type AblationQuery, queryFrom } from './query.ts';
import { recordNamed, requireFreeName } from './recorded.ts';

/** The progress of an ablation. */
export type AblationProgress =
  /** Everything is open; work starts. */
  | {
      readonly kind: 'opened';
      readonly ablation: string;
      readonly name: string | null;
      readonly depth: Depth;
      readonly histories: readonly { readonly run: string; readonly name: string }[];
      /** The number of arms, without those that are not applicable. */
      readonly arms: number;
      readonly units: number;
      readonly decisions: number;
    }
  | TaskProgress;

export interface AblateOptions extends AblationPlanOptions, ProgressOptions<AblationProgress> {
  /** Stop when the total cost of all model calls exceeds this. */
  readonly spendingCap?: number;
  /** When an arm fails: `stop`, `retry`, or `keep` (finish without it). By default the other arms continue. */
  readonly onError?: OnError;
}

type Runs = readonly (string | RunReference)[];

/** `runs`: RUN, for all its decisions, or RUN@K; defaults to the latest run, unless a tag is given. */
export async function ablate(session: Session, runs: Runs = [], options: AblateOptions = {}): Promise<Ablated> {
  const work = await workOf(session, runs, options);
  return await withExperiment(session, { spendingCap: options.spendingCap }, async (experiment) => {
    const { gate } = work;
    const { ledger } = experiment;
    const surroundings = surroundingsOf(experiment, work);
    const design = await designOf(experiment, work, surroundings);
    gate.require(ledger, await programsIn(design, gate));
    if (design.depth === 'run') gate.remember(ledger);
    return await ablatedIn(ledger, await orchestrate(experiment, surroundings, { design, options }));
  });
}

/** Describes what the ablation would do. It calls no model, starts no program, trains nothing and records nothing. */
export async function planAblation(
  session: Session,
  runs: Runs = [],
  options: AblationPlanOptions = {},
): Promise<AblationPlan> {
  const work = await workOf(session, runs, options);
  return await withExperiment(session, {}, async (experiment) => {
    const { ledger, entries } = experiment;
    const design = await designOf(experiment, work, surroundingsOf(experiment, work));
    const record = await AblationRecord.read(ledger, design.ablation);
    return await planned({ ledger, design, record, entries, isDeclared: (options.contrasts ?? []).length > 0 });
  });
}

/** Reads a recorded ablation by its name, its identity, a prefix of either, or `latest`. */
export async function readAblation(session: Session, name = 'latest'): Promise<Ablated> {
  const ablated = await withExperiment(
    session,
    {},
    async ({ ledger }) => await ablatedIn(ledger, await recordNamed(ledger, name)),
  );
  await notePartOfName(session, name, { run: ablated.ablation, name: ablated.name ?? ablated.ablation });
  return ablated;
}

interface Work {
  readonly query: AblationQuery;
  readonly options: AblationPlanOptions;
  readonly gate: ProgramGate;
  readonly registry: Registry;
}

async function workOf(session: Session, runs: Runs, options: AblationPlanOptions): Promise<Work> {
  const query = queryFrom(runs, options);
  const gate = new ProgramGate(session, options);
  gate.takeOwn(query.engineers ?? []);
  const { registry } = await session.plugins.all();
  return { query, options, gate, registry };
}

/** Divides the cores among the arms that work at the same time. */
function surroundingsOf({ session, entries, models }: OpenExperiment, { gate, options, registry }: Work): Surroundings {
  const threads = Math.max(1, Math.floor(availableParallelism() / threadsIn(options)));
  return { cwd: session.cwd, entries, models, allow: gate.allow, registry, threads };
}

/** The programs that this depth starts. Depth `propose` trains nothing. */
async function programsIn({ depth, histories, arms }: Design, gate: ProgramGate): Promise<readonly NamedProgram[]> {
  const roles =
    depth === 'propose' ? (['environment', 'policy'] as const) : (['environment', 'trainer', 'policy'] as const);
  const deciding = arms.flatMap(({ engineer }) => (engineer === null ? [] : [engineer]));
  const named = histories.flatMap(({ settings }) => [
    gate.of(settings, roles),
    ...deciding.map((engineer) => gate.of({ ...settings, engineer }, ['engineer'])),
  ]);
  return (await Promise.all(named)).flat();
}

async function designOf(
  { session, ledger, blobs, entries }: OpenExperiment,
  { gate, query, options }: Work,
  surroundings: Surroundings,
): Promise<Design> {
  const histories = await historiesOf(session, ledger, query);
  const [first] = histories;
  if (first === undefined) throw new Error('an ablation needs a history');
  requireSnapshots(query.engineers, histories, query.depth);
  for (const { settings } of histories) requireUnits(query.budget, settings, surroundings.registry);
  const { kind, factors, ...rest } = query;
  if (kind === 'sensitivity' && (histories.length > 1 || first.stages.length > 1)) throw oneDecision();
  const { measure = null, name, notes = null } = options;
  // Planning opens the policy, which may be a file that has to be trusted.
  const policies = await Promise.all(histories.map(({ settings }) => gate.of(settings, ['policy'])));
  gate.require(ledger, policies.flat());
  // A plan is computed from records alone and runs no program.
  const recorded = commandIn(first.settings.environment) === null ? null : recordedEnvironment(first);
  const open = recorded === null ? {} : { open: async () => recorded };
  const station = await Station.open(first, { ...surroundings, ...open });
  try {
    const choice =
      kind === 'sensitivity'
        ? { kind, items: [...(await itemsOf(first, query.forms, blobs, surroundings.registry.contextModules))] }
        : kind === 'factorial'
          ? { kind, factors: [...factors] }
          : { kind };
    const question: AblationRequest = {
      ...{ histories, choice, says: notes, tags: [] },
      ...{ depth: rest.depth, engineers: rest.engineers, forms: rest.forms, seeds: rest.seeds },
      ...{ level: rest.level, margin: rest.margin, budget: rest.budget },
      ...{ contrasts: rest.contrasts, baselines: rest.baselines, measure },
      name: name === undefined ? null : checkedName(name, new Map()),
    };
    const design = designed(question, station, { entries });
    await requireFreeName(ledger, design);
    // Report unknown names in context forms before anything is recorded.
    for (const { form, engineer } of design.arms)
      if (form !== null && engineer !== null) builderOf(form, surroundings.registry.contextModules);
    return design;
  } finally {
    await station.close();
  }
}

function oneDecision(): IcecoreError {
  return new IcecoreError('usage', '--sensitivity: found several decisions, allowed: one', {
    facts: { field: '--sensitivity' },
    remedy: 'Name one: icecore ablate RUN@2 --sensitivity',
  });
}

async function orchestrate(
  { session, ledger, blobs, folderOf }: OpenExperiment,
  surroundings: Surroundings,
  { design, options }: { readonly design: Design; readonly options: AblateOptions },
): Promise<AblationRecord> {
  const { signal } = session;
  const { onError = null, onProgress = () => {} } = options;
  const command = 'the same command';
  try {
    await onProgress(openedFrom(design));
    return await replay({
      ...{ ledger, blobs, design, surroundings, jobs: threadsIn(options), onError, signal },
      folder: folderOf(design.ablation),
      about: await runtimeInfo(),
      tell: async (progress) => await onProgress(progress),
      onWait: noticingHolder(session, 'ablation'),
      conclude: completion,
    });
  } catch (fault) {
    if (!signal.aborted) throw withCommand(fault, command);
    throw new IcecoreError('interrupted', `stopped by ${signal.reason}; everything recorded so far is kept`, {
      facts: { ablation: design.ablation },
      remedy: `Continue with ${command}.`,
      cause: signal.reason,
    });
  }
}

function openedFrom(design: Design): AblationProgress {
  const { ablation, name, depth, histories, units, arms } = design;
  return {
    ...{ kind: 'opened', ablation, name, depth, arms: arms.length, units: units.length },
    histories: histories.map((one) => ({ run: one.run, name: one.name })),
    decisions: tasksOf(design).length,
  };
}

async function ablatedIn(ledger: Ledger, record: AblationRecord): Promise<Ablated> {
  const named: Named[] = [];
  let isTrainable = true;
  for (const { run, decisions } of record.started?.data.histories ?? []) {
    // A bundle of one run contains its ablations, but not the other histories of these ablations.
    const found = await runOf(ledger, run);
    if (found === null) continue;
    const history = await readHistory(ledger, found.run);
    const { started, descriptor } = history;
    const steps = stepsBy(descriptor);
    named.push({ ...found, seed: started?.data.seed ?? null, unrecorded: unrecordedIn(history), steps });
    // The next decision can only be proposed: a training of it would be refused.
    isTrainable &&= decisions.every((stage) => stage < nextStage(history));
  }
  const ablated = ablatedOf(record, ledger.url, named, await contrastsByTask(ledger, record));
  return { ...ablated, settle: isTrainable ? await settleOf(ledger, record, ablated) : null };
}
