// Writing to a stream that one process has in hand at a time: an event whose id follows from its place, appended against the
// revision that is known, as long as nobody else has it.
import { type EventData, type NewEventOf, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { DuplicateId, WrongRevision } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withoutLongTexts } from '../answers/recorded-answer.ts';
import { longestInline, type Outgoing } from '../intake/texts.ts';
import { idOf, stageNamed } from './ids.ts';

/** What a step came to: an event, without what follows from its place. */
export type Decision = {
  readonly [Type in TypeName]: {
    readonly type: Type;
    readonly stage: number | null;
    /** Which of its type and stage, from 0: its id follows from it. */
    readonly index: number;
    readonly actor: string;
    readonly causes?: readonly Cause[];
    readonly data: EventData[Type];
  };
}[TypeName];

export interface Writing {
  readonly ledger: Ledger;
  /** Where long texts go. */
  readonly blobs: () => Promise<Blobs>;
  /** Throws where the stream is in other hands by now. */
  readonly check: () => Promise<void>;
}

/** `owner`: whose stream it is, from which its id follows; `run`: the run it is about. */
export function outgoingOf(owner: string, run: string | null, decision: Decision): Outgoing {
  const { type, actor, causes = [], data } = decision;
  const event = {
    id: idOf(owner, decision),
    type,
    version: versionOf(type),
    at: new Date().toISOString(),
    actor,
    run,
    stage: stageNamed(decision),
    causes,
    data,
  } satisfies NewEvent as NewEventOf<TypeName>;
  return withoutLongTexts(event, longestInline.byDefault);
}

/** False where somebody else wrote first: then nothing was written. Throws what the check does where they have it since. */
export async function isAppended(
  { ledger, check }: Pick<Writing, 'ledger' | 'check'>,
  stream: string,
  revision: number,
  event: NewEvent,
): Promise<boolean> {
  await check();
  try {
    await ledger.append(stream, [event], { expect: revision < 0 ? 'none' : revision });
    return true;
  } catch (fault) {
    if (!(fault instanceof WrongRevision || fault instanceof DuplicateId)) throw fault;
    await check();
    if (fault instanceof WrongRevision) return false;
    throw fault;
  }
}
