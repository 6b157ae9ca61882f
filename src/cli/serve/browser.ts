// Opens a page in the browser of the user.
import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

export function openInBrowser(url: string, onFault: (fault: string) => void): void {
  const [program = 'xdg-open', ...words] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  child.on('error', (fault) => onFault(fault.message));
  child.unref();
}
