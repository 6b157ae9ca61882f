import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Configuration } from '../environments/environment.ts';
import { knobValues } from '../environments/knobs.ts';
import { checkLake } from '../lake/check.ts';
import { startConfiguration } from '../lake/configuration.ts';
import { descriptor } from '../lake/descriptor.ts';
import { decisionOn } from './decision.ts';
import type { Asked, Fact, Proposal, Shown } from './engineer.ts';
import { rules } from './rules.ts';

const current = { ...startConfiguration } as unknown as Configuration;

function shown(rates: Readonly<Record<string, number>>, module = 'behaviour'): Shown {
  const facts = Object.entries(rates).map(
    ([group, value]): Fact => ({ label: `B${group}.valid`, group, measure: 'valid', value }),
  );
  return {
    digest: '0'.repeat(64),
    text: '',
    form: { modules: [module] },
    modules: [{ module, facts, exemplars: [] }],
    labels: new Set(facts.map(({ label }) => label)),
  };
}

async function proposed(context: Shown | null): Promise<Proposal> {
  const asked: Asked = {
    descriptor,
    stage: 1,
    stages: 3,
    current,
    first: current,
    context,
    checkpoint: null,
    sample: 0,
    seed: 'one',
  };
  const answer = await rules.propose(asked);
  if ('rejected' in answer) throw new Error('no proposal');
  return answer.proposal;
}

const shareOf = (proposal: Proposal, group: string): number =>
  knobValues(descriptor, proposal.configuration as Configuration).find(({ knob }) => knob === `${group}.data`)?.value ??
  0;

describe('the engineer by rule', () => {
  it('gives most to what is solved half the time, and little to what is always or never solved', async () => {
    const proposal = await proposed(shown({ '3': 1, '4': 0.9, '5': 0.5, '6': 0.2, '7': 0, '8': 0, '9': 0, '10': 0 }));
    const shares = ['5', '6', '4', '3'].map((group) => shareOf(proposal, group));
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    expect(shareOf(proposal, '3')).toBe(shareOf(proposal, '10'));
    expect(shareOf(proposal, '10')).toBeGreaterThan(0);
  });

  it('needs no clamp and cites what it went by, whatever the rates', async () => {
    const rates = fc.dictionary(
      fc.constantFrom('3', '4', '5', '6', '7', '8', '9', '10'),
      fc.double({ min: 0, max: 1, noNaN: true }),
    );
    await fc.assert(
      fc.asyncProperty(rates, async (seen) => {
        const context = shown(seen);
        const made = decisionOn(descriptor, current, await proposed(context), checkLake);
        if ('issues' in made) throw new Error(JSON.stringify(made.issues));
        expect(made.decision.clamps).toEqual([]);
        for (const { because } of made.decision.changes)
          for (const label of because ?? []) expect(context.labels.has(label)).toBe(true);
      }),
    );
  });

  it('keeps everything where it is shown nothing it can read', async () => {
    for (const context of [null, shown({ '3': 0.5 }, 'failures')])
      expect((await proposed(context)).configuration).toEqual(current);
  });
});
