// What `icecore ablate` does: decides anew on the history of runs, as others would have with other contexts, and tells what
// that comes to. The same command goes on where it was stopped, and tells again what is done.
import { availableParallelism } from 'node:os';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { OnError } from '../../../schemas/run-file.ts';
import { ablatedOf, type Named } from '../../analysis/ablation/ablated.ts';
import { completion } from '../../analysis/ablation/conclude.ts';
import { planned } from '../../analysis/ablation/plan.ts';
import { contrastsByTask } from '../../analysis/ablation/tasks.ts';
import { unrecordedIn } from '../../analysis/history/settings.ts';
import { counted } from '../../base/quantity.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { runOf } from '../../ledger/runs.ts';
import { type NamedProgram, ProgramGate } from '../../library/consent/programs.ts';
import { aboutHere } from '../../library/experiment/about.ts';
import { checkedName } from '../../library/experiment/settings.ts';
import { type Workshop, withWorkshop } from '../../library/experiment/workshop.ts';
import type { RunReference } from '../../library/reference.ts';
import { ablate as conductAblation } from '../../producers/ablation/conduct.ts';
import { type Design, recordedEnvironment } from '../../producers/ablation/design.ts';
import { type AblationAsked, designed } from '../../producers/ablation/designing.ts';
import { erroredIn, openErrors } from '../../producers/ablation/errored.ts';
import { AblationRecord } from '../../producers/ablation/record.ts';
import { Station } from '../../producers/ablation/stations.ts';
import { readHistory } from '../../producers/history/reading.ts';
import { commandIn } from '../../producers/programs.ts';
import type { Surroundings } from '../../producers/run/opening.ts';
import type { Context } from '../context.ts';
import { toGoOn } from '../experiment/run.ts';
import { historiesOf, itemsOf, recordNamed, requireSnapshots } from './histories.ts';
import { type AblateOptions, type AblationQuery, queryFrom } from './options.ts';
import { printAblation, printPlan, type Shape, shapeOf } from './print.ts';
import { AblationWatch } from './watch.ts';

export async function ablate(context: Context, runs: readonly RunReference[], options: AblateOptions): Promise<number> {
  const shape = shapeOf(context, options);
  const { jobs = availableParallelism(), spendingCap: cap = null, onError = null, show } = options;
  if (show !== undefined) {
    if (runs[0] !== undefined) throw runAndShow(runs[0].run);
    return await withWorkshop(context.session, { create: false, cap }, async ({ ledger }) => {
      return await tell(context, shape, ledger, await recordNamed(ledger, show));
    });
  }
  const query = queryFrom(runs, options);
  const gate = new ProgramGate(context.session, options);
  gate.type(query.engineers ?? []);
  return await withWorkshop(context.session, { create: false, cap }, async (workshop) => {
    const surroundings = surroundingsOf(context, workshop, gate, jobs);
    const design = await designOf(workshop, gate, surroundings, { query, options });
    const { ledger, entries } = workshop;
    if (options.plan === true) {
      const record = await AblationRecord.read(ledger, design.ablation);
      await printPlan(context, shape, await planned({ ledger, design, record, entries }));
      return 0;
    }
    gate.require(ledger, programsIn(design, gate));
    if (design.depth === 'run') gate.remember(ledger);
    const record = await done(context, workshop, surroundings, { design, jobs, onError });
    await tell(context, shape, ledger, record);
    if (onError === 'keep' || !openErrors(record).some(({ data }) => data.resumable)) return 0;
    const errored = erroredIn(record).length;
    const next = record.completed === null ? ': the same command tries again; --on-error keep ends without' : '';
    await context.say(`${counted(errored, 'arm')} errored${next}`);
    return 1;
  });
}

/** As many arms work at a time as there are to be jobs: each has its part of the cores. */
function surroundingsOf(
  { io }: Context,
  { entries, models }: Workshop,
  { allow }: ProgramGate,
  jobs: number,
): Surroundings {
  const threads = Math.max(1, Math.floor(availableParallelism() / jobs));
  return { cwd: io.cwd, entries, models, allow, threads };
}

/** The programs that this depth starts: nobody trains where engineers are only asked. */
function programsIn({ depth, histories, arms }: Design, gate: ProgramGate): readonly NamedProgram[] {
  const roles =
    depth === 'propose' ? (['environment', 'policy'] as const) : (['environment', 'trainer', 'policy'] as const);
  const deciding = arms.flatMap(({ engineer }) => (engineer === null ? [] : [engineer]));
  return histories.flatMap(({ settings }) => [
    ...gate.of(settings, roles),
    ...deciding.flatMap((engineer) => gate.of({ ...settings, engineer }, ['engineer'])),
  ]);
}

interface Typed {
  readonly query: AblationQuery;
  readonly options: AblateOptions;
}

async function designOf(
  { ledger, blobs, entries }: Workshop,
  gate: ProgramGate,
  surroundings: Surroundings,
  { query, options }: Typed,
): Promise<Design> {
  const histories = await historiesOf(ledger, query);
  const [first] = histories;
  if (first === undefined) throw new Error('no history was asked for');
  requireSnapshots(query.engineers, histories, query.depth);
  const { kind, factors, ...rest } = query;
  if (kind === 'sensitivity' && (histories.length > 1 || first.stages.length > 1)) throw oneDecision();
  const { measure = null, name, notes = null } = options;
  // The design opens the policy, which reads its file where it is one.
  gate.require(
    ledger,
    histories.flatMap(({ settings }) => gate.of(settings, ['policy'])),
  );
  // A design follows from the record alone, so --plan runs no program.
  const recorded = commandIn(first.settings.environment) === null ? null : recordedEnvironment(first);
  const open = recorded === null ? {} : { open: async () => recorded };
  const station = await Station.open(first, { ...surroundings, ...open });
  try {
    const choice =
      kind === 'sensitivity'
        ? { kind, items: [...(await itemsOf(first, query.forms, blobs))] }
        : kind === 'factorial'
          ? { kind, factors: [...factors] }
          : { kind };
    const asked: AblationAsked = {
      ...{ histories, choice, says: notes, tags: [] },
      ...{ depth: rest.depth, engineers: rest.engineers, forms: rest.forms, seeds: rest.seeds },
      ...{ level: rest.level, margin: rest.margin, budget: rest.budget },
      ...{ contrasts: rest.contrasts, baselines: rest.baselines, measure },
      name: name === undefined ? null : checkedName(name, new Map()),
    };
    return designed(asked, station, { entries });
  } finally {
    await station.close();
  }
}

function runAndShow(run: string): IcecoreError {
  return new IcecoreError('usage', `ablate: found ${run} together with --show, allowed: one of them`, {
    facts: { found: [run, '--show'] },
    remedy: '--show takes the name of an ablation, which has its runs.',
  });
}

function oneDecision(): IcecoreError {
  return new IcecoreError('usage', '--sensitivity: found several decisions, allowed: one', {
    facts: { field: '--sensitivity' },
    remedy: 'Name it: icecore ablate RUN@2 --sensitivity',
  });
}

async function done(
  context: Context,
  { ledger, blobs, folderOf }: Workshop,
  surroundings: Surroundings,
  { design, jobs, onError }: { readonly design: Design; readonly jobs: number; readonly onError: OnError | null },
): Promise<AblationRecord> {
  const { signal } = context;
  const watch = new AblationWatch(context, design);
  const again = 'the same command';
  try {
    return await conductAblation({
      ...{ ledger, blobs, design, surroundings, jobs, onError, signal },
      folder: folderOf(design.ablation),
      about: await aboutHere(),
      tell: watch.tell,
      onWait: watch.wait,
      conclude: completion,
    });
  } catch (fault) {
    if (!signal.aborted) throw toGoOn(fault, again);
    throw new IcecoreError('interrupted', `stopped by ${signal.reason}; what was recorded stays`, {
      facts: { ablation: design.ablation },
      remedy: `Go on with ${again}.`,
    });
  } finally {
    await watch.end();
  }
}

async function tell(context: Context, shape: Shape, ledger: Ledger, record: AblationRecord): Promise<number> {
  const runs = record.started?.data.histories.map(({ run }) => run) ?? [];
  const named: Named[] = [];
  for (const run of runs) {
    // A bundle of one run brings its ablations, and not the other histories of these.
    const found = await runOf(ledger, run);
    if (found === null) continue;
    const history = await readHistory(ledger, found.run);
    named.push({ ...found, seed: history.started?.data.seed ?? null, unrecorded: unrecordedIn(history) });
  }
  await printAblation(context, shape, ablatedOf(record, ledger.url, named, await contrastsByTask(ledger, record)));
  return 0;
}
