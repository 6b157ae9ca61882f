// Whether programs that tests started are still there.
import { execFileSync } from 'node:child_process';

/** Whether a process is there and not only waiting for its parent to notice its end. */
export function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
