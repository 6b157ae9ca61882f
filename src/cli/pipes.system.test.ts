// Pipes in place of files that a command reads.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ndjson, rollouts } from './testing/events.ts';
import { bin, collected, json, shell, temporaryFolder } from './testing/harness.ts';

/** Ends when a reader has opened the pipe. The writer writes nothing until the test ends. */
async function silentWriter(path: string): Promise<void> {
  const writer = spawn('sh', ['-c', 'exec 3> "$0"; echo open; read -r _', path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void writer.kill('SIGKILL'));
  await once(writer.stdout, 'data');
}

describe.skipIf(process.platform === 'win32')('a command that waits for a pipe', () => {
  it.each([
    ['SIGINT', 'run --file pipe'],
    ['SIGTERM', 'run --config pipe'],
    ['SIGINT', 'stage start mine --file pipe'],
    ['SIGTERM', 'adopt pipe'],
    ['SIGINT', 'import ndjson records.ndjson --map pipe'],
    ['SIGTERM', 'import bundle pipe'],
    ['SIGINT', 'event append pipe'],
    ['SIGTERM', 'sql --file pipe'],
    ['SIGINT', 'verify --head pipe'],
    ['SIGTERM', 'ledger head --sign pipe'],
    ['SIGINT', 'lake judge pipe'],
    ['SIGTERM', 'lake train --config pipe'],
  ] as const)('is ended by %s: %s', async (signal, line) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'records.ndjson'), '');
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const child = spawn(process.execPath, [bin, ...line.split(' ')], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = collected(child);
    await silentWriter(join(cwd, 'pipe'));
    child.kill(signal);
    expect(await ended).toMatchObject({
      code: signal === 'SIGINT' ? 130 : 143,
      stderr: expect.stringContaining(`stopped by ${signal}`),
    });
  });
});

describe.skipIf(process.platform === 'win32')('the output of a program in place of a file', () => {
  it('holds the settings of a run that is trained elsewhere', async () => {
    const settings = '{"stages": 2, "engineer": "rules", "perCell": 1, "validation": 10, "suites": []}';
    const ran = await shell(`icecore stage start mine --json --file <(echo '${settings}')`, temporaryFolder());
    expect(ran).toMatchObject({ code: 0 });
    expect(json(ran)).toMatchObject({ name: 'mine', stage: 1 });
  });

  it('holds events, and the query about them', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'events.ndjson'), ndjson(rollouts(3)));
    expect(await shell('icecore event append <(cat events.ndjson)', cwd)).toMatchObject({ code: 0 });
    const ran = await shell("icecore sql --file <(echo 'SELECT count(*) AS n FROM events') --format csv", cwd);
    expect(ran).toMatchObject({ code: 0, stdout: 'n\n3\n' });
  });
});
