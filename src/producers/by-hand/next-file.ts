// A proposal as a file that a person can change and adopt.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { NextFile } from '../../../schemas/next-file.ts';

type Proposed = EventData['ProposalRecorded'];
type Reason = Pick<Proposed['changes'][number], 'knob' | 'cites' | 'reason'>;

export interface MadeFor {
  readonly run: string;
  readonly stage: number;
  readonly current: string;
  /** Null where it was not recorded. */
  readonly proposal: string | null;
}

export function nextFileOf(proposed: Proposed, { run, stage, current, proposal }: MadeFor): NextFile {
  const { configuration, changes, kept, context, rationale } = proposed;
  return {
    run,
    stage,
    current,
    proposal,
    context: context?.digest ?? null,
    configuration: { ...configuration.whole },
    reasons: reasonsBy(changes),
    kept: reasonsBy(kept ?? []),
    rationale,
  };
}

function reasonsBy(reasons: readonly Reason[]): NonNullable<NextFile['reasons']> {
  return Object.fromEntries(
    reasons.map(({ knob, cites, reason }) => [knob, { cites: cites === null ? null : [...cites], reason }]),
  );
}
