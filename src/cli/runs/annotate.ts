// What `icecore annotate` does: notes something about a run, one of its stages, knobs or events.

import { IcecoreError } from '../../../schemas/errors.ts';
import type { AnnotateResult } from '../../../schemas/run-output.ts';
import { visible } from '../../base/visible.ts';
import { UnknownKnob } from '../../lab/environments/knobs.ts';
import { placeOf } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRun } from '../../ledger/runs.ts';
import { withLedgerToChange } from '../../library/opening/ledger.ts';
import type { RunReference } from '../../library/reference.ts';
import { configurationOf } from '../../producers/history/configurations.ts';
import { type RunRead, readRun, stageOf } from '../../producers/history/reading.ts';
import { annotate as record } from '../../producers/notes/annotation.ts';
import { actorOf } from '../actor.ts';
import type { Context } from '../context.ts';
import { findEvent } from '../events/event-text.ts';

interface AnnotateOptions {
  readonly knob?: string;
  readonly event?: string;
  readonly tag?: readonly string[];
  readonly actor?: string;
}

export async function annotate(
  context: Context,
  { run: named, stage }: RunReference,
  says: string,
  options: AnnotateOptions,
): Promise<number> {
  const actor = actorOf(options.actor);
  const tags = [...(options.tag ?? [])];
  return await withLedgerToChange(context.session, async (ledger) => {
    const read = await readRun(ledger, await findRun(ledger, named));
    if (stage !== null) stageOf(read, stage);
    const { run } = read;
    const about = {
      ...(options.event === undefined ? {} : { event: await eventOf(context, ledger, read, options.event) }),
      ...(options.knob === undefined ? {} : { knob: knobOf(read, options.knob) }),
      ...(tags.length === 0 ? {} : { tags }),
    };
    const noted = await record(ledger, { run, stage, actor, data: { note: says, ...about } });
    const result: AnnotateResult = { ledger: ledger.url, run, stage, ...noted };
    if (context.flags.json) await context.printJson(result);
    else await context.print(`${noted.isNew ? 'noted' : 'noted before'}: ${visible(placeOf(noted))}\n`);
    return 0;
  });
}

/** A knob of the descriptor; where there is none, one of a configuration; where nothing is known of any, whatever it is. */
function knobOf(read: RunRead, knob: string): string {
  const { descriptor, started, stages } = read;
  const environment = started?.data.environment.name ?? 'the environment';
  const set = stages.flatMap(({ stage }) => configurationOf(read, stage)?.knobs.map((one) => one.knob) ?? []);
  const known = descriptor?.knobs.map(({ name }) => name) ?? [...new Set(set)];
  if (known.length === 0 || known.includes(knob)) return knob;
  throw new UnknownKnob(environment, knob, known);
}

/** Events of the histories it shares count as its own; answers of models belong to no run. */
async function eventOf(
  context: Context,
  ledger: Ledger,
  { run, name, parent }: RunRead,
  reference: string,
): Promise<string> {
  const { id, envelope } = await findEvent(context, ledger, reference);
  if (envelope.run === null || envelope.run === run || (parent !== null && envelope.run === parent.run)) return id;
  throw new IcecoreError('usage', `--event: ${id} is an event of run ${envelope.run}, not of ${name}`, {
    facts: { field: '--event', found: id, run: envelope.run },
    remedy: `Note it there: icecore annotate ${envelope.run} "..." --event ${id}`,
  });
}
