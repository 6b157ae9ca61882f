// What stands below a drawing in a terminal: what the signs mean, how every agent fared, what failed.
import type { Instance } from '../../instance.ts';
import { goalLetterOf, letterOf, type Scene } from '../scene.ts';
import type { Walk, Walks } from '../walk.ts';
import { failureWords, faringWords, praise } from '../words.ts';
import type { Canvas } from './canvas.ts';
import { alarming, faint, inksOf, plain } from './ink.ts';
import { said, signed } from './layout.ts';

export function legend({ agents, holes }: Instance, width: number): Canvas {
  const last = agents.length - 1;
  const who =
    last === 0 ? 'a the agent, A its goal' : `a-${letterOf(last)} agents, A-${goalLetterOf(last)} their goals`;
  return said(holes.includes(1) ? `${who}, ░░ a hole` : who, width, faint);
}

/** One line an agent; the move at which it failed first stands in brackets. Aligned where there is room for it. */
export function fares({ instance, plan, failures = [] }: Scene, walks: Walks, width: number): Canvas[] {
  if (plan === undefined) return [];
  const lines = walks.walks.map((walk) => {
    const failed = failures.find(({ step, agents }) => step > 0 && agents.includes(walk.agent));
    return { walk, moves: bracketed(walk, failed?.step), words: faringWords(walk, instance, walk.agent < plan.length) };
  });
  const [longest, most] = [
    Math.max(...lines.map(({ moves }) => moves.length)),
    Math.max(...lines.map(({ words }) => words.length)),
  ];
  const column = longest + most + 5 <= width ? longest : 0;
  return lines.map(({ walk: { agent }, moves, words }) =>
    signed(letterOf(agent), inksOf(agent).body, `${moves.padEnd(column)}  ${words}`.trimStart(), plain, width),
  );
}

function bracketed({ moves }: Walk, step: number | undefined): string {
  if (step === undefined || step > moves.length) return moves;
  return `${moves.slice(0, step - 1)}[${moves.charAt(step - 1)}]${moves.slice(step)}`;
}

/** That it is valid, or what failed. */
export function verdict(scene: Scene, walks: Walks, width: number): Canvas[] {
  const failed = failureWords(scene).map((words) => signed('╳', alarming, words, alarming, width));
  return [...failed, ...praise(scene, walks).map((words) => said(words, width, plain))];
}
