// Java options for speed. Most of Kafka's start is loading classes: from an archive (archive.ts) that takes a third of the time.
import { join } from 'node:path';
import { kept } from './jars.ts';

export const classArchive = join(kept, 'classes.jsa');

/** If the archive is missing, or another Java made it, Java ignores it. */
export const withArchive: readonly string[] = [`-XX:SharedArchiveFile=${classArchive}`];

/** A third less work until the program answers, and slower afterwards. */
export const shortLived: readonly string[] = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
