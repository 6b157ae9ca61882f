// Makes the class archive of a broker, which Java writes when a working broker ends.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from './cluster.ts';
import { kept } from './jars.ts';
import { classArchive } from './java.ts';

/** Written next to its place and moved there. Without an archive, Java is only slower. */
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
