// A task of the lake as a drawing: for terminals and models in letters, for pages as SVG.
import type { Drawing, Task } from '../../environments/environment.ts';
import { judge } from '../judge.ts';
import { planOf, Unreadable } from '../plan-reading.ts';
import { lakeOf } from '../tasks.ts';
import type { Scene } from './scene.ts';
import { lakeSvg } from './svg.ts';
import { lakeLines, trailLines } from './terminal.ts';

const page = { colour: false, width: 100 };

/** With an answer, what it does on the lake, or why it is no plan; without one, the lake alone. */
export function drawingOf(task: Task, answer: unknown): Drawing {
  const instance = lakeOf(task);
  const plan = answer === undefined ? null : planOf(answer, instance);
  if (plan === null) return drawing({ instance }, lakeLines({ instance }, page));
  if (plan instanceof Unreadable) {
    return drawing({ instance }, [...lakeLines({ instance }, page), `The answer is no plan: ${plan.words}.`]);
  }
  const scene = { instance, plan, failures: judge(instance, answer).failures };
  return drawing(scene, trailLines(scene, page));
}

function drawing(scene: Scene, lines: readonly string[]): Drawing {
  return { text: lines.map((line) => line.trimEnd()).join('\n'), svg: lakeSvg(scene) };
}
