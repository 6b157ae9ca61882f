// Values that name something in a ledger: runs, stages, knobs, events. Shells complete them from the ledger in use.
import { IcecoreError } from '../../schemas/errors.ts';
import type { Complete, ValueType } from '../library/plugins/command.ts';
import { completed, text } from '../library/plugins/values.ts';
import { type RunReference, runReference, type StageReference, stageReference } from '../library/reference.ts';
import type { Context } from './context.ts';

const ofLedger = async () => await import('./completion/of-ledger.ts');

const runs: Complete = async (context: Context) => (await ofLedger()).runNames(context);

/** A name, the start of a name, an identity or `latest`. */
export const run: ValueType<string> = completed(text, runs);

/** The name of an ablation, its identity, or `latest`. */
export const ablation: ValueType<string> = completed(text, async (context: Context) =>
  (await ofLedger()).ablationNames(context),
);

/** RUN or RUN@K. */
export const runOrStage: ValueType<RunReference> = { parse: (typed) => runReference(typed), complete: runs };

/** RUN@K. */
export const stage: ValueType<StageReference> = { parse: (typed) => stageReference(typed), complete: runs };

/** A knob that the named decision changed, or its family. */
export const changedKnob: ValueType<string> = completed(text, async (context: Context, [stage = '']) =>
  (await ofLedger()).changedKnobs(context, stage),
);

export const stream: ValueType<string> = completed(text, async (context: Context) =>
  (await ofLedger()).recentStreams(context),
);

export const eventType: ValueType<string> = completed(text, async ({ session }: Context) => {
  const { eventTypesWith } = await import('../../schemas/own-events.ts');
  return Array.from(eventTypesWith((await session.plugins.atHand()).eventTypes), ([value, { summary }]) => ({
    value,
    about: summary,
  }));
});

export const table: ValueType<string> = completed(text, async ({ session }: Context) => {
  const { tableNames } = await import('../library/tables.ts');
  return (await tableNames(session)).map(({ name, meaning }) => ({ value: name, about: meaning }));
});

/** `2` or `3-5`. */
export const stageRange: ValueType<{ readonly from: number; readonly to: number }> = {
  parse: (typed, field) => {
    const [, from = '', to = from] = /^([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?$/.exec(typed) ?? [];
    if (from !== '' && Number(from) <= Number(to)) return { from: Number(from), to: Number(to) };
    throw new IcecoreError('usage', `${field}: found "${typed}", allowed: stages from 1, as in 2 or 1,3-5`, {
      facts: { field, found: typed },
    });
  },
};
