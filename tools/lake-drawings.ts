// Writes the drawings of docs/lake; with --check, only reports stale ones.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromAscii } from '../testbed/lake/ascii.ts';
import { lakeSvg } from '../testbed/lake/drawing/svg.ts';
import { framesSvg } from '../testbed/lake/drawing/svg-frames.ts';
import { replaySteps, replaySvg } from '../testbed/lake/drawing/svg-replay.ts';
import { frameLines, trailLines } from '../testbed/lake/drawing/terminal.ts';
import type { Scene } from '../testbed/lake/drawing/walk.ts';
import { judge } from '../testbed/lake/judge.ts';
import type { Plan } from '../testbed/lake/plan.ts';

const folder = fileURLToPath(new URL('../docs/lake/', import.meta.url));

/** Four agents with crossing paths; one has to wait. */
export const crossing = {
  id: 'crossing-8',
  ...fromAscii(`
## .. ## b. .. ## .. ..
.. .. .. .D .. ## .. ..
.. .. .. .. .. .. .. ##
.. a. ## .. .. .. .. ..
## .. .. .. ## .B .. c.
.. .. .C ## d. .. .. ..
.. .. ## .. .. .. .. ..
.. ## .. .. .. .. .. .A`),
};

export const optimal: Plan = ['URRRRRDRDDDD', 'RDDRDD', 'ULLLLDLD', 'RUWULUUL'];

/** Every agent on a shortest path. */
const hasty: Plan = ['URRRRRDRDDDD', 'RDDRDD', 'ULLLLDLD', 'RUULUUL'];

/** The expected files: name and text. */
function drawings(): ReadonlyMap<string, string> {
  const page = { colour: false, width: 80 };
  const text = (lines: readonly string[]): string => `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
  return new Map([
    ['lake.svg', lakeSvg({ instance: crossing })],
    ['optimal.svg', lakeSvg(judged(optimal))],
    ['conflict.svg', lakeSvg(judged(hasty))],
    ['before-after.svg', beforeAfter()],
    ['conflict-frames.svg', framesSvg(judged(hasty))],
    ['optimal.txt', text(trailLines(judged(optimal), page))],
    ['conflict-frames.txt', text(frameLines(judged(hasty), page))],
  ]);
}

/** A failed plan and a solved one of the same lake, side by side in motion, which start again together. */
function beforeAfter(): string {
  const scenes = [
    { ...judged(hasty), title: 'Before: two agents meet' },
    { ...judged(optimal), title: 'After: agent d waits once' },
  ];
  const steps = Math.max(...scenes.map(replaySteps));
  const pictures = scenes.map(({ title, ...scene }) =>
    replaySvg({ ...scene, instance: { ...scene.instance, id: title } }, { steps }),
  );
  const sizes = pictures.map((svg) => /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg)?.slice(1).map(Number) ?? []);
  const [width, height] = [0, 1].map((side) => Math.max(...sizes.map((size) => size[side] ?? 0))) as [number, number];
  const placed = pictures.map((svg, i) => svg.trim().replace('<svg ', `<svg x="${i * width}" `));
  const whole = `width="${pictures.length * width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${whole} viewBox="0 0 ${pictures.length * width} ${height}">${placed.join('')}</svg>\n`;
}

/** The files whose content is out of date. */
export function staleDrawings(): readonly string[] {
  return [...drawings()].flatMap(([name, text]) => (present(name) === text ? [] : [name]));
}

function judged(plan: Plan): Scene {
  return { instance: crossing, plan, failures: judge(crossing, plan).failures };
}

function present(name: string): string | null {
  try {
    return readFileSync(folder + name, 'utf8');
  } catch {
    return null;
  }
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of drawings()) writeFileSync(folder + name, text);
  }
  const stale = staleDrawings();
  if (stale.length > 0) process.stderr.write(`stale: ${stale.join(', ')}; run node tools/lake-drawings.ts\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
}
