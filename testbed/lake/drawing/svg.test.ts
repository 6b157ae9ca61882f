import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import { judge } from '../judge.ts';
import type { Plan } from '../plan.ts';
import { plansFor } from '../testing/arbitraries.ts';
import { lakeSvg } from './svg.ts';
import { framesSvg } from './svg-frames.ts';
import { scenes } from './testing/scenes.ts';
import { textsIn } from './testing/well-formed.ts';
import { goalLetterOf, letterOf, type Scene } from './walk.ts';

const drawings = [lakeSvg, framesSvg];

const lake = fromAscii(`
a. .. .. .B
.. ## .. ..
.. .. .. ##
b. .. .. .A`);

describe('a lake as SVG', () => {
  it('is one well-formed element for any scene', () => {
    fc.assert(
      fc.property(scenes({ largest: 12 }), fc.constantFrom(...drawings), (scene, draw) => {
        expect(draw(scene)).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
        textsIn(draw(scene));
      }),
      { numRuns: 100 },
    );
  });

  it('is drawn at every size with every letter', () => {
    const [size, agents] = [32, 26];
    const everyone = Array.from({ length: agents }, (_, i) => ({ start: i, goal: size * size - 1 - i }));
    const texts = textsIn(lakeSvg({ instance: { size, holes: new Uint8Array(size * size), agents: everyone } }));
    for (let agent = 0; agent < agents; agent++) {
      expect(texts).toContain(letterOf(agent));
      expect(texts).toContain(goalLetterOf(agent));
    }
    textsIn(framesSvg({ instance: { size, holes: new Uint8Array(size * size), agents: everyone }, plan: ['D'] }));
  });

  it('has the same bytes for the same scene', () => {
    fc.assert(
      fc.property(scenes({ largest: 8 }), fc.constantFrom(...drawings), (scene, draw) => {
        expect(draw(structuredClone(scene))).toBe(draw(scene));
      }),
      { numRuns: 30 },
    );
  });

  it('has no scripts and no external references', () => {
    fc.assert(
      fc.property(scenes({ largest: 8, hasId: false }), fc.constantFrom(...drawings), (scene, draw) => {
        const markup = draw(scene).replace('xmlns="http://www.w3.org/2000/svg"', '');
        expect(markup).not.toMatch(/script|foreignObject|@import|url\(|:\/\/| on\w+=|<image|href="(?!#lake-)/i);
      }),
      { numRuns: 30 },
    );
  });

  it('shows its name as text, never as markup', () => {
    const id = `<script>alert("it's")</script>&amp;]]>\u0001\ud800`;
    for (const draw of drawings) {
      const markup = draw({ instance: { ...lake, id } });
      expect(textsIn(markup)).toContain(`<script>alert("it's")</script>&amp;]]>\ufffd\ufffd`);
      expect(markup).not.toContain('<script');
    }
  });

  it('cuts a name that is too long for the page, by grapheme', () => {
    const id = '👩‍👩‍👧'.repeat(60);
    const texts = textsIn(lakeSvg({ instance: { ...lake, id } }));
    expect(texts[0]).toBe(id);
    expect(texts).toContainEqual(expect.stringMatching(/^(👩‍👩‍👧){5,30}…$/u));
  });

  it('is small: 8 x 8 with 5 agents and the longest plans', () => {
    fc.assert(
      fc.property(scenes({ largest: 8, agents: 5 }), plansFor(5, 32), ({ instance }, plan) => {
        expect(lakeSvg(judged(plan.slice(0, instance.agents.length), instance)).length).toBeLessThan(20_000);
      }),
      { numRuns: 100 },
    );
  });
});

describe('trails as SVG', () => {
  it('have a text description for screen readers', () => {
    const [title, description] = textsIn(lakeSvg(judged(['WRRDDDR', 'RRUUUR'])));
    expect(title).toBe('A lake of 4 x 4');
    expect(description).toBe(
      'A lake of 4 x 4 cells with 2 holes and 2 agents. ' +
        'Agent a from row 0, column 0 to row 3, column 3: WRRDDDR, at A from step 7 on, after 1 wait. ' +
        'Agent b from row 3, column 0 to row 0, column 3: RRUUUR, at B from step 6 on. ' +
        'Failure: step 4: vertex-conflict a, b at row 1, column 2.',
    );
  });

  it('show the moment of failure with the positions of agents, and name the failure', () => {
    const markup = lakeSvg(judged(['WRRDDDR', 'RRUUUR']));
    const texts = textsIn(markup);
    expect(texts).toContain('step 4');
    expect(texts).toContain('step 4: vertex-conflict a, b at row 1, column 2');
    expect(texts.filter((text) => text === 'a')).toHaveLength(2);
    expect(markup).toContain('class="lake-ghost"');
  });

  it('show the cost of a valid plan, and nothing without a judgement', () => {
    const plan = ['DDDRRR', 'RRUUUR'];
    expect(textsIn(lakeSvg(judged(plan)))).toContain('valid at cost 12');
    expect(lakeSvg({ instance: lake, plan })).not.toContain('valid at');
    expect(lakeSvg(judged(plan))).not.toContain('class="lake-ghost"');
  });

  it('show the length of waits', () => {
    expect(textsIn(lakeSvg(judged(['WWWWWWWWWWWWR', ''])))).toContain('12');
  });
});

describe('steps after a failure', () => {
  const ghosts = (plan: Plan): string => [...lakeSvg(judged(plan)).matchAll(/<g class="lake-ghost".*?<\/g>/g)].join('');

  it('are faint: paths, waits and bumps', () => {
    expect(ghosts(['LRWWR', 'R'])).toContain('>2</text>');
    expect(ghosts(['RWWRL', 'RRL'])).not.toContain('>2</text>');
    expect(ghosts(['LR', ''])).not.toBe('');
    expect(ghosts(['DDDRRR', 'RRUUUR'])).toBe('');
  });
});

function judged(plan: Plan, instance = lake): Scene {
  return { instance, plan, failures: judge(instance, plan).failures };
}
