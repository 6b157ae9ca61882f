// What `icecore propose` does: asks an engineer what it would do after a stage, and records what it answers. The run itself
// goes on as if nobody had asked.
import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { ProposeResult } from '../../../../schemas/by-hand-output.ts';
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { duration } from '../../../base/quantity.ts';
import { shellWord } from '../../../ledger/shell-word.ts';
import { ProgramGate, type ProgramOptions } from '../../../library/consent/programs.ts';
import { type Workshop, withWorkshop } from '../../../library/experiment/workshop.ts';
import type { RunReference } from '../../../library/reference.ts';
import { type Answered, askByHand, nextFileOf, recordings } from '../../../producers/by-hand/asking.ts';
import { requireNotHeld, requireSameEnvironment, written } from '../../../producers/by-hand/forking.ts';
import { chosenEngineer } from '../../../producers/engineers/engineers.ts';
import type { RunHistory } from '../../../producers/history/run-history.ts';
import { environmentOf, openLab } from '../../../producers/run/opening.ts';
import { external } from '../../../producers/trainers/trainers.ts';
import { actorOf } from '../../actor.ts';
import type { Context } from '../../context.ts';
import { printDocument } from '../../output/print.ts';
import { proposalDocument } from './decision-view.ts';
import { type Reached, reached, settingsReached } from './reached.ts';

export interface ProposeOptions extends ProgramOptions {
  readonly engineer?: string | string[];
  readonly context?: string;
  readonly maxTokens?: number;
  readonly sample: number;
  readonly output?: string;
  readonly dryRun?: true;
  readonly jobs?: number;
  readonly spendingCap?: number;
}

export async function propose(
  context: Context,
  asked: RunReference | undefined,
  options: ProposeOptions,
): Promise<number> {
  const { spendingCap: cap = null, jobs: threads = availableParallelism(), sample } = options;
  const change = changeOf(options);
  const gate = new ProgramGate(context.session, options);
  gate.type([change.engineer]);
  const { output } = options;
  const out = output === undefined ? null : writable(resolve(context.io.cwd, output), output);
  return await withWorkshop(context.session, { create: false, cap }, async (workshop) => {
    const place = await reached(workshop.ledger, asked);
    const settings = { ...settingsReached(place), ...change };
    const { answered, history } = await answer(context, workshop, { place, settings, sample, threads, options, gate });
    const result = resultOf(workshop.ledger.url, place, answered, history);
    const file = out === null || result.proposed === null ? null : { path: out, name: output ?? out };
    if (file !== null) writeNext(file.path, place, result);
    const told = { ...result, out: file?.name ?? null };
    if (context.flags.json) await context.printJson(told);
    else {
      await printDocument(context, proposalDocument(place, told, answered.context));
      await sayNext(context, place, told);
    }
    return result.proposed === null ? 1 : 0;
  });
}

function changeOf({ engineer, context, maxTokens }: ProposeOptions): Partial<RunSettings> {
  return {
    ...(engineer === undefined ? {} : { engineer }),
    ...(context === undefined ? {} : { context }),
    ...(maxTokens === undefined ? {} : { contextTokens: maxTokens }),
  };
}

interface Asking {
  readonly place: Reached;
  readonly settings: RunSettings;
  readonly sample: number;
  readonly threads: number;
  readonly options: ProposeOptions;
  readonly gate: ProgramGate;
}

/** The history as it is once the answer is recorded; null where it is not to be. */
async function answer(
  context: Context,
  { ledger, blobs, entries, models, folderOf }: Workshop,
  { place, settings, sample, threads, options, gate }: Asking,
): Promise<{ answered: Answered; history: RunHistory | null }> {
  const { io, signal } = context;
  const { run, history, stage } = place;
  if (chosenEngineer(settings.engineer, entries).kind === 'human') throw personAsked(place);
  const { allow } = gate;
  gate.require(ledger, gate.of(settings, ['environment', 'engineer', 'policy']));
  if (options.dryRun !== true) await requireNotHeld(ledger, run);
  const environment = await environmentOf(settings, allow, signal);
  // Nothing is trained or measured for it.
  const needed = { ...settings, trainer: external, suites: [] };
  const lab = await openLab(needed, environment, { cwd: io.cwd, entries, models, allow, threads });
  try {
    requireSameEnvironment(history, lab.environment);
    const question = { history, stage, settings, lab, sample, blobs, folder: folderOf(run), signal };
    const answered = await askByHand(question);
    if (options.dryRun === true) return { answered, history: null };
    const onWait = (holder: string, seconds: number): void =>
      void context.say(`${holder} has the run; waiting ${duration(seconds)} to see whether it still works on it`);
    const hand = { ledger, blobs, run, actor: actorOf(undefined), signal, onWait };
    return { answered, history: await written(hand, recordings(answered, question)) };
  } finally {
    await lab.close();
  }
}

async function sayNext({ hint }: Context, { name, stage }: Reached, told: ProposeResult): Promise<void> {
  const { out, proposed, recorded } = told;
  if (out !== null) await hint(`adopt it, as it is or changed: icecore adopt ${shellWord(out)} --reason 'KNOB: WHY'`);
  else if (proposed !== null && recorded !== null) {
    await hint(
      `to a file that can be adopted: icecore propose ${shellWord(`${name}@${stage.stage}`)} --output next.json`,
    );
  }
}

function personAsked({ name, stage }: Reached): IcecoreError {
  return new IcecoreError('usage', 'human is a person: nobody here can ask them', {
    facts: { engineer: 'human' },
    remedy: `Name another with --engineer, or decide: icecore adopt FILE --run ${shellWord(`${name}@${stage.stage}`)}`,
  });
}

function resultOf(
  ledger: string,
  { run, name, stage: { stage } }: Reached,
  { came }: Answered,
  history: RunHistory | null,
): Omit<ProposeResult, 'out'> {
  const of = history?.stages.find((one) => one.stage === stage);
  const [proposal, rejection] =
    'proposed' in came ? [of?.proposals.at(-1), undefined] : [undefined, of?.rejections.at(-1)];
  const last = proposal ?? rejection;
  return {
    ledger,
    run,
    name,
    stage,
    proposed: proposal?.data ?? ('proposed' in came ? came.proposed : null),
    rejected: rejection?.data ?? ('rejected' in came ? came.rejected : null),
    recorded: last === undefined ? null : { event: last.id, stream: streamOf.run(run), revision: last.revision },
  };
}

/** Known before anybody is asked. */
function writable(path: string, named: string): string {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (!existsSync(path)) return path;
    accessSync(path, constants.W_OK);
    if (statSync(path).isFile()) return path;
  } catch (fault) {
    throw notWritable(named, (fault as Error).message, fault);
  }
  throw notWritable(named, 'it is no file');
}

function notWritable(named: string, why: string, cause?: unknown): IcecoreError {
  return new IcecoreError('storage', `--output: ${named} cannot be written: ${why}`, {
    facts: { field: '--output', path: named },
    remedy: 'Name another place.',
    cause,
  });
}

function writeNext(path: string, { run, stage }: Reached, { proposed, recorded }: Omit<ProposeResult, 'out'>): void {
  if (proposed === null) return;
  const current = stage.started.data.configuration?.digest ?? '';
  const next = nextFileOf(proposed, { run, stage: stage.stage, current, proposal: recorded?.event ?? null });
  writeFileSync(path, `${JSON.stringify(next, null, 2)}\n`);
}
