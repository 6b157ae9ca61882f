import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { icecore, inFolder, json, lines, ownColour, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../src/cli/testing/published.ts';
import { asciiOf } from '../lake/ascii.ts';
import { digestOf } from '../lake/instance.ts';
import { corridor, crossing, endless, line } from './testing/lines.ts';

function showLakes(stdin: string, ...options: string[]) {
  return icecore(['lake', 'show', ...options], { cwd: temporaryFolder(), stdin });
}

/** Letters, as a person might type them. */
const typed = `${asciiOf(crossing)}\n`;

describe('icecore lake show', () => {
  it('draws a lake, given as a line or in letters', async () => {
    const ran = await showLakes(line(crossing));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(lines(ran.stdout)[0]).toBe('3 x 3, no holes, 2 agents');
    expect(ran.stdout).toContain('0 │ a B ∙ │');
    expect(await showLakes(typed)).toEqual(ran);
  });

  it('draws every lake of the input with its name, in any form', async () => {
    const ran = await showLakes(`\n${typed}\n\n${typed}${line({ ...crossing, id: 'named' })}\n${typed}`);
    expect(ran.stdout.match(/^.*3 x 3, no holes, 2 agents$/gm)).toEqual([
      '3 x 3, no holes, 2 agents',
      '3 x 3, no holes, 2 agents',
      'named  3 x 3, no holes, 2 agents',
      '3 x 3, no holes, 2 agents',
    ]);
  });

  it('draws the plan in the line, judged', async () => {
    const valid = await showLakes(line(crossing, { plan: ['RRDD', 'UU'] }));
    expect(valid.stdout).toContain('valid at cost 6');
    const failed = await showLakes(line(crossing, { plan: ['RRDD', 'UUU'] }));
    expect(failed.stdout).toContain('step 3: off-grid b at row 0, column 1');
    expect((await showLakes(line(crossing, { plan: ['RRDD'], truncated: true }))).stdout).toContain('truncated');
    expect((await showLakes(line(crossing, { plan: null }))).stdout).toBe((await showLakes(line(crossing))).stdout);
  });

  it('explains moves and brackets below a plan, and nothing below a lake alone', async () => {
    const legend = /^a: an agent, .* W wait; \[ \]: the move that fails\.\n$/;
    const { stdout, stderr } = await showLakes(line(crossing, { plan: ['RRDD', 'UUU'] }));
    expect(stdout).toContain('UU[U]');
    expect(stderr).toMatch(legend);
    expect((await showLakes(line(crossing))).stderr).toBe('');
  });

  it('draws a recorded rollout', async () => {
    const { id: _, ...inline } = JSON.parse(line(crossing)) as Record<string, unknown>;
    const event = { type: 'RolloutRecorded', data: { task: { id: 'probe-1', inline }, answer: ['RRDD', 'UUU'] } };
    const { stdout } = await showLakes(`${JSON.stringify(event)}\n`);
    expect(stdout).toContain('probe-1  3 x 3');
    expect(stdout).toContain('step 3: off-grid b at row 0, column 1');
  });

  it('draws the lake for an invalid plan, and says why', async () => {
    const { stdout } = await showLakes(line(crossing, { plan: ['RX'] }));
    expect(stdout).toContain('no plan: plan[0], step 2: found "X", allowed: U, D, L, R, W\n');
  });

  it('draws the plan of --plan', async () => {
    const { stdout } = await showLakes(typed, '--plan', 'rrdd, uu');
    expect(stdout).toContain('valid at cost 6');
    expect(await showLakes(line(crossing, { plan: ['U'] }), '--plan', 'RRDD,UU')).toMatchObject({ stdout });
  });

  it('draws an optimal plan, or says that there is none', async () => {
    expect((await showLakes(typed, '--solve')).stdout).toContain('valid at cost 6\nno plan is cheaper\n');
    expect((await showLakes(line(corridor), '--solve')).stdout).toContain('no plan: a, b cannot all arrive\n');
  });

  it('draws step by step with --frames', async () => {
    const { stdout } = await showLakes(typed, '--solve', '--frames');
    expect(stdout).toMatch(/^ +start +step 1 +step 2/m);
  });

  it('prints letters with --ascii, which it can read again', async () => {
    const { stdout } = await showLakes(`${line(crossing)}${line(corridor)}`, '--ascii');
    expect(stdout).toBe(`${typed}\n${asciiOf(corridor)}\n`);
    expect((await showLakes(stdout, '--ascii')).stdout).toBe(stdout);
  });

  it('uses colours on a terminal only, and no more columns than that has', async () => {
    const cwd = temporaryFolder();
    const stdin = line(endless);
    const coloured = await icecore(['lake', 'show'], { cwd, stdin: line(crossing), terminal: 80 });
    expect(coloured.stdout).toMatch(ownColour);
    expect((await showLakes(line(crossing))).stdout).not.toMatch(ownColour);
    const plain = await icecore(['lake', 'show'], { cwd, stdin, terminal: 80, env: { NO_COLOR: '1' } });
    expect(plain.stdout).not.toMatch(ownColour);
    expect(Math.max(...lines(plain.stdout).map((text) => text.length))).toBeLessThanOrEqual(80);
  });

  it('follows its schema with --json', async () => {
    const ran = await showLakes(`${line({ ...crossing, id: 'x' })}${line(crossing, { plan: ['D', 'U'] })}`, '--json');
    const results = lines(ran.stdout).map((text) => JSON.parse(text) as Record<string, unknown>);
    for (const result of results) expect(faultsAgainst('lake-show', result)).toEqual([]);
    expect(results).toMatchObject([
      { id: 'x', digest: digestOf(crossing), plan: null, outcome: null, svg: null },
      { id: null, plan: ['D', 'U'], outcome: 'goal-missed', drawing: expect.stringContaining('goal-missed') },
    ]);
  });
});

describe('--output', () => {
  it('writes the drawing of one lake, whole or step by step', async () => {
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

  it('writes the plan in motion with --animate, which needs a plan and a file', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'lake.txt'), typed);
    const run = inFolder(cwd);
    const written = ['lake', 'show', 'lake.txt', '--animate', '--output', 'lake.svg'];
    expect(await run(...written, '--solve')).toMatchObject({ code: 0, stderr: 'wrote lake.svg\n' });
    expect(readFileSync(join(cwd, 'lake.svg'), 'utf8')).toContain('@keyframes');
    expect(await run(...written)).toMatchObject({ code: 2, stderr: expect.stringContaining('found no plan') });
    expect(await run('lake', 'show', 'lake.txt', '--animate')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--animate --output lake.svg'),
    });
  });

  it('is for one lake, and never overwrites the input', async () => {
    const cwd = temporaryFolder();
    const file = join(cwd, 'lakes.ndjson');
    writeFileSync(file, line(crossing) + line(corridor));
    const run = inFolder(cwd);
    expect(await run('lake', 'show', 'lakes.ndjson', '--output', 'two.svg')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output is for one lake, and another one starts in line 2'),
    });
    expect(existsSync(join(cwd, 'two.svg'))).toBe(false);
    expect(await run('lake', 'show', 'lakes.ndjson', '--output', './lakes.ndjson')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output names the input itself'),
    });
    expect(readFileSync(file, 'utf8')).toBe(line(crossing) + line(corridor));
  });
});

describe('an input without lakes', () => {
  it.each<[string, string, string]>([
    ['a line that is not an instance', '\n{"size": 3}', 'line 2: holes: found nothing, allowed: a list of cells'],
    ['a line that is not JSON', '{"size": }', 'line 1: column 10: found "}" (invalid JSON)'],
    ['letters that mean nothing', '\n\na. .A\n.. ?.\n', 'line 4, column 4: found "?", allowed: '],
    ['other text', 'nonsense', 'line 1, column 2: found "o", allowed: '],
    ['the output of solve', '{"id":null,"digest":"","solvable":true}', 'draw the instances it was given, with --solve'],
    ['the output of judge', '{"id":null,"outcome":"valid"}', 'draw the lines that were judged'],
  ])('is refused with the position: %s', async (_, input, said) => {
    const ran = await showLakes(input);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
  });

  it('is reported if it is empty', async () => {
    expect(await showLakes('\n')).toEqual({ code: 0, stdout: '', stderr: 'there are no lakes in the input\n' });
  });
});

describe('conflicting options', () => {
  it.each([
    [['--plan', 'U', '--solve'], '--plan and --solve'],
    [['--ascii', '--frames'], '--ascii and --frames'],
    [['--ascii', '--output', 'x.svg'], '--ascii and --output'],
  ])('%j', async (options, said) => {
    expect(await showLakes(typed, ...options)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
  });

  it('--plan is for one lake', async () => {
    const ran = await showLakes(line(crossing) + line(crossing), '--plan', 'U,D');
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--plan is for one lake') });
  });
});
