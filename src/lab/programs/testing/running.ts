// Whether programs that tests started are still running.
import { execFileSync } from 'node:child_process';

/** Whether a process is alive and not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
