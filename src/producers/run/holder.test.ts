// What this process can find out about the holder of a run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { displayName, forgetHolder, isAlive, isOwn, newHolder } from './claim.ts';

/** The id of a process that has ended. */
async function ended(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

const named = (holder: string, host: string, pid: number): string => holder.replace(/^.*?:[0-9]+:/, `${host}:${pid}:`);

describe('a holder', () => {
  it('in this process is alive until it releases the run', () => {
    const holder = newHolder();
    expect([isOwn(holder), isAlive(holder)]).toEqual([true, true]);
    expect(displayName(holder)).toBe(`process ${process.pid} on ${hostname()}`);
    forgetHolder(holder);
    expect(isAlive(holder)).toBe(false);
  });

  it('in a process that has ended is dead', async () => {
    expect(isAlive(named(newHolder(), hostname(), await ended()))).toBe(false);
  });

  it('on another machine is unknown', () => {
    expect(isAlive(named(newHolder(), 'elsewhere', process.pid))).toBeNull();
  });

  it.skipIf(process.platform !== 'linux')(
    'in a container that has the name of this machine cannot be seen either',
    async () => {
      const other = named(newHolder(), hostname(), await ended()).replace(/:[0-9a-f]{8}(?=[0-9a-f]{8}$)/, ':00000000');
      expect(isAlive(other)).toBeNull();
    },
  );
});
