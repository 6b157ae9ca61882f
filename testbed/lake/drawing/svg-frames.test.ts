import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import { judge } from '../judge.ts';
import type { Plan } from '../plan.ts';
import { framesSvg, lakeFrames } from './svg-frames.ts';
import { scenes } from './testing/scenes.ts';
import { textsIn } from './testing/well-formed.ts';
import type { Scene } from './walk.ts';

const lake = fromAscii(`
a. .. .. .B
.. ## .. ..
.. .. .. ##
b. .. .. .A`);

describe('frames on one page', () => {
  it('end with the first step that failed', () => {
    const texts = textsIn(framesSvg(judged(['WRRDDDR', 'RRUUUR'])));
    expect(texts.filter((text) => /^(start|step \d+)$/.test(text))).toEqual([
      'start',
      'step 1',
      'step 2',
      'step 3',
      'step 4',
    ]);
  });

  it('name shared definitions by content, so that several drawings fit on one page', () => {
    const names = [lake, { ...lake, id: 'the same' }, fromAscii('a. .. ..\n.. .. ..\n.. .. .A')].map(
      (instance) => /<g id="([^"]+)"/.exec(framesSvg({ instance }))?.[1],
    );
    expect(names[0]).toBe(names[1]);
    expect(names[0]).not.toBe(names[2]);
  });
});

describe('frames one by one', () => {
  const captions = (plan: Plan): string[] => lakeFrames(judged(plan)).map(({ says }) => says);

  it('are well-formed, of one size, without scripts or external resources, and deterministic', () => {
    fc.assert(
      fc.property(scenes({ largest: 8, hasId: false }), (scene) => {
        const frames = lakeFrames(scene);
        const sizes = frames.map(({ svg }) => /viewBox="[^"]+" width="[^"]+" height="[^"]+"/.exec(svg)?.[0]);
        expect(new Set(sizes).size).toBe(1);
        for (const { svg, says } of frames) {
          expect(textsIn(svg)[0]).toBe(says);
          const markup = svg.replace('xmlns="http://www.w3.org/2000/svg"', '');
          expect(markup).not.toMatch(/NaN|undefined|Infinity/);
          expect(markup).not.toMatch(/script|foreignObject|@import|url\(|:\/\/| on\w+=|<image|href=/i);
        }
        expect(lakeFrames(structuredClone(scene))).toEqual(frames);
      }),
      { numRuns: 40 },
    );
  });

  it('begin with the start and end with the failure, which is marked', () => {
    const frames = lakeFrames(judged(['WRRDDDR', 'RRUUUR']));
    expect(frames.map(({ says }) => says)).toEqual([
      'start',
      'step 1: a waits',
      'step 2',
      'step 3',
      'step 4: a and b meet on a cell',
    ]);
    expect(frames.map(({ svg }) => svg.includes('class="lake-outline"'))).toEqual([false, false, false, false, true]);
  });

  it('say who falls, who leaves the grid, who arrives, and who does not', () => {
    expect(captions(['RD', '']).at(-1)).toBe('step 2: a falls into a hole, b does not reach its goal');
    expect(captions(['U', '']).at(-1)).toBe('step 1: a tries to leave the grid, a and b do not reach their goals');
    expect(captions(['R', '']).at(-1)).toBe('step 1: a and b do not reach their goals');
    expect(captions(['DDDRRR', 'RRUUUR']).at(-1)).toMatch(/^step 6: a reaches A, b reaches B, every agent is at its goal$/);
  });

  it('of a plan without moves are its start', () => {
    expect(captions([]).at(-1)).toBe('start: a and b do not reach their goals');
  });
});

function judged(plan: Plan, instance = lake): Scene {
  return { instance, plan, failures: judge(instance, plan).failures };
}
