import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from '../ascii.ts';
import { judge } from '../judge.ts';
import type { Plan } from '../plan.ts';
import { frameLines, lakeLines, trailLines } from './terminal.ts';
import type { Page } from './terminal-canvas.ts';
import { scenes } from './testing/scenes.ts';
import { goalLetterOf, letterOf, type Scene } from './walk.ts';

const page: Page = { colour: false, width: 80 };
const drawings = [lakeLines, trailLines, frameLines];

const lake = fromAscii(`
a. .. .. .B
.. ## .. ..
.. .. .. ##
b. .. .. .A`);

describe('a lake in a terminal', () => {
  it('shows holes, starts and goals between numbered rows and columns', () => {
    expect(uncolouredLines(lakeLines({ instance: lake }, page))).toEqual([
      '    0 1 2 3',
      '  ╭─────────╮',
      '0 │ a ∙ ∙ B │',
      '1 │ ∙ ░░∙ ∙ │',
      '2 │ ∙ ∙ ∙ ░░│',
      '3 │ b ∙ ∙ A │',
      '  ╰─────────╯',
      'a-b agents, A-B their goals, ░░ a hole',
    ]);
  });

  it('shows a goal after the agent that starts on it', () => {
    const board = uncolouredLines(lakeLines({ instance: fromAscii('aA .. ..\nbC .B ..\nc. .. ..') }, page));
    expect(board.slice(2, 5)).toEqual(['0 │ aA∙ ∙ │', '1 │ bCB ∙ │', '2 │ c ∙ ∙ │']);
  });

  it('shows every letter', () => {
    fc.assert(
      fc.property(scenes({ largest: 12 }), ({ instance }) => {
        const board = lakeLines({ instance }, page).slice(0, -1).join('');
        for (const agent of instance.agents.keys()) {
          expect(board).toContain(letterOf(agent));
          expect(board).toContain(goalLetterOf(agent));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('trails in a terminal', () => {
  it('run side by side, with an arrow per step, a number for waits, and broken lines after a cross', () => {
    expect(uncolouredLines(trailLines(judged(['WRRDDDR', 'RRUUUR']), page))).toEqual([
      '     0   1   2   3',
      '  ╭──────────▾──────╮',
      '0 │ a1─▸a──▸╮       │',
      '  │         ▾ ╭╌╌▸B │',
      '1 ▸  ∙  ░░░ ╳ ▴  ∙  ◂',
      '  │     ░░░ ▾ ╳     │',
      '2 │  ∙   ∙  ╎ ▴ ░░░ │',
      '  │         ▾ b ░░░ │',
      '3 │         ╰╌▴▸A   │',
      '  │   b──▸b──▸╯     │',
      '  ╰──────────▴──────╯',
      'a  WRR[D]DDR  at A from step 7 on, after 1 wait',
      'b  RRU[U]UR   at B from step 6 on',
      '╳  step 4: vertex-conflict a, b at row 1, column 2',
    ]);
  });

  it('show bumps into the edge, and paths walked in both directions', () => {
    expect(uncolouredLines(trailLines(judged(['RLRRRUL'], fromAscii('a. .. ..\n.. .. ..\n.. .. .A')), page))).toEqual([
      '     0   1   2',
      '  ╭─────────╳▾──╮',
      '0 ▸ a◂─▸a◂─▸╳──▸╳',
      '  │             │',
      '1 │  ∙   ∙   ∙  │',
      '  │             │',
      '2 │  ∙   ∙  A   │',
      '  │             │',
      '  ╰──────────▴──╯',
      'a  RLRR[R]UL  does not reach A',
      '╳  step 5: off-grid a at row 0, column 2',
      '╳  step 6: off-grid a at row 0, column 2',
      '╳  step 7: goal-missed a at row 0, column 1',
    ]);
  });

  it('show the cost of a valid plan', () => {
    expect(uncolouredLines(trailLines(judged(['DDDRRR', 'RRUUUR']), page)).at(-1)).toBe('valid at cost 12');
  });

  it('show every goal, and every agent that never moves', () => {
    fc.assert(
      fc.property(scenes({ largest: 8, agents: 5 }), ({ instance }) => {
        const board = trailLines({ instance }, page).join('');
        for (const agent of instance.agents.keys()) {
          expect(board).toContain(letterOf(agent));
          expect(board).toContain(goalLetterOf(agent));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('a plan step by step in a terminal', () => {
  it('ends with a marked picture of the first step that failed', () => {
    expect(uncolouredLines(frameLines(judged(['RRDDDR', 'RRUUUR']), { colour: false, width: 60 }))).toEqual([
      ' start       step 1      step 2      step 3      step 4 ╳',
      '╭─────────╮ ╭─────────╮ ╭─────────╮ ╭─────────╮ ╔═════▾═══╗',
      '│ a ∙ ∙ B │ │ ▸ a ∙ B │ │ ∙ ▸ a B │ │ ∙ ∙ ▾ B │ ║ ∙ ∙ ∙ B ║',
      '│ ∙ ░░∙ ∙ │ │ ∙ ░░∙ ∙ │ │ ∙ ░░∙ ∙ │ │ ∙ ░░a ∙ │ ▸ ∙ ░░b ∙ ◂',
      '│ ∙ ∙ ∙ ░░│ │ ∙ ∙ ∙ ░░│ │ ∙ ∙ ∙ ░░│ │ ∙ ∙ b ░░│ ▸ ∙ ∙ a ░░◂',
      '│ b ∙ ∙ A │ │ ▸ b ∙ A │ │ ∙ ▸ b A │ │ ∙ ∙ ▴ A │ ║ ∙ ∙ ∙ A ║',
      '╰─────────╯ ╰─────────╯ ╰─────────╯ ╰─────────╯ ╚═════▴═══╝',
      '╳  step 4: swap-conflict a, b at row 2, column 2',
      'a-b agents, A-B their goals, ░░ a hole',
    ]);
  });

  it('continues to the end without a failure, in several rows', () => {
    const lines = uncolouredLines(frameLines(judged(['DDDRRR', 'RRUUUR']), { colour: false, width: 40 }));
    expect(lines.filter((line) => /start|step/.test(line))).toEqual([
      ' start       step 1      step 2',
      ' step 3      step 4      step 5',
      ' step 6',
    ]);
  });

  it('shows two agents on a cell side by side, and the number of more', () => {
    const three = fromAscii('a. .A ..\n.. .B b.\n.. c. .C');
    const frame = (plan: Plan): string[] => uncolouredLines(frameLines(judged(plan, three), page)).slice(2, 5);
    expect(frame(['RD', 'L'])[1]).toContain('▸ ∙ ab∙ ◂');
    expect(frame(['RD', 'WL', 'WU'])[1]).toContain('▸ ∙ a3◂ ◂');
  });
});

describe('any drawing in a terminal', () => {
  const anything = scenes();

  it('has lines of equal width, of characters that are one column wide', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(...drawings), fc.integer({ min: 1, max: 130 }), (scene, draw, width) => {
        const lines = draw(scene, { colour: false, width });
        expect(lines.join('')).toMatch(/^[\x20-\x7e─-╿∙░▸◂▴▾]*$/);
        expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
      }),
      { numRuns: 150 },
    );
  });

  it('stays within the width if a row fits', () => {
    fc.assert(
      fc.property(
        scenes({ largest: 10 }),
        fc.constantFrom(...drawings),
        fc.integer({ min: 26, max: 130 }),
        (...drawn) => {
          const [scene, draw, width] = drawn;
          for (const line of draw(scene, { colour: false, width })) expect(line.length).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is deterministic, and colour changes only colours', () => {
    fc.assert(
      fc.property(scenes({ largest: 10 }), fc.constantFrom(lakeLines, frameLines), (scene, draw) => {
        expect(draw(scene, page)).toEqual(draw(scene, page));
        expect(draw(scene, { ...page, colour: true }).map(uncoloured)).toEqual(draw(scene, page));
      }),
      { numRuns: 50 },
    );
  });

  it('draws no letters on coloured trails', () => {
    const scene = judged(['DDDRRR', 'RRUUUR']);
    const coloured = trailLines(scene, { ...page, colour: true }).map(uncoloured);
    expect(coloured).not.toEqual(trailLines(scene, page));
    expect(coloured.map(({ length }) => length)).toEqual(trailLines(scene, page).map(({ length }) => length));
  });

  it('never prints invalid moves', () => {
    const scene: Scene = { instance: lake, plan: ['R\u001b[2J', '氷'] };
    for (const draw of drawings) expect(draw(scene, page).join('')).toMatch(/^[^\p{Cc}氷]*$/u);
  });
});

function judged(plan: Plan, instance = lake): Scene {
  return { instance, plan, failures: judge(instance, plan).failures };
}

function uncolouredLines(lines: readonly string[]): string[] {
  return lines.map((line) => line.trimEnd());
}

function uncoloured(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours
  return line.replace(/\u001b\[[\d;]*m/g, '');
}
