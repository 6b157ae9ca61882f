// How Java is told to be quick. Most of what Kafka does until it answers is loading classes: read from an archive
// (archive.ts) they take a third of the time.
import { join } from 'node:path';
import { kept } from './jars.ts';

export const classArchive = join(kept, 'classes.jsa');

/** Where the archive is missing, or another Java made it, Java does without. */
export const withArchive: readonly string[] = [`-XX:SharedArchiveFile=${classArchive}`];

/** A third less work until the program answers, and slower from then on. */
export const shortLived: readonly string[] = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
