// What a proposal says, without what was spent on it: as it was written, in the words of the port.
import type { Proposal, Reason, Spent } from './engineer.ts';
import type { WrittenProposal, WrittenReason } from './proposal-shape.ts';

export type Content = Omit<Proposal, keyof Spent> & { readonly configuration: Readonly<Record<string, unknown>> };

/** What is expected is the rate of success, unless it is said to be something else. */
const usualMeasure = 'valid';

export function contentOf({ configuration, reasons, kept, predictions, rationale }: WrittenProposal): Content {
  return {
    configuration,
    reasons: (reasons ?? []).map(reasonOf),
    kept: kept?.map(reasonOf) ?? null,
    predictions: predictions?.map(({ family, measure = usualMeasure, value }) => ({ family, measure, value })) ?? null,
    rationale: said(rationale),
  };
}

function reasonOf({ knob, cites, reason }: WrittenReason): Reason {
  return { knob, cites: cites ?? null, reason: said(reason) };
}

/** Nothing but blanks says nothing; half a character, which no event can hold, is marked. */
function said(text: string | null | undefined): string | null {
  return text === undefined || text === null || text.trim() === '' ? null : text.toWellFormed();
}
