import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isRunning } from '../../programs/testing/running.ts';
import { collected, listed } from '../contract/tasks.ts';
import { BadConfiguration, type Environment } from '../environment.ts';
import { InvalidReply, ProgramDied, ProgramRefused, ProgramSilent } from './faults.ts';
import { opened, request, task } from './testing/programs.ts';

/** The process that generated tasks. */
async function maker(environment: Environment): Promise<unknown> {
  const { tasks } = await collected(environment.generate(request(1)));
  return tasks[0]?.facts['pid'];
}

describe('tasks from a program', () => {
  it("are yielded as they are made, with the program's facts about them", async () => {
    const environment = await opened();
    const { tasks, shortages } = await collected(environment.generate(request(1000)));
    expect(tasks.map(({ instance }) => instance['number'])).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    expect(shortages).toEqual([]);
  });

  it('from before its death are yielded, followed by the error', async () => {
    const environment = await opened(`generate(r) {
      say({ request: r.request, task: task(0) });
      print('{"request": 2, "ta');
      console.error('out of memory');
      process.exit(9);
    }`);
    const tasks = environment.generate(request(5));
    expect((await tasks.next()).value).toMatchObject({ id: 't0' });
    const died = await tasks.next().catch((error) => error);
    expect(died).toBeInstanceOf(ProgramDied);
    expect(died.message).toMatch(/exit code 9 while it was asked to generate; its last words: out of memory$/);
    expect((await tasks.next()).done).toBe(true);
  });

  it.each<[string, string, RegExp]>([
    ['fewer than asked for', 'say({ request: r.request, done: true })', /0 tasks instead of 2, without an explanation/],
    [
      'more than asked for',
      'for (let i = 0; i < 3; i++) say({ request: r.request, task: task(i) })',
      /more than the 2 tasks asked for$/,
    ],
    [
      'an unknown family',
      `say({ request: r.request, task: { ...task(0), family: 'dice' } })`,
      /a task of the unknown family "dice"$/,
    ],
    [
      'an invalid fact',
      `say({ request: r.request, task: { ...task(0), facts: { side: 'heads' } } })`,
      /task.facts.side: found "heads" \(a string\), allowed: a number or true or false$/,
    ],
    [
      'missing tasks whose shortages do not add up',
      `say({ request: r.request, done: true, shortages: [{ cell: { family: 'coin' }, asked: 2, achieved: 1, says: 'rare' }] })`,
      /0 tasks instead of 2, with shortages of 1 in total$/,
    ],
    [
      'a shortage that lacks nothing',
      `say({ request: r.request, done: true, shortages: [{ cell: { family: 'coin' }, asked: 2, achieved: 2, says: 'rare' }] })`,
      /a shortage of coin with 2 of 2, which is not a shortage$/,
    ],
  ])('fail for %s, and the program is killed', async (_, says, what) => {
    const environment = await opened(`generate(r) { ${says}; }`);
    const nonsense = await collected(environment.generate(request(2))).catch((error) => error);
    expect(nonsense).toBeInstanceOf(InvalidReply);
    expect(nonsense.message).toMatch(what);
    expect(nonsense.facts['said']).toContain('request');
  });

  it('may be fewer if a shortage explains it', async () => {
    const shortages = [{ cell: { family: 'coin', conditions: { side: 1 } }, asked: 7, achieved: 3, says: 'rare' }];
    const environment = await opened(`generate(r) {
      say({ request: r.request, task: task(0) });
      say({ request: r.request, done: true, shortages: ${JSON.stringify(shortages)} });
    }`);
    expect((await collected(environment.generate(request(5)))).shortages).toEqual(shortages);
  });

  it('may be refused; the program stays alive', async () => {
    const environment = await opened(`generate(r) {
      if (r.count === 2) say({ request: r.request, error: { message: 'no coins' } });
      else for (const line of [{ task: task(0) }, { done: true }]) say({ request: r.request, ...line });
    }`);
    const before = await maker(environment);
    const refused = await environment
      .generate(request(2))
      .next()
      .catch((error) => error);
    expect(refused).toBeInstanceOf(ProgramRefused);
    expect(refused.message).toMatch(/refused to generate: no coins$/);
    expect(await maker(environment)).toBe(before);
  });

  it('may be refused for a configuration that only the program knows to be invalid', async () => {
    const issues = [{ field: 'side', found: 'heads', allowed: 'tails, today' }];
    const error = JSON.stringify({ message: 'no', issues });
    const environment = await opened(`generate(r) { say({ request: r.request, error: ${error} }); }`);
    const bad = await environment
      .generate(request(2))
      .next()
      .catch((error) => error);
    expect(bad).toBeInstanceOf(BadConfiguration);
    expect(bad.issues).toEqual(issues);
  });
});

describe('a program', () => {
  it('that hangs is killed, with everything it started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-command-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'pids');
    const environment = await opened(
      `describe(r) {
        const { spawn } = require('node:child_process');
        const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
        require('node:fs').writeFileSync(process.env.PIDS, process.pid + ' ' + child.pid);
        say({ request: r.request, ...description });
      },
      generate(r) { while (true); }`,
      { variables: { PIDS: file }, limits: { replyMs: 100 } },
    );
    const pids = readFileSync(file, 'utf8').split(' ').map(Number);
    expect(pids.map(isRunning)).toEqual([true, true]);
    const silent = await environment
      .generate(request(5))
      .next()
      .catch((error) => error);
    expect(silent).toBeInstanceOf(ProgramSilent);
    expect(silent.message).toMatch(/said nothing for 0.1 s while it was asked to generate, and was stopped$/);
    expect(silent.remedy).toBe(
      'A stream of replies must end with a line that has "done": true, and the program must flush its output after every line. It must print at least one line in that time.',
    );
    await environment.close();
    await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]));
  });

  it('that closes its input but keeps running is killed', async () => {
    const environment = await opened(`describe(r) {
      require('node:fs').closeSync(0);
      say({ request: r.request, ...description });
      setInterval(() => {}, 1000);
    }`);
    const fault = await environment
      .generate(request(1))
      .next()
      .catch((error) => error);
    expect(fault.message).toMatch(/closed its standard input while it was asked to generate$/);
  });

  it('that describes itself differently after a restart is killed', async () => {
    const environment = await opened(`describe(r) {
      say({ request: r.request, ...description, descriptor: { ...description.descriptor, meaning: String(process.pid) } });
    }, generate(r) { process.exit(1); }`);
    await expect(environment.generate(request(1)).next()).rejects.toThrow(ProgramDied);
    const fault = await environment
      .generate(request(1))
      .next()
      .catch((error) => error);
    expect(fault.message).toMatch(/a different description than at its first start/);
  });

  it('that has died is restarted for the next request', async () => {
    const environment = await opened(`generate(r) {
      if (r.count === 2) process.exit(1);
      for (const line of [{ task: task(0) }, { done: true }]) say({ request: r.request, ...line });
    }`);
    const before = await maker(environment);
    await expect(environment.generate(request(2)).next()).rejects.toThrow(ProgramDied);
    expect(await maker(environment)).not.toBe(before);
  });

  it('that sends an unexpected reply fails with the next request', async () => {
    const environment = await opened(`generate(r) {
      for (const line of [{ task: task(0) }, { done: true }, { done: true }]) say({ request: r.request, ...line });
    }`);
    await collected(environment.generate(request(1)));
    const next = await listed(environment.judge([{ task, answer: 1 }])).catch((error) => error);
    const said = next instanceof Error ? next.message : JSON.stringify(next);
    expect(said).toMatch(/a reply to request 2, which is over|"success":true/);
  });

  it('serves streams one at a time', async () => {
    const environment = await opened();
    const pid = await maker(environment);
    const verdicts = await listed(environment.judge([{ task, answer: 1 }]));
    expect(verdicts).toMatchObject([{ metrics: { pid } }]);
    expect(await maker(environment)).toBe(pid);
  });

  it('with a slow reader waits, while another one judges', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-command-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'made');
    const filling = 'x'.repeat(1000);
    const environment = await opened(
      `generate(r) {
        const fs = require('node:fs');
        const log = fs.openSync(process.env.MADE, 'w');
        for (let i = 0; i < r.count; i++) {
          say({ request: r.request, task: { ...task(i), instance: { i, filling: '${filling}' } } });
          if (i % 100 === 0) fs.writeSync(log, String(i).padStart(9), 0);
        }
        say({ request: r.request, done: true });
      }`,
      { variables: { MADE: file } },
    );
    let read = 0;
    for await (const made of environment.generate(request(20_000))) {
      read += 1;
      if (read % 1000 === 1) {
        expect(await listed(environment.judge(Array(200).fill({ task: made, answer: 1 })))).toHaveLength(200);
        expect(Number(readFileSync(file, 'utf8')) - read).toBeLessThan(1500);
      }
    }
    expect(read).toBe(20_000);
  });

  it('is killed and restarted if the reader stops', async () => {
    const environment = await opened(
      'generate(r) { for (let i = 0; ; i++) say({ request: r.request, task: task(i) }); }',
    );
    const pids: number[] = [];
    for (let time = 0; time < 2; time++) {
      for await (const { facts } of environment.generate(request(1e9))) {
        pids.push(facts['pid'] as number);
        break;
      }
    }
    expect(new Set(pids).size).toBe(2);
    expect(pids.map(isRunning)).toEqual([false, false]);
  });
});
