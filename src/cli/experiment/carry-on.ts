// A run is carried on from where it is, in sight of whoever sits at the terminal: to its end, or to a step that is not
// taken here.
import { type ErrorKind, IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';
import { requireSameEnvironment } from '../../producers/by-hand/same-environment.ts';
import { EngineerErrored } from '../../producers/proposals/errored.ts';
import type { RunProgress } from '../../producers/run/at.ts';
import { type Conducted, conduct } from '../../producers/run/conduct.ts';
import type { Lab } from '../../producers/run/lab.ts';
import type { Step } from '../../producers/run/next.ts';
import { environmentOf, openLab } from '../../producers/run/opening.ts';
import { readHistory } from '../../producers/run/reading.ts';
import type { About } from '../../producers/run/steps/start.ts';
import type { ProgramGate } from '../consent/programs.ts';
import type { Context } from '../context.ts';
import { aboutHere } from './about.ts';
import { RunWatch } from './watch.ts';
import type { Workshop } from './workshop.ts';

/** A run that is to begin, or to go on. */
export interface Begun {
  readonly run: string;
  readonly settings: RunSettings;
  readonly about: About;
  /** Where it is open already: it is closed with the lab. */
  readonly environment?: Environment;
}

export interface Carrying extends Begun {
  /** What the run names has passed it. */
  readonly gate: ProgramGate;
  readonly threads: number;
  readonly leaseSeconds?: number;
  /** The shards of rollouts are left to workers. */
  readonly leavesShards?: boolean;
  /** Who trains, where it is not whom the settings name. */
  readonly trainer?: Trainer;
  /** Ends before such a step is taken. */
  readonly until?: (step: Step) => boolean;
  /** The command that goes on with it once it was stopped. */
  readonly again: string;
}

/** `then` is told where it came to, while its lab is still open. */
export async function carryOn<Result>(
  context: Context,
  workshop: Workshop,
  carrying: Carrying,
  then: (done: Conducted, lab: Lab) => Promise<Result>,
): Promise<Result> {
  const { ledger, blobs, entries, models, folderOf } = workshop;
  const { run, settings, about, threads, trainer, until, again, leaseSeconds, leavesShards } = carrying;
  const { io, signal } = context;
  const { allow } = carrying.gate;
  const environment = carrying.environment ?? (await environmentOf(settings, allow, signal));
  const opened = await openLab(settings, environment, { cwd: io.cwd, entries, models, allow, threads });
  const lab = trainer === undefined ? opened : { ...opened, trainer };
  const there = await readHistory(ledger, run);
  const watch = new RunWatch(context, settings, lab.environment.descriptor, there);
  let hasBegun = there.started !== null;
  const tell = async (progress: RunProgress): Promise<void> => {
    if (progress.kind === 'decided') hasBegun = true;
    await watch.tell(progress);
  };
  try {
    requireSameEnvironment(there, lab.environment);
    const done = await conduct({
      ...{ ledger, blobs, run, settings, lab, folder: folderOf(run), signal },
      about: { ...(await aboutHere()), ...about },
      tell,
      onWait: watch.wait,
      ...(until === undefined ? {} : { until }),
      ...(leaseSeconds === undefined ? {} : { leaseSeconds }),
      ...(leavesShards === undefined ? {} : { leavesShards }),
    });
    await watch.end();
    return await then(done, lab);
  } catch (fault) {
    if (signal.aborted) throw stopped(signal.reason, settings.name, again);
    throw hasBegun ? toGoOn(fault, again) : fault;
  } finally {
    await watch.end();
    await opened.close();
  }
}

function stopped(reason: unknown, name: string, again: string): IcecoreError {
  return new IcecoreError('interrupted', `stopped by ${reason}; what was recorded stays`, {
    facts: { name },
    remedy: `Go on with: ${again}`,
  });
}

const passing: readonly ErrorKind[] = ['storage', 'unavailable', 'interrupted'];
/** The same command again would begin another run. */
const sameAgain = /,? and run the same again\b.*$/;

/** What passes, or can be put right: the run goes on from what was recorded. */
export function toGoOn(fault: unknown, again: string): unknown {
  if (!(fault instanceof IcecoreError) || !passing.includes(fault.kind)) return fault;
  const { kind, message, facts, remedy } = fault;
  const first = remedy.replace(sameAgain, '.');
  const keeping = isOfEngineer(fault, again) ? `, or with the configuration it has: ${again} --on-error keep` : '';
  const both = [...(first === '' ? [] : [first]), `Go on with: ${again}${keeping}`].join(' ');
  return new IcecoreError(kind, message, { facts, remedy: both, cause: fault });
}

/** Only a run can go on without its engineer. */
function isOfEngineer(fault: IcecoreError, again: string): boolean {
  return fault instanceof EngineerErrored && again.startsWith('icecore ');
}
