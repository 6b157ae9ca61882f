// Loaded before a program: makes every function of fs that opens files refuse databases and the files next to them. Only reading
// the log is allowed: SQLite holds no lock on it, so closing it releases none.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const openers = [
  ...['open', 'openSync', 'readFile', 'readFileSync', 'writeFile', 'writeFileSync', 'appendFile', 'appendFileSync'],
  ...['copyFile', 'copyFileSync', 'cp', 'cpSync', 'truncate', 'truncateSync', 'createReadStream', 'createWriteStream'],
  ...['openAsBlob'],
];

const isDatabase = (path: unknown): boolean => /\.db(?:-wal|-shm|-journal)?$/.test(String(path));

type Functions = Record<string, (...args: unknown[]) => unknown>;

function guard(module: Functions, name: string): void {
  const real = module[name];
  if (real === undefined) return;
  module[name] = function guarded(this: unknown, ...args: unknown[]) {
    const readsLog = name === 'openSync' && String(args[0]).endsWith('.db-wal') && args[1] === 'r';
    if (!readsLog && args.slice(0, 2).some(isDatabase))
      throw new Error(`${name} of ${args.slice(0, 2).map(String).join(', ')}`);
    return real.apply(this, args);
  };
}

for (const module of [fs, fs.promises] as unknown as Functions[]) for (const name of openers) guard(module, name);
syncBuiltinESMExports();
