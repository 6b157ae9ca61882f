// icecore as a process of its own: pipes, signals, exit codes, memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { evidenceStream, ndjson, rollouts } from './testing/events.ts';
import { bin, collected, fed, json, lines, shell, temporaryFolder } from './testing/harness.ts';

function start(argv: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): ReturnType<typeof spawn> {
  return spawn(process.execPath, [bin, ...argv], {
    ...{ cwd, env: { ...process.env, ...env } },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function folderWith(events: number): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'events.ndjson'), ndjson(rollouts(events)));
  return cwd;
}

describe('exit codes', () => {
  it('are 0 for success, 1 for failure and 2 for a usage error', async () => {
    const cwd = folderWith(3);
    expect(await shell('icecore event append events.ndjson', cwd)).toMatchObject({ code: 0 });
    expect(await shell('echo nonsense | icecore event append', cwd)).toMatchObject({ code: 1, stdout: '' });
    expect(await shell('icecore appendd events.ndjson', cwd)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a pipe', () => {
  it('closed by its reader ends the command quietly', async () => {
    const cwd = folderWith(3000);
    await shell('icecore event append events.ndjson', cwd);
    const ran = await shell('set -o pipefail; icecore event tail -n 3000 --json | head -n 2', cwd);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(lines(ran.stdout)).toHaveLength(2);
    expect(await shell('set -o pipefail; icecore --help | true', cwd)).toMatchObject({ code: 0, stderr: '' });
  });

  it('closed on standard error does not stop the command', async () => {
    const cwd = folderWith(3);
    const ran = await shell('icecore event append events.ndjson 2> >(true)', cwd);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^appended 3 events/) });
  });

  it('copies one ledger to another', async () => {
    const cwd = folderWith(2500);
    await shell('icecore event append events.ndjson', cwd);
    const copied = 'icecore event tail -n 2500 --json | icecore event append --ledger sqlite:copy.db --json';
    expect(JSON.parse((await shell(copied, cwd)).stdout)).toMatchObject({ appended: 2500, rejected: 0 });
  });

  it('is appended while it is still open', async () => {
    const cwd = temporaryFolder();
    const child = start(['event', 'append'], cwd);
    const ended = collected(child);
    child.stdin?.write(ndjson(rollouts(3)));
    await eventsIn(cwd, 3);
    child.stdin?.end(ndjson(rollouts(2, 3)));
    expect((await ended).stdout).toMatch(/^appended 5 events/);
  });

  it('that stays open is abandoned after a bad line', async () => {
    const child = start(['event', 'append'], temporaryFolder());
    const ended = collected(child);
    child.stdin?.write('nonsense\n');
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('found "nonsense"') });
  });

  it('that never ends is abandoned after a bad line', async () => {
    const ran = await shell('(echo nonsense; exec yes) | icecore event append', temporaryFolder());
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1: column 1: found "nonsense"') });
  });
});

describe('Ctrl-C', () => {
  it('during an append keeps the appended events and prints how to continue', async () => {
    const cwd = temporaryFolder();
    const child = start(['event', 'append', '--json'], cwd);
    const ended = collected(child);
    child.stdin?.write(ndjson(rollouts(5000)));
    await eventsIn(cwd, 1000);
    child.kill('SIGINT');
    const ran = await ended;
    expect(ran.code).toBe(130);
    const { error } = JSON.parse(ran.stdout) as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      kind: 'interrupted',
      message: expect.stringMatching(/^stopped by SIGINT; [\d,]+ events/),
    });
    expect(ran.stderr).toContain('Run the same command again to continue: events are not appended twice.');
  });

  it('ends event tail -f, which prints how to continue', async () => {
    const cwd = folderWith(5);
    await shell('icecore event append events.ndjson', cwd);
    const child = start(['event', 'tail', '-f'], cwd);
    const ended = collected(child);
    if (child.stdout !== null) await once(child.stdout, 'data');
    child.kill('SIGINT');
    const ran = await ended;
    expect(ran.code).toBe(130);
    expect(lines(ran.stdout)).toHaveLength(5);
    expect(ran.stderr).toMatch(/^stopped; to continue: \S.* tail -f --after \S+\n$/);
  });

  it('stops settings code that never ends, even with a timer', async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, 'icecore.config.mjs'),
      "console.error('begun'); setInterval(() => {}, 1000); await new Promise(() => {}); export default {};",
    );
    const child = start(['event', 'append', 'none.ndjson'], cwd, { ICECORE_TRUST: '*' });
    const ended = collected(child);
    if (child.stderr !== null) await once(child.stderr, 'data');
    const begun = performance.now();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('stopped by SIGINT') });
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('has a counterpart in SIGTERM, which exits with 143', async () => {
    const cwd = folderWith(5);
    await shell('icecore event append events.ndjson', cwd);
    const child = start(['event', 'tail', '-f'], cwd);
    const ended = collected(child);
    if (child.stdout !== null) await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });
});

/** Waits until the ledger has this number of events. */
async function eventsIn(cwd: string, count: number): Promise<void> {
  const follower = start(['event', 'tail', '-f', '-n', String(count), '--json'], cwd);
  follower.stderr?.resume();
  let seen = 0;
  for await (const chunk of follower.stdout ?? []) {
    seen += String(chunk).split('\n').length - 1;
    if (seen >= count) break;
  }
  if (seen >= count) {
    follower.kill('SIGKILL');
    return;
  }
  // There was no ledger yet.
  await eventsIn(cwd, count);
}

function* longRollouts(count: number): Generator<string> {
  const completion = { text: 'the agent waits for the other to pass '.repeat(60) };
  for (let from = 0; from < count; from += 1000)
    yield ndjson(rollouts(1000, from).map((event) => ({ ...event, data: { ...(event.data as object), completion } })));
}

describe('memory', () => {
  it('does not grow with the input', { timeout: 240_000 }, async () => {
    const cwd = temporaryFolder();
    // Linux counts the memory of the process that started this one in maxRSS, but not in VmHWM.
    const measuring = `const fs = require('node:fs');
      process.on('exit', () => {
        const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
        const peak = /^VmHWM:\\s+(\\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
        fs.writeFileSync('peak', String(peak));
      });`;
    writeFileSync(join(cwd, 'measure.cjs'), measuring);
    const child = spawn(process.execPath, ['--require', './measure.cjs', bin, 'event', 'append', '--json'], { cwd });
    const ran = await fed(child, longRollouts(130_000));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(json(ran)).toMatchObject({ appended: 130_000 });
    const peakMegabytes = Number(readFileSync(join(cwd, 'peak'), 'utf8')) / 1024;
    expect(peakMegabytes).toBeLessThan(360);
  });
});

describe('the startup', () => {
  /** The files that it loads. */
  async function loadedBy(typed: string, program: string = bin): Promise<readonly string[]> {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, 'watch.mjs'),
      `import { registerHooks } from 'node:module';
       registerHooks({ load: (url, context, next) => { process._rawDebug('loaded ' + url); return next(url, context); } });`,
    );
    const { stderr } = await shell(`"${process.execPath}" --import ./watch.mjs "${program}" ${typed}`, cwd);
    return lines(stderr).filter((line) => line.startsWith('loaded file:'));
  }

  it('of help loads no parser, schema or store', async () => {
    const loaded = await loadedBy('--help');
    expect(loaded.length).toBeLessThan(12);
    expect(
      loaded.filter((line) => /node_modules|\/schemas\/|\/ledger\/(?!shell-word)|\/cli\/commands\//.test(line)),
    ).toEqual([]);
  });

  it('of help all loads no package but zod', async () => {
    expect((await loadedBy('help all')).filter((line) => /node_modules\/(?!zod\/)/.test(line))).toEqual([]);
  });

  it('of the tools for plugin threads loads no package', async () => {
    const tools = fileURLToPath(new URL('../library/plugins/tools.ts', import.meta.url));
    const loaded = await loadedBy('', tools);
    expect(loaded.length).toBeLessThan(50);
    expect(loaded.filter((line) => line.includes('node_modules'))).toEqual([]);
  });

  it.each(['help all', 'lake --help', 'lake show --help', '__complete -- lake show --so', 'list engineers'])(
    'of %s loads only the declarations of the lake',
    async (typed) => {
      const loaded = (await loadedBy(typed)).filter((line) => line.includes('/testbed/'));
      expect(loaded.length).toBeGreaterThan(0);
      const declaring = /\/testbed\/(plugin|commands\/(commands|options)|grpo\/settings|dungeon\/entries)\.[jt]s$/;
      expect(loaded.filter((line) => !declaring.test(line))).toEqual([]);
    },
  );
});

describe('the ledger file', () => {
  it('is refused as input, even as standard input', async () => {
    const cwd = folderWith(3);
    await shell('icecore event append events.ndjson', cwd);
    const ran = await shell('icecore event append < .icecore/ledger.db', cwd);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input is the ledger itself') });
    expect((await shell(`icecore event tail --stream ${evidenceStream}`, cwd)).code).toBe(0);
  });
});
