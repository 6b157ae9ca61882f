// Engineers that see no context, on the lake and on an environment of another kind.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import { checkLake, descriptor as lake, startConfiguration } from '../../../testbed/lake/configuration.ts';
import { checkConfiguration } from '../environments/configuration.ts';
import type { Configuration } from '../environments/environment.ts';
import { knobValues } from '../environments/knobs.ts';
import { fixed, random, schedule, staticSmall, uniform } from './blind.ts';
import { decisionOn } from './decision.ts';
import type { Engineer, ProposalRequest } from './engineer.ts';
import { blindNames, ruleEngineer } from './registry.ts';

const start = { ...startConfiguration } as unknown as Configuration;
const harder: Configuration = {
  ...start,
  sizes: { ...startConfiguration.sizes, '3': { data: 0.125, hole: 0.4, wait: 1 } },
};

function requestWith(change: Partial<ProposalRequest> = {}): ProposalRequest {
  return {
    descriptor: lake,
    stage: 1,
    stages: 5,
    current: harder,
    first: start,
    context: null,
    checkpoint: null,
    sample: 0,
    seed: 'one',
    ...change,
  };
}

async function configurationBy(engineer: Engineer, change: Partial<ProposalRequest> = {}): Promise<Configuration> {
  const answer = await engineer.propose(requestWith(change));
  if ('rejected' in answer) throw new Error('no proposal');
  return answer.proposal.configuration as Configuration;
}

const shares = (configuration: Configuration, descriptor: Descriptor = lake): Record<string, number> =>
  Object.fromEntries(
    knobValues(descriptor, configuration)
      .filter(({ knob }) => knob.endsWith('.data'))
      .map(({ family, value }) => [String(family), value]),
  );

const all = blindNames.map((name) => [name, ruleEngineer(name) as Engineer] as const);

describe('engineers that see no context', () => {
  it.each(all)('%s proposes configurations without clamps, at every stage and for every seed', async (_, engineer) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.string(), fc.nat(3), async (stage, seed, sample) => {
        const answer = await engineer.propose(
          requestWith({ stage, seed, sample, stages: stage % 2 === 0 ? null : 12 }),
        );
        if ('rejected' in answer) throw new Error('no proposal');
        const made = decisionOn(lake, harder, answer.proposal, checkLake);
        if ('issues' in made) throw new Error(JSON.stringify(made.issues));
        expect(made.decision.clamps).toEqual([]);
        expect(checkConfiguration(lake, answer.proposal.configuration, start)).toEqual([]);
        expect(
          await engineer.propose(requestWith({ stage, seed, sample, stages: stage % 2 === 0 ? null : 12 })),
        ).toEqual(answer);
      }),
      { numRuns: 40 },
    );
  });

  it('fixed returns to the configuration of the first stage', async () => {
    expect(await configurationBy(fixed)).toEqual(start);
  });

  it('uniform gives all families equal shares', async () => {
    expect(new Set(Object.values(shares(await configurationBy(uniform, { first: harder }))))).toEqual(new Set([0.125]));
  });

  it('static-small gives the easiest families equal shares and the others none', async () => {
    expect(shares(await configurationBy(staticSmall))).toMatchObject({ '3': 1 / 3, '4': 1 / 3, '5': 1 / 3, '6': 0 });
  });

  it('schedule starts with the easiest families and ends with the hardest', async () => {
    const trained = async (stage: number, stages: number | null): Promise<string[]> =>
      Object.entries(shares(await configurationBy(schedule, { stage, stages })))
        .filter(([, share]) => share > 0)
        .map(([family]) => family);
    expect(await trained(1, 5)).toEqual(['3', '4', '5']);
    expect(await trained(2, 5)).toEqual(['5', '6', '7']);
    expect(await trained(4, 5)).toEqual(['8', '9', '10']);
    expect(await trained(2, null)).toEqual(['4', '5', '6']);
    expect(await trained(20, null)).toEqual(['8', '9', '10']);
  });

  it('random depends on the seed, the stage and the sample', async () => {
    const one = await configurationBy(random);
    for (const change of [{ seed: 'two' }, { stage: 2 }, { sample: 1 }]) {
      expect(await configurationBy(random, change)).not.toEqual(one);
    }
  });
});
