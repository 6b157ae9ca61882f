// A person decides on the configuration of the next stage.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { hasPython, type Place, placeWith, tiny } from './testing/place.ts';

const place = placeWith({ ...tiny, name: 'mine' });

interface Next {
  run: string;
  stage: number;
  current: string;
  configuration: { families: Record<string, Record<string, number>> };
  [key: string]: unknown;
}

async function proposed(at: Place, change: (next: Next) => unknown = () => {}): Promise<Next> {
  await at.icecore('propose', 'mine@2', '--engineer', 'rules', '--output', 'next.json');
  const next = JSON.parse(at.read('next.json')) as Next;
  at.write('next.json', change(next) ?? next);
  return next;
}

describe.skipIf(!hasPython)('icecore adopt', () => {
  it('records a decision with its reasons and cited evidence, and the run resumes with it', async () => {
    const at = place();
    const next = await proposed(at, ({ configuration: { families } }) => {
      (families['chains'] as Record<string, number>)['terms'] = 4;
    });
    const words = [
      '--reason',
      'chains.terms: one more',
      '--reason',
      'chains.digits: hard enough',
      '--actor',
      'human/ada',
    ];
    const adopted = json(await at.icecore('adopt', 'next.json', ...words, '--cite', 'chains.terms=F1', '--json'));
    expect(faultsAgainst('adopt', adopted)).toEqual([]);
    expect(adopted).toMatchObject({
      name: 'mine',
      stage: 2,
      adopted: {
        by: 'human',
        proposal: next['proposal'],
        previous: next.current,
        clamps: [],
        context: { digest: next['context'] },
        configuration: { whole: next.configuration },
        changes: expect.arrayContaining([
          { knob: 'chains.terms', family: 'chains', from: 3, to: 4, cites: ['F1'], reason: 'one more' },
        ]),
        kept: expect.arrayContaining([{ knob: 'chains.digits', family: 'chains', cites: null, reason: 'hard enough' }]),
      },
    });
    expect(json(await at.icecore('resume', 'mine', '--json'))).toMatchObject({
      ended: 'completed',
      stages: 2,
    });
    const shown = json(await at.icecore('show', 'mine@2', '--json'));
    expect(shown).toMatchObject({ decision: { by: 'human', who: 'human/ada' } });
    at.write('alone.json', next.configuration);
    expect((await at.icecore('adopt', 'alone.json')).stderr).toContain('mine is completed');
  });

  it('adopts the reasons that the engineer gave', async () => {
    const at = place();
    const { reasons } = await proposed(at);
    const { stdout } = await at.icecore('adopt', 'next.json');
    const given = Object.entries(reasons as Record<string, { reason: string }>);
    expect(given).not.toEqual([]);
    for (const [knob, { reason }] of given) {
      expect(stdout).toContain(`  ${knob} `);
      expect(stdout).toContain(reason);
    }
  });

  it("drops the engineer's reasons for edited values, and names the engineer of the proposal", async () => {
    const at = place();
    const { reasons, rationale } = await proposed(at, ({ configuration: { families } }) => {
      const { addition, chains } = families;
      if (addition === undefined || chains === undefined) throw new Error('the families have other names');
      [addition['share'], chains['share']] = [chains['share'] ?? 0, addition['share'] ?? 0];
    });
    const given = reasons as Record<string, { reason: string }>;
    const edited = ['addition.share', 'chains.share'];
    expect(Object.keys(given)).toEqual(expect.arrayContaining([...edited, 'addition.digits']));
    const kept = ['--reason', 'addition.share: an even mixture', '--actor', 'human/ada'];
    const adopted = json(await at.icecore('adopt', 'next.json', ...kept, '--json')) as {
      readonly adopted: { readonly changes: { knob: string; reason: string | null }[] };
    };
    expect(faultsAgainst('adopt', adopted)).toEqual([]);
    expect(adopted).toMatchObject({ leftOut: ['chains.share'], adopted: { rationale: null } });
    expect(rationale).not.toBeNull();
    const said = Object.fromEntries(adopted.adopted.changes.map(({ knob, reason }) => [knob, reason]));
    expect(said).toMatchObject({
      'addition.share': 'an even mixture',
      'chains.share': null,
      'addition.digits': given['addition.digits']?.reason,
    });
    const whose = 'human/ada (proposal of rules, 2 knobs edited, own reasons for 1 knob)';
    expect((await at.icecore('why', 'mine@2')).stdout).toContain(`decided by a person, ${whose}`);
    expect((await at.icecore('audit', 'mine')).stdout).toContain(whose);
    expect((await at.icecore('resume', 'mine')).code).toBe(0);
    const shown = json(await at.icecore('show', 'mine@2', '--json'));
    expect(shown).toMatchObject({ decision: { proposedBy: 'rules', edited, scores: null } });
    const credited = 'SELECT adopted, (SELECT edited FROM decisions WHERE stage = 2) AS edited FROM proposals';
    expect(json(await at.icecore('sql', credited, '--json'))).toMatchObject({
      rows: [{ adopted: false, edited: true }],
    });
    const scorecard = 'SELECT adopted, gains FROM engineer_scorecard';
    expect(json(await at.icecore('sql', scorecard, '--json'))).toMatchObject({ rows: [{ adopted: 0, gains: 0 }] });
  });

  it('reports that a proposal was adopted unchanged', async () => {
    const at = place();
    await proposed(at);
    await at.icecore('adopt', 'next.json', '--actor', 'human/ada');
    expect((await at.icecore('why', 'mine@2')).stdout).toContain('human/ada (proposal of rules, unchanged)');
    expect(json(await at.icecore('why', 'mine@2', '--json'))).toMatchObject({ decision: { edited: null } });
  });

  it('gives no citation score if the person replaced a citation, and names the knob', async () => {
    const at = place();
    await proposed(at);
    const own = ['--reason', 'addition.share: mine', '--cite', 'addition.share=F1', '--actor', 'human/ada'];
    await at.icecore('adopt', 'next.json', ...own);
    const { stdout } = await at.icecore('audit', 'mine');
    expect(stdout).toContain('human/ada (proposal of rules, values unchanged, own reasons for 1 knob)');
    const why = json(await at.icecore('why', 'mine@2', '--json'));
    expect(why).toMatchObject({ decision: { edited: null, ownReasons: ['addition.share'], citation: null } });
  });

  it('keeps the clamps of values that the person did not edit', async () => {
    const at = place();
    const wild = `let asked = '';
      process.stdin.on('data', (text) => (asked += text)).on('end', () => {
        const { current } = JSON.parse(asked);
        current.families.chains.terms = 99;
        current.families.addition.digits = 99;
        console.log(JSON.stringify({ configuration: current }));
      });`;
    writeFileSync(join(at.folder, 'wild.mjs'), wild);
    const asking = ['--engineer', 'node wild.mjs', '--output', 'next.json', '--programs'];
    expect(await at.icecore('propose', 'mine@2', ...asking)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('99 was proposed'),
    });
    const next = JSON.parse(at.read('next.json')) as Next;
    at.write('next.json', withKnob(next, 'addition', 'digits', 1));
    const { adopted } = json(await at.icecore('adopt', 'next.json', '--json')) as {
      readonly adopted: { readonly clamps: readonly { readonly knob: string; readonly proposed: number }[] };
    };
    expect(adopted.clamps).toMatchObject([{ knob: 'chains.terms', proposed: 99 }]);
    expect((await at.icecore('why', 'mine@2')).stdout).toContain('Clamped, proposed → used: chains.terms 99 → ');
  });

  it('accepts a bare configuration, even the current one', async () => {
    const at = place();
    const { stdout } = await at.icecore('event', 'tail', '--type', 'StageStarted', '--json');
    at.write('same.json', JSON.parse(stdout).data.configuration.whole);
    const adopted = await at.icecore('adopt', 'same.json', '--run', 'mine@2');
    expect(adopted).toMatchObject({ code: 0, stdout: expect.stringContaining('decided\n\nchanges\n  no change\n') });
    expect(adopted.stderr).toBe('next: icecore resume mine\n');
  });

  it('refuses a second decision and shows the first', async () => {
    const at = place();
    await proposed(at);
    await at.icecore('adopt', 'next.json');
    expect(await at.icecore('adopt', 'next.json')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/stage 2 is decided already: by human, \S+ \S+ → \S+/),
    });
  });

  const refused: readonly [what: string, change: (next: Next) => unknown, words: string[], said: string][] = [
    [
      'missing settings, each by its path',
      ({ configuration: { families } }) => {
        delete families['chains']?.['terms'];
        delete families['addition']?.['share'];
      },
      [],
      'families.addition.share: found nothing, allowed: a number from 0 to 1; families.chains.terms: found nothing',
    ],
    ['a value out of range', (next) => withKnob(next, 'chains', 'terms', 99), [], 'families.chains.terms: found 99'],
    ['shares that do not sum to 1', (next) => withKnob(next, 'chains', 'share', 0.9), [], 'allowed: a sum of 1'],
    ['an unknown knob', (next) => withKnob(next, 'chains', 'tems', 3), [], 'perhaps "terms"'],
    [
      'a proposal for another configuration',
      (next) => ({ ...next, current: '0'.repeat(64) }),
      [],
      'this run never had',
    ],
    ['an unknown key', (next) => ({ ...next, becuase: {} }), [], 'becuase: found an unknown key'],
    ['another stage', (next) => next, ['--run', 'mine@3'], 'the next decision is for stage 2'],
    ['a list', () => [1], [], 'the whole: found a list'],
    [
      'an evidence id that is not in the context',
      (n) => n,
      ['--reason', 'chains.terms: why', '--cite', 'F77'],
      'F77: not an evidence id',
    ],
    ['a misspelled evidence id', (n) => n, ['--cite', 'chains.terms=Badition.vlid'], 'Did you mean Baddition.valid'],
    ['an evidence id without a reason', (n) => n, ['--cite', 'F1'], '--cite F1: there is no reason'],
    ['a reason without a knob', (n) => n, ['--reason', 'too many falls'], 'allowed: KNOB: TEXT'],
    ['a misspelled knob', (n) => n, ['--reason', 'chain.terms: why'], 'Did you mean chains.terms'],
    ['an invalid actor', (n) => n, ['--actor', 'ada'], '--actor: found "ada"'],
  ];

  it('refuses invalid decisions and records nothing of them', async () => {
    const at = place();
    const next = await proposed(at);
    const before = await at.events();
    for (const [what, change, words, said] of refused) {
      const changed = structuredClone(next);
      at.write('next.json', change(changed) ?? changed);
      const { code, stdout, stderr } = await at.icecore('adopt', 'next.json', ...words);
      expect({ what, failed: code > 0, stdout, stderr }).toEqual({
        what,
        failed: true,
        stdout: '',
        stderr: expect.stringContaining(said),
      });
    }
    expect(await at.events()).toBe(before);
  });
});

function withKnob(next: Next, family: string, knob: string, value: number): Next {
  const of = next.configuration.families[family];
  if (of !== undefined) of[knob] = value;
  return next;
}
