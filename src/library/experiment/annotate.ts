// Records a note about a run, or about a stage, knob or event of it.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { AnnotateResult } from '../../../schemas/run-output.ts';
import { UnknownKnob } from '../../lab/environments/knobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { configurationOf } from '../../producers/history/configurations.ts';
import { type RunRead, readRun, stageOf } from '../../producers/history/reading.ts';
import { annotate as record } from '../../producers/notes/annotation.ts';
import { actorOf } from '../actor.ts';
import { findEvent } from '../opening/finder.ts';
import { withLedgerToChange } from '../opening/ledger.ts';
import { type RunReference, referenceTo, stageNamed } from '../reference.ts';
import { runNamed } from '../run-named.ts';
import type { Session } from '../session.ts';

/** What a note is about, its author, and its tags. */
export interface AnnotateOptions {
  /** The knob it is about. */
  readonly knob?: string;
  /** The event it is about: an id, a prefix of an id, or STREAM@REVISION. */
  readonly event?: string;
  readonly tags?: readonly string[];
  /** The author, as `kind/identity` (default: the user of this process). */
  readonly actor?: string;
}

/** Repeating a note of the same actor records it once. */
export async function annotate(
  session: Session,
  run: string | RunReference,
  note: string,
  options: AnnotateOptions = {},
): Promise<AnnotateResult> {
  const reference = referenceTo(run);
  const { event, knob, tags = [] } = options;
  const actor = actorOf(options.actor);
  return await withLedgerToChange(session, async (ledger) => {
    const read = await readRun(ledger, await runNamed(session, ledger, reference.run));
    const stage = reference.stage === null ? null : stageOf(read, stageNamed(read, reference.stage, 'begun')).stage;
    const subject = {
      ...(event === undefined ? {} : { event: await eventOf(session, ledger, read, event) }),
      ...(knob === undefined ? {} : { knob: knobOf(read, knob) }),
      ...(tags.length === 0 ? {} : { tags: [...tags] }),
    };
    const recorded = await record(ledger, { run: read.run, stage, actor, data: { note, ...subject } });
    return { ledger: ledger.url, run: read.run, stage, ...recorded };
  });
}

/** A knob of the descriptor; without a descriptor, one of a configuration; without either, any knob. */
function knobOf(read: RunRead, knob: string): string {
  const { descriptor, started, stages } = read;
  const environment = started?.data.environment.name ?? 'the environment';
  const set = stages.flatMap(({ stage }) => configurationOf(read, stage)?.knobs.map((one) => one.knob) ?? []);
  const known = descriptor?.knobs.map(({ name }) => name) ?? [...new Set(set)];
  if (known.length === 0 || known.includes(knob)) return knob;
  throw new UnknownKnob(environment, knob, known);
}

/** Events of shared histories count as the run's own; answers of models belong to no run. */
async function eventOf(
  session: Session,
  ledger: Ledger,
  { run, name, parent }: RunRead,
  reference: string,
): Promise<string> {
  const { id, envelope } = await findEvent(session, ledger, reference);
  if (envelope.run === null || envelope.run === run || (parent !== null && envelope.run === parent.run)) return id;
  throw new IcecoreError('usage', `--event: ${id} is an event of run ${envelope.run}, not of ${name}`, {
    facts: { field: '--event', found: id, run: envelope.run },
    remedy: `Annotate that run: icecore annotate ${envelope.run} "..." --event ${id}`,
  });
}
