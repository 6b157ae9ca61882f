// Reads information about processes that answer queries from the system, on Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** A process that runs tests has other children too, such as a Kafka server that later tests use. */
export function questionProcessesOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => {
      // After the name in parentheses: state, parent.
      const [state, parentId] = read(id, 'stat')
        .replace(/^.*\) /s, '')
        .split(' ');
      return state !== 'Z' && Number(parentId) === parent;
    })
    .filter((id) => read(id, 'cmdline').includes('/sql/process/child.'));
}

export function isRunning(id: number): boolean {
  return /^\S+ \(.*\) [^ZX] /s.test(read(id, 'stat'));
}

export function environmentOf(id: number): readonly string[] {
  return read(id, 'environ').split('\0');
}

const writtenBefore = new Map<number, string>();

/** Whether it has written nothing since the last call. */
export function writesNoMore(id: number): boolean {
  const written = /^wchar: \d+/m.exec(read(id, 'io'))?.[0] ?? '';
  const isSame = writtenBefore.get(id) === written;
  writtenBefore.set(id, written);
  return isSame;
}

/** Its peak memory; 0 if it has ended. */
export function peakMegabytesOf(id: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(read(id, 'status'))?.[1] ?? 0) / 1024;
}

function read(id: number, name: string): string {
  try {
    return readFileSync(`/proc/${id}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
