// Makes the archive of the classes that a broker loads, which Java writes when a broker that did its work ends.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from './cluster.ts';
import { kept } from './jars.ts';
import { classArchive } from './java.ts';

/** Beside its place, and then moved there. A Java that cannot write one is slower and no worse. */
export async function archiveClasses(): Promise<void> {
  if (existsSync(classArchive)) return;
  const folder = mkdtempSync(join(kept, 'archiving-'));
  try {
    const made = join(folder, 'classes.jsa');
    const cluster = await Cluster.make(folder, 1, [`-XX:ArchiveClassesAtExit=${made}`]);
    try {
      await cluster.start();
    } finally {
      await cluster.end('SIGTERM');
    }
    if (existsSync(made)) renameSync(made, classArchive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
