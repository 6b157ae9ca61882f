// A server on a full disk: it reports the error, keeps acknowledged events, and works again when there is space.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sentNote } from '../testing/events.ts';
import { bare, bin, inFolder, temporaryFolder } from '../testing/harness.ts';

/** Mounting a file system requires root and a system that allows it. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0 && isMountable();

function isMountable(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function smallDisk(): string {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'none', folder]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

/** Fills the disk up to this number of free bytes. */
function fill(folder: string, left: number): string {
  const path = join(folder, 'filler');
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  return path;
}

it.skipIf(!canMount)(
  'a server on a full disk keeps all acknowledged events, and accepts new ones when there is space',
  async () => {
    const cwd = smallDisk();
    const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--quiet'], {
      ...{ cwd, env: { ...bare(), HOME: cwd, TMPDIR: cwd } },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
    });
    await expect.poll(() => stdout, { timeout: 30_000 }).toMatch(/http:\/\/\S+\n/);
    const [url = ''] = /http:\/\/[^\s"]+/.exec(stdout) ?? [];
    const acknowledged = new Set<string>();
    let next = 0;
    const post = async (): Promise<{ status: number; error?: { kind: string; message: string; remedy: string } }> => {
      const events = Array.from({ length: 20 }, () => sentNote(next++, 'x'.repeat(5_000)));
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}events`, { method: 'POST', headers, body: JSON.stringify(events) });
      if (answer.status === 200) for (const { id = '' } of events) acknowledged.add(id);
      return { status: answer.status, ...((await answer.json()) as object) };
    };
    expect(await post()).toMatchObject({ status: 200 });
    const filler = fill(cwd, 500_000);
    let refused = await post();
    for (let tries = 0; refused.status === 200 && tries < 200; tries++) refused = await post();
    expect(refused).toMatchObject({ status: 507, error: { kind: 'storage' } });
    expect(refused.error?.message).toMatch(/disk is full|full/);
    expect((await fetch(`${url}healthz`)).status).toBe(200);
    expect((await fetch(`${url}events?last=1`)).status).toBe(200);
    rmSync(filler);
    expect(await post()).toMatchObject({ status: 200 });
    child.kill('SIGTERM');
    await once(child, 'exit');
    const { stdout: listed } = await inFolder(cwd)('event', 'tail', '-n', '1000000', '--json');
    const kept = new Set(
      listed
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    );
    expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
    expect(await inFolder(cwd)('verify')).toMatchObject({ code: 0 });
  },
  120_000,
);
