import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Configuration, GenerateRequest, Task } from '../environments/environment.ts';
import { knobValues } from '../environments/knobs.ts';
import { policyThat } from '../evaluation/testing/stubs.ts';
import type { Engineer, Exemplar, Proposal, ShownContext } from './engineer.ts';
import { openIntrospective } from './introspective.ts';
import { rules } from './rules.ts';
import { contextWith, failing, type ModuleFacts, made, solved } from './testing/context-facts.ts';
import { askedOf } from './testing/questions.ts';

const families = ['hall', 'tower'] as const;
const skills = { doors: 'locked-out', ice: 'slipped', gates: 'crushed' } as const;
const names = Object.keys(skills) as (keyof typeof skills)[];

const castle: Descriptor = {
  environment: 'castle',
  knobs: families.flatMap((family) => [
    { name: `${family}.share`, path: [family, 'share'], meaning: '', family, range: { min: 0, max: 1 }, step: 0.05 },
    ...names.map((skill) => ({
      ...{ name: `${family}.${skill}`, path: [family, skill], meaning: '', family },
      ...{ range: { min: 0, max: 1 }, step: 0.05, teaches: [skills[skill]] },
    })),
  ]),
  sharesSum: [{ knobs: families.map((family) => `${family}.share`), total: 1 }],
  families: families.map((family) => ({ family })),
  failureClasses: Object.values(skills).map((name) => ({ class: name, meaning: '' })),
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['failureClass'] },
  family: { field: ['family'] },
};

const now: Configuration = Object.fromEntries(
  families.map((family) => [family, { share: 0.5, doors: 0.3, ice: 0.3, gates: 0.3 }]),
);

/** The hall fails at ice and the tower at gates, at the same rate. */
const failures = [
  failing('hall', 'slipped', 0.9, 20),
  failing('hall', 'crushed', 0.1, 20),
  failing('tower', 'crushed', 1, 20),
];
const alike = families.map((family) => solved(family, 0.3));

const exemplar: Exemplar = { evidenceId: 'F1', rollout: 'r', family: 'hall', class: 'slipped' };

function contextOf(facts: ModuleFacts, exemplars: readonly Exemplar[] = []): ShownContext {
  const context = contextWith(facts);
  return {
    ...context,
    modules: context.modules.map((one) => (one.module === 'failures' ? { ...one, exemplars } : one)),
    evidenceIds: new Set([...context.evidenceIds, ...exemplars.map(({ evidenceId }) => evidenceId)]),
  };
}

async function proposed(context: ShownContext, engineer: Engineer = rules, current = now): Promise<Proposal> {
  const checkpoint = { reference: 'weights', stage: 1 };
  const answer = await engineer.propose(askedOf({ descriptor: castle, current, first: current, context, checkpoint }));
  if ('rejected' in answer) throw new Error('no proposal');
  return answer.proposal;
}

function practiceIn({ configuration }: Proposal, family: string): readonly number[] {
  const values = knobValues(castle, configuration as Configuration);
  return names.map((skill) => values.find(({ knob }) => knob === `${family}.${skill}`)?.value ?? Number.NaN);
}

const unchanged = [0.3, 0.3, 0.3];

describe('an engineer that is shown failures', () => {
  it('practises the skills that the failures of a family lack, with the same total', async () => {
    const proposal = await proposed(contextOf({ failures }));
    const [hall, tower] = [practiceIn(proposal, 'hall'), practiceIn(proposal, 'tower')];
    expect(hall[1]).toBeGreaterThan(0.6);
    expect(tower[2]).toBeGreaterThan(0.7);
    expect(hall.reduce((sum, one) => sum + one, 0)).toBeCloseTo(0.9, 4);
    expect(Math.min(...hall, ...tower)).toBeGreaterThan(0);
  });

  it('gives failures as the reason of a change, and cites them with their rollouts', async () => {
    const { reasons } = await proposed(contextOf({ failures }, [exemplar]));
    expect(reasons).toContainEqual({
      knob: 'hall.ice',
      cites: ['FChall.slipped', 'F1'],
      reason: 'more practice: 90 % of its failures are of class slipped; as in F1',
    });
    expect(reasons).toContainEqual({
      knob: 'tower.doors',
      cites: ['FCtower.crushed'],
      reason: 'less practice: none of its failures are of class locked-out',
    });
  });

  it('changes no practice if chance explains the spread of failures', async () => {
    const spread = families.flatMap((family) =>
      Object.values(skills).map((name, i) => failing(family, name, [0.4, 0.3, 0.3][i] ?? 0, 20)),
    );
    const proposal = await proposed(contextOf({ failures: spread }));
    for (const family of families) expect(practiceIn(proposal, family)).toEqual(unchanged);
  });

  it('practises skills of a family that had no practice', async () => {
    const none = Object.fromEntries(families.map((family) => [family, { share: 0.5, doors: 0, ice: 0, gates: 0 }]));
    const proposal = await proposed(contextOf({ failures }), rules, none);
    expect(practiceIn(proposal, 'tower')[2]).toBeGreaterThan(0.1);
  });

  it('keeps the practice of working families', async () => {
    const proposal = await proposed(contextOf({ failures, behaviour: [solved('hall', 0.95), solved('tower', 0.3)] }));
    expect(practiceIn(proposal, 'hall')).toEqual(unchanged);
    expect(practiceIn(proposal, 'tower')[2]).toBeGreaterThan(0.7);
  });
});

describe('an engineer that is not shown failures', () => {
  const others: readonly [string, ModuleFacts][] = [
    ['rates', { behaviour: alike }],
    ['statistics of tasks', { stats: families.map((family) => made(family, 50)) }],
    ['both', { behaviour: alike, stats: families.map((family) => made(family, 50)) }],
  ];

  it.each(others)('changes no practice given %s', async (_, facts) => {
    const proposal = await proposed(contextOf(facts));
    for (const family of families) expect(practiceIn(proposal, family)).toEqual(unchanged);
  });
});

describe('an engineer that asks a checkpoint for expected success', () => {
  /** Generates tasks of the only skill that is practised, and records the requests. */
  function environment() {
    const asked: GenerateRequest[] = [];
    async function* generate(request: GenerateRequest) {
      asked.push(request);
      const values = knobValues(castle, request.configuration);
      const family = values.find(({ knob, value }) => knob.endsWith('.share') && value > 0)?.family ?? 'hall';
      const skill = values.find(
        ({ knob, value }) => knob.startsWith(`${family}.`) && !knob.endsWith('.share') && value === 1,
      );
      for (let i = 0; i < request.count; i++) {
        const instance = { skill: skill?.knob ?? 'any', i };
        yield { id: `${i}`, family, instance, facts: {} } satisfies Task;
      }
      return [];
    }
    return { descriptor: castle, generate, asked };
  }

  const checkpoint = (expects: (skill: string) => number) => {
    const policyOf = async () =>
      policyThat(({ instance }) => {
        const logProbability = Math.log(expects(String(instance['skill'])));
        return { answer: null, sureness: { logProbability, entropy: 1 } };
      });
    return openIntrospective({ identity: 'checkpoint', environment: environment(), policyOf });
  };

  it('practises less what the checkpoint expects to solve, even if it failed most', async () => {
    const knowsIce = checkpoint((skill) => (skill.endsWith('ice') ? 0.99 : 0.3));
    const proposal = await proposed(contextOf({ failures }), knowsIce);
    const [doors = 0, ice = 0, gates = 0] = practiceIn(proposal, 'hall');
    expect(ice).toBeLessThan(0.3);
    expect(gates).toBeGreaterThan(doors);
    const { reason, cites } = proposal.reasons.find(({ knob }) => knob === 'hall.ice') ?? {};
    expect(reason).toBe(
      'less practice: 90 % of its failures are of class slipped; the checkpoint expects to solve 99 % of the tasks that practise it',
    );
    expect(cites).toEqual(['FChall.slipped']);
  });

  it('follows the expectation alone if no failures are shown, and cites nothing', async () => {
    const knowsIce = checkpoint((skill) => (skill.endsWith('ice') ? 0.9 : 0.1));
    const proposal = await proposed(contextOf({ behaviour: alike }), knowsIce);
    expect(practiceIn(proposal, 'hall')[1]).toBeLessThan(0.1);
    expect(proposal.reasons).toContainEqual({
      knob: 'hall.doors',
      cites: null,
      reason: 'more practice: the checkpoint expects to solve 10 % of the tasks that practise it',
    });
  });

  it('changes no practice if the checkpoint is equally unsure of everything', async () => {
    const proposal = await proposed(
      contextOf({ behaviour: alike }),
      checkpoint(() => 0.2),
    );
    for (const family of families) expect(practiceIn(proposal, family)).toEqual(unchanged);
  });
});
