// Loaded before a program: records, in order, which files and folders it syncs, renames and unlinks. The program finds the record
// in `globalThis.recorded`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const recorded: string[] = [];
Object.assign(globalThis, { recorded });

const { open, rename, unlink } = fs.promises;

fs.promises.open = async (path, ...rest) => {
  const file = await open(path, ...rest);
  const sync = file.sync.bind(file);
  file.sync = async () => {
    await sync();
    recorded.push(`sync ${String(path)}`);
  };
  return file;
};
fs.promises.rename = async (from, to) => {
  await rename(from, to);
  recorded.push(`rename ${String(from)} ${String(to)}`);
};
fs.promises.unlink = async (path) => {
  await unlink(path);
  recorded.push(`unlink ${String(path)}`);
};
syncBuiltinESMExports();
