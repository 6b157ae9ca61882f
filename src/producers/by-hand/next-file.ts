// A proposal as a file that a person can change and adopt.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { NextFile } from '../../../schemas/next-file.ts';

type Proposed = EventData['ProposalRecorded'];
type Reason = Pick<Proposed['changes'][number], 'knob' | 'cites' | 'says'>;

export interface MadeFor {
  readonly run: string;
  readonly stage: number;
  readonly current: string;
  /** Null where it was not recorded. */
  readonly proposal: string | null;
}

export function nextFileOf(proposed: Proposed, { run, stage, current, proposal }: MadeFor): NextFile {
  const { configuration, changes, kept, context, rationale: says } = proposed;
  return {
    run,
    stage,
    current,
    proposal,
    context: context?.digest ?? null,
    configuration: { ...configuration.whole },
    cites: reasonsBy(changes),
    kept: reasonsBy(kept ?? []),
    rationale: says,
  };
}

function reasonsBy(reasons: readonly Reason[]): NonNullable<NextFile['cites']> {
  return Object.fromEntries(
    reasons.map(({ knob, cites: cites, reason: says }) => [knob, { cite: cites === null ? null : [...cites], says }]),
  );
}
