import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { icecore, inFolder, json, lines, ownColour, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../src/cli/testing/published.ts';
import { asciiOf } from '../lake/ascii.ts';
import { digestOf } from '../lake/instance.ts';
import { corridor, crossing, endless, line } from './testing/lines.ts';

function shown(stdin: string, ...options: string[]) {
  return icecore(['lake', 'show', ...options], { cwd: temporaryFolder(), stdin });
}

/** Letters, as somebody might type them. */
const typed = `${asciiOf(crossing)}\n`;

describe('icecore lake show', () => {
  it('draws a lake, given as a line or in letters', async () => {
    const ran = await shown(line(crossing));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(lines(ran.stdout)[0]).toBe('3 x 3, no holes, 2 agents');
    expect(ran.stdout).toContain('0 │ a B ∙ │');
    expect(await shown(typed)).toEqual(ran);
  });

  it('draws every lake of the input, by its name, in whatever form', async () => {
    const ran = await shown(`\n${typed}\n\n${typed}${line({ ...crossing, id: 'named' })}\n${typed}`);
    expect(ran.stdout.match(/^.*3 x 3, no holes, 2 agents$/gm)).toEqual([
      '3 x 3, no holes, 2 agents',
      '3 x 3, no holes, 2 agents',
      'named  3 x 3, no holes, 2 agents',
      '3 x 3, no holes, 2 agents',
    ]);
  });

  it('draws the plan in the line, judged', async () => {
    const valid = await shown(line(crossing, { plan: ['RRDD', 'UU'] }));
    expect(valid.stdout).toContain('valid at cost 6');
    const failed = await shown(line(crossing, { plan: ['RRDD', 'UUU'] }));
    expect(failed.stdout).toContain('step 3: off-grid b at row 0, column 1');
    expect((await shown(line(crossing, { plan: ['RRDD'], truncated: true }))).stdout).toContain('truncated');
    expect((await shown(line(crossing, { plan: null }))).stdout).toBe((await shown(line(crossing))).stdout);
  });

  it('draws the lake where the plan is none, and says why', async () => {
    const { stdout } = await shown(line(crossing, { plan: ['RX'] }));
    expect(stdout).toContain('no plan: plan[0], step 2: found "X", allowed: U, D, L, R, W\n');
  });

  it('draws a plan that is typed', async () => {
    const { stdout } = await shown(typed, '--plan', 'rrdd, uu');
    expect(stdout).toContain('valid at cost 6');
    expect(await shown(line(crossing, { plan: ['U'] }), '--plan', 'RRDD,UU')).toMatchObject({ stdout });
  });

  it('draws an optimal plan, or says that there is none', async () => {
    expect((await shown(typed, '--solve')).stdout).toContain('valid at cost 6\nno plan costs less\n');
    expect((await shown(line(corridor), '--solve')).stdout).toContain('no plan: a, b cannot all arrive\n');
  });

  it('draws step by step', async () => {
    const { stdout } = await shown(typed, '--solve', '--frames');
    expect(stdout).toMatch(/^ +start +step 1 +step 2/m);
  });

  it('prints letters that can be read again', async () => {
    const { stdout } = await shown(`${line(crossing)}${line(corridor)}`, '--ascii');
    expect(stdout).toBe(`${typed}\n${asciiOf(corridor)}\n`);
    expect((await shown(stdout, '--ascii')).stdout).toBe(stdout);
  });

  it('uses colours on a terminal only, and no more columns than that has', async () => {
    const cwd = temporaryFolder();
    const stdin = line(endless);
    const coloured = await icecore(['lake', 'show'], { cwd, stdin: line(crossing), terminal: 80 });
    expect(coloured.stdout).toMatch(ownColour);
    expect((await shown(line(crossing))).stdout).not.toMatch(ownColour);
    const plain = await icecore(['lake', 'show'], { cwd, stdin, terminal: 80, env: { NO_COLOR: '1' } });
    expect(plain.stdout).not.toMatch(ownColour);
    expect(Math.max(...lines(plain.stdout).map((text) => text.length))).toBeLessThanOrEqual(80);
  });

  it('is as published with --json', async () => {
    const ran = await shown(`${line({ ...crossing, id: 'x' })}${line(crossing, { plan: ['D', 'U'] })}`, '--json');
    const results = lines(ran.stdout).map((text) => JSON.parse(text) as Record<string, unknown>);
    for (const result of results) expect(faultsAgainst('lake-show', result)).toEqual([]);
    expect(results).toMatchObject([
      { id: 'x', digest: digestOf(crossing), plan: null, outcome: null, svg: null },
      { id: null, plan: ['D', 'U'], outcome: 'goal-missed', drawing: expect.stringContaining('goal-missed') },
    ]);
  });
});

describe('--output', () => {
  it('writes the drawing of one lake, as it is or step by step', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'lake.txt'), typed);
    const run = inFolder(cwd);
    const read = (): string => readFileSync(join(cwd, 'lake.svg'), 'utf8');
    expect(await run('lake', 'show', 'lake.txt', '--output', 'lake.svg')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'wrote lake.svg\n',
    });
    const still = read();
    expect(still.slice(0, 12)).toBe('<svg xmlns="');
    expect(still.slice(-7)).toBe('</svg>\n');
    expect(still.slice(0, -1)).not.toMatch(/\n$/);
    const ran = await run('lake', 'show', 'lake.txt', '--output', 'lake.svg', '--solve', '--frames', '--json');
    expect(json(ran)).toMatchObject({ svg: 'lake.svg', outcome: 'valid' });
    expect(read()).not.toBe(still);
  });

  it('is of one lake, and never written over the input', async () => {
    const cwd = temporaryFolder();
    const file = join(cwd, 'lakes.ndjson');
    writeFileSync(file, line(crossing) + line(corridor));
    const run = inFolder(cwd);
    expect(await run('lake', 'show', 'lakes.ndjson', '--output', 'two.svg')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output is for one lake, and another one begins in line 2'),
    });
    expect(existsSync(join(cwd, 'two.svg'))).toBe(false);
    expect(await run('lake', 'show', 'lakes.ndjson', '--output', './lakes.ndjson')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output names the input itself'),
    });
    expect(readFileSync(file, 'utf8')).toBe(line(crossing) + line(corridor));
  });
});

describe('what is no lake', () => {
  it.each<[string, string, string]>([
    ['a line that is no instance', '\n{"size": 3}', 'line 2: holes: found nothing, allowed: a list of cells'],
    ['a line that is no JSON', '{"size": }', 'line 1: column 10: found "}" (invalid JSON)'],
    ['letters that mean nothing', '\n\na. .A\n.. ?.\n', 'line 4, column 4: found "?", allowed: '],
    ['other text', 'nonsense', 'line 1, column 2: found "o", allowed: '],
    ['what solve answered', '{"id":null,"digest":"","solvable":true}', 'draw the instances it was given, with --solve'],
    ['what judge answered', '{"id":null,"outcome":"valid"}', 'draw the lines that were judged'],
  ])('is refused with the place: %s', async (_, input, said) => {
    const ran = await shown(input);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
  });

  it('is nothing at all: that is said', async () => {
    expect(await shown('\n')).toEqual({ code: 0, stdout: '', stderr: 'there are no lakes in the input\n' });
  });
});

describe('options that cannot be meant together', () => {
  it.each([
    [['--plan', 'U', '--solve'], '--plan and --solve'],
    [['--ascii', '--frames'], '--ascii and --frames'],
    [['--ascii', '--output', 'x.svg'], '--ascii and --output'],
  ])('%j', async (options, said) => {
    expect(await shown(typed, ...options)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
  });

  it('--plan is for one lake', async () => {
    const ran = await shown(line(crossing) + line(crossing), '--plan', 'U,D');
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--plan is for one lake') });
  });
});
