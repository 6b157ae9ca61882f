// Asks an engineer for the configuration of a stage and records the answer. The run itself is not affected.
import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ProposeResult } from '../../../schemas/by-hand-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { external } from '../../../schemas/run-file.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type Answered, askByHand, nextFileOf, recordings } from '../../producers/by-hand/asking.ts';
import { requireNotHeld, requireSameEnvironment, written } from '../../producers/by-hand/forking.ts';
import { chosenEngineer } from '../../producers/engineers/engineers.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { environmentOf, openLab } from '../../producers/run/opening.ts';
import { actorOf } from '../actor.ts';
import { ProgramGate } from '../consent/programs.ts';
import { checkedNumber } from '../option-error.ts';
import type { RunReference } from '../reference.ts';
import { noticingHolder, type Session } from '../session.ts';
import type { WorkOptions } from './advance.ts';
import { type NamedDecision, namedDecision } from './decision.ts';
import { type OpenExperiment, withExperiment } from './open.ts';
import { threadsIn } from './run.ts';
import { runFileFrom, type SettingsOptions, settingsOf } from './settings.ts';

/** Options that are left out are taken from the run. */
export interface ProposeOptions extends Pick<SettingsOptions, 'engineer' | 'context' | 'contextTokens'>, WorkOptions {
  /** Which of several answers to the same question (default 0). */
  readonly sample?: number;
  /** Write the proposal to a file that `adopt` accepts. */
  readonly output?: string;
  /** Record nothing except answers of models. */
  readonly dryRun?: boolean;
}

interface Question {
  readonly place: NamedDecision;
  readonly settings: RunSettings;
  readonly options: ProposeOptions;
}

/** `run`: RUN@K, or RUN for its next decision; defaults to the latest run. */
export async function propose(
  session: Session,
  run?: string | RunReference,
  options: ProposeOptions = {},
): Promise<ProposeResult> {
  const { spendingCap, output, sample = 0 } = options;
  checkedNumber('sample', sample, { from: 0, to: 1_000_000 });
  const change = await runFileFrom(options, session);
  const gate = new ProgramGate(session, options);
  gate.takeOwn([change.engineer]);
  const path = output === undefined ? null : writable(resolve(session.cwd, output), output);
  return await withExperiment(session, { spendingCap }, async (experiment) => {
    const place = await namedDecision(session, experiment.ledger, run);
    const settings = { ...settingsOf(place.history), ...change };
    const { answered, history } = await answer(experiment, gate, { place, settings, options });
    const result = resultOf(experiment.ledger.url, place, answered, history);
    if (path === null || output === undefined || result.proposed === null) return { ...result, out: null };
    writeNext(path, place, result);
    return { ...result, out: output };
  });
}

/** The history including the recorded answer; null with `dryRun`. */
async function answer(
  experiment: OpenExperiment,
  gate: ProgramGate,
  { place, settings, options }: Question,
): Promise<{ answered: Answered; history: RunHistory | null }> {
  const { session, ledger, blobs, entries, models, folderOf } = experiment;
  const { cwd, signal } = session;
  const { registry } = await session.plugins.all();
  const { run, history, stage } = place;
  const { sample = 0, dryRun = false } = options;
  if (chosenEngineer(settings.engineer, entries, registry).kind === 'human') throw isPerson(place);
  const { allow } = gate;
  gate.require(ledger, await gate.of(settings, ['environment', 'engineer', 'policy']));
  if (!dryRun) await requireNotHeld(ledger, run);
  const environment = await environmentOf(settings, { allow, registry }, signal);
  // Asking an engineer trains and measures nothing.
  const needed = { ...settings, trainer: external, suites: [] };
  const lab = await openLab(needed, environment, {
    ...{ cwd, entries, models, allow, registry },
    threads: threadsIn(options),
  });
  try {
    requireSameEnvironment(history, lab.environment, cwd);
    const question = { history, stage, settings, lab, sample, blobs, folder: folderOf(run), signal };
    const answered = await askByHand(question);
    if (dryRun) return { answered, history: null };
    const hand = { ledger, blobs, run, actor: actorOf(undefined), signal, onWait: noticingHolder(session) };
    return { answered, history: await written(hand, recordings(answered, question)) };
  } finally {
    await lab.close();
  }
}

function isPerson({ name, decides }: NamedDecision): IcecoreError {
  return new IcecoreError('usage', 'the engineer human is a person and cannot be asked by a command', {
    facts: { engineer: 'human' },
    remedy: `Name another with --engineer, or decide: icecore adopt FILE --run ${shellWord(`${name}@${decides}`)}`,
  });
}

function resultOf(
  ledger: string,
  { run, name, decides, stage }: NamedDecision,
  { came, context }: Answered,
  history: RunHistory | null,
): Omit<ProposeResult, 'out'> {
  const of = history?.stages.find((one) => one.stage === stage.stage);
  const [proposal, rejection] =
    'proposed' in came ? [of?.proposals.at(-1), undefined] : [undefined, of?.rejections.at(-1)];
  const last = proposal ?? rejection;
  return {
    ledger,
    run,
    name,
    stage: decides,
    context: context === null ? null : { form: formIn(context), tokens: context.tokens },
    proposed: proposal?.data ?? ('proposed' in came ? came.proposed : null),
    rejected: rejection?.data ?? ('rejected' in came ? came.rejected : null),
    recorded: last === undefined ? null : { event: last.id, stream: streamOf.run(run), revision: last.revision },
  };
}

function formIn({ contextForm: { name, modules } }: NonNullable<Answered['context']>): string {
  return name ?? modules.join(',');
}

/** Checked before the engineer is asked. */
function writable(path: string, output: string): string {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (!existsSync(path)) return path;
    accessSync(path, constants.W_OK);
    if (statSync(path).isFile()) return path;
  } catch (fault) {
    throw notWritable(output, (fault as Error).message, fault);
  }
  throw notWritable(output, 'it is not a file');
}

function notWritable(output: string, why: string, cause?: unknown): IcecoreError {
  return new IcecoreError('storage', `--output: ${output} cannot be written: ${why}`, {
    facts: { field: '--output', path: output },
    remedy: 'Choose another path.',
    cause,
  });
}

function writeNext(
  path: string,
  { run, decides, stage }: NamedDecision,
  { proposed, recorded }: Omit<ProposeResult, 'out'>,
): void {
  if (proposed === null) return;
  const current = stage.started.data.configuration?.digest ?? '';
  const next = nextFileOf(proposed, { run, stage: decides, current, proposal: recorded?.event ?? null });
  writeFileSync(path, `${JSON.stringify(next, null, 2)}\n`);
}
