import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import { judge } from '../judge.ts';
import type { Plan } from '../plan.ts';
import { replaySteps, replaySvg } from './svg-replay.ts';
import { scenes } from './testing/scenes.ts';
import { textsIn } from './testing/well-formed.ts';
import type { Scene } from './walk.ts';

const lake = fromAscii(`
a. .. .. .B
.. ## .. ..
.. .. .. ##
b. .. .. .A`);

const failing: Plan = ['WRRDDDR', 'RRUUUR'];
const solving: Plan = ['DDDRRR', 'RRUUUR'];

describe('a replay of a plan as SVG', () => {
  it('is one well-formed element without scripts or external resources, and is deterministic', () => {
    fc.assert(
      fc.property(scenes({ largest: 8, hasId: false }), (scene) => {
        const svg = replaySvg(scene);
        textsIn(svg);
        expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
        const markup = svg.replace('xmlns="http://www.w3.org/2000/svg"', '');
        expect(markup).not.toMatch(/NaN|undefined|Infinity/);
        expect(markup).not.toMatch(/script|foreignObject|@import|url\(|:\/\/| on\w+=|<image|href=/i);
        expect(replaySvg(structuredClone(scene))).toBe(svg);
      }),
      { numRuns: 60 },
    );
  });

  it('is animated only for readers who do not prefer reduced motion', () => {
    const svg = replaySvg(judged(solving));
    const rest = svg.replace(/<style>@media\(prefers-reduced-motion:no-preference\)\{.*?<\/style>/s, '');
    expect(svg).toContain('animation:');
    expect(rest).not.toMatch(/animation|@keyframes|<animate/);
  });

  it('ends with the failure', () => {
    expect(replaySteps(judged(failing))).toBe(4);
    expect(replaySteps(judged(solving))).toBe(6);
    const svg = replaySvg(judged(failing));
    expect(textsIn(svg)).toContain('step 4: vertex-conflict a, b at row 1, column 2');
    expect(svg).toMatch(/-end\{0%,[\d.]+%\{opacity:0\}[\d.]+%,100%\{opacity:1\}\}/);
    expect(replaySvg(judged(solving))).not.toContain('-end{');
  });

  it('has a position of every agent at its start and its end', () => {
    const svg = replaySvg(judged(solving));
    const frames = [...svg.matchAll(/@keyframes lake-\w+-\d\{(.*?\})\}\./g)].map(([, all]) => all ?? '');
    expect(frames).toHaveLength(2);
    for (const all of frames) expect(all).toMatch(/^0%,.*,100%\{transform:translate\([\d.]+px,[\d.]+px\)\}$/);
  });

  it('has unique names, so that two replays can be on one page', () => {
    const names = [failing, solving].map((plan) => /@keyframes (lake-\w+)-0/.exec(replaySvg(judged(plan)))?.[1]);
    expect(names[0]).toBeDefined();
    expect(names[0]).not.toBe(names[1]);
  });

  it('can restart together with a longer replay', () => {
    const seconds = (svg: string): string | undefined => / ([\d.]+)s ease-in-out/.exec(svg)?.[1];
    expect(seconds(replaySvg(judged(failing), { steps: 6 }))).toBe(seconds(replaySvg(judged(solving))));
  });
});

function judged(plan: Plan): Scene {
  return { instance: lake, plan, failures: judge(lake, plan).failures };
}
