// Files from others in place of the tables: in a repository, an archive, a folder on a shared disk. None of them is
// opened, nothing in them is executed, and nothing outside the folder of the tables is written; tables are available
// anyway.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Ledger } from '../../ledger/ledger.ts';
import { withQuestions } from '../current-tables.ts';
import { catchUp } from '../projector/catching-up.ts';
import { type ProjectOptions, project } from '../projector/projector.ts';
import { snapshotOf } from '../snapshot.ts';
import { lookInto } from '../table-state.ts';
import { type FilledPlace, filledPlace, variedPlace } from '../testing/place.ts';
import { writeRollouts } from '../testing/varied.ts';
import { fillingIn, hold } from './holding.ts';
import { buildingPath, generationIn, generationPath, snapshotPath, stagingFolder } from './place.ts';
import { Provenance, type TablesTrust } from './provenance.ts';

/** Changes a file with DuckDB as anyone can, without restrictions. */
async function forge(path: string, ...statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

const limits = { memoryMegabytes: 200, seconds: 20 };

async function eventsAsked(ledger: Ledger, tables: string, options: ProjectOptions = {}): Promise<number> {
  return await withQuestions(ledger, tables, limits, options, async (questions) => {
    const answer = await questions.ask('SELECT count(*)::INTEGER FROM events');
    let events = 0;
    for await (const chunk of answer.chunks()) for (const [value] of chunk.getRows()) events += Number(value);
    return events;
  });
}

const secret = 'the start-up file of a shell\n';
let outside = '';
let canary = '';

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'icecore-outside-'));
  canary = join(outside, 'bashrc');
  writeFileSync(canary, secret);
});

afterEach(() => {
  expect(readFileSync(canary, 'utf8')).toBe(secret);
  expect(execFileSync('ls', ['-A', outside], { encoding: 'utf8' })).toBe('bashrc\n');
  rmSync(outside, { recursive: true });
});

const named: TablesTrust = { env: process.env, isNamed: true };

/** The user has no record of any file, as after cloning on another machine. */
function elsewhere(): TablesTrust {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-user-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { env: { XDG_CONFIG_HOME: folder }, isNamed: false };
}

/** What each file would do to a process that opens and trusts it. */
const forgeries: readonly (readonly [string, () => readonly string[]])[] = [
  [
    'has views with SQL in their names',
    () => [
      `CREATE VIEW "x; COPY (SELECT 1) TO '${canary}' (FORMAT csv); --" AS SELECT 1`,
      "UPDATE log.meta SET views = 'old'",
    ],
  ],
  [
    'has macros with SQL in their names',
    () => [`CREATE MACRO "m; COPY (SELECT 1) TO '${canary}'; --"() AS 1`, "UPDATE log.meta SET views = 'old'"],
  ],
  [
    'has a view in place of log.meta that switches logging to files',
    () => [
      'DROP TABLE log.meta',
      `CREATE VIEW log.meta AS SELECT 1 AS format, 'x' AS ledger, '' AS views FROM enable_logging(storage := 'file', storage_path := '${outside}')`,
    ],
  ],
  [
    'has a view in place of log.streams that reads files',
    () => ['DROP TABLE log.streams', `CREATE VIEW log.streams AS FROM read_text('${canary}')`],
  ],
  [
    'has a public view that reads files',
    () => ['DROP VIEW events', `CREATE VIEW events AS FROM read_csv('${canary}', header = false)`],
  ],
  [
    'has macros in place of functions',
    () => [
      'CREATE MACRO count() AS 7',
      "CREATE MACRO current_database() AS 'x'",
      'CREATE MACRO duckdb_tables() AS TABLE SELECT 1',
    ],
  ],
  [
    'has a column that computes when rows are added',
    () => [
      'ALTER TABLE log.streams ADD COLUMN content VARCHAR',
      `ALTER TABLE log.streams ALTER content SET DEFAULT (getvariable('x'))`,
    ],
  ],
  [
    'has a generated column',
    () => [
      'DROP TABLE log.cursors',
      `CREATE TABLE log.cursors (feed VARCHAR, cursor VARCHAR, digest VARCHAR, before VARCHAR, events BIGINT, more VARCHAR AS (upper(feed)))`,
    ],
  ],
  ['has a schema of its own', () => ['CREATE SCHEMA "log; DROP"', 'CREATE TABLE "log; DROP".t (x INTEGER)']],
];

describe('a file of tables from someone else', () => {
  it('is never opened, whatever its content', async () => {
    const { ledger, tables, path, events } = await filledPlace();
    await forge(path, ...forgeries.slice(0, 2).flatMap(([, statements]) => statements()));
    const notes: string[] = [];
    const options = { trust: elsewhere(), onNote: (note: string) => void notes.push(note) };
    expect(await lookInto(ledger, path, options)).toMatchObject({ is: 'refused' });
    expect(await eventsAsked(ledger, tables, options)).toBe(events);
    expect(notes).toEqual([
      'the SQL tables were computed again from the events, and nothing is lost: their file was made in another folder (was the workspace copied or moved?)',
    ]);
    expect(existsSync(path)).toBe(false);
  });

  it.each(forgeries)('is unusable in a folder that the user named, and does nothing: it %s', async (_, statements) => {
    const { ledger, path } = await filledPlace();
    await forge(path, ...statements());
    const trust = { ...elsewhere(), isNamed: true };
    expect(await lookInto(ledger, path, { trust })).toEqual({ is: 'unusable' });
    await expect(fillAsItIs(ledger, path)).rejects.toThrow('their layout is not that of this version of icecore');
    // And if it were trusted anyway:
    await fillAsItIs(ledger, path, false).catch(() => undefined);
  });

  it('executes nothing from its rows, such as names of tables with SQL in them', async () => {
    const { ledger, path } = await filledPlace();
    await forge(
      path,
      'DELETE FROM log.definitions',
      `INSERT INTO log.definitions VALUES ('runs', 'old', ['runs; COPY (SELECT 1) TO ''${canary}'' (FORMAT csv); --'])`,
    );
    expect(await lookInto(ledger, path, { trust: { ...elsewhere(), isNamed: true } })).toEqual({
      is: 'of other definitions',
    });
    await fillAsItIs(ledger, path);
  });

  it('is used in a folder that the user named if its structure is right, and replaced if it is not', async () => {
    const { ledger, tables, path, events } = await filledPlace();
    const trust = { ...elsewhere(), isNamed: true };
    expect(await project(ledger, tables, { trust })).toMatchObject({ path, built: null });
    await forge(path, 'CREATE MACRO count() AS 7');
    expect(await eventsAsked(ledger, tables, { trust })).toBe(events);
    expect(generationIn(tables)).toBe(2);
  });

  it('is not trusted because it has the identity of the ledger', async () => {
    const { ledger, tables, path, folder } = await filledPlace();
    const theirs = join(folder, 'theirs.tables');
    cpSync(tables, theirs, { recursive: true });
    expect(await lookInto(ledger, generationPath(theirs, 1), {})).toMatchObject({ is: 'refused' });
    expect(await lookInto(ledger, path, {})).toMatchObject({ is: 'fit' });
    expect((await project(ledger, theirs)).built).toBe(
      'their file was made in another folder (was the workspace copied or moved?)',
    );
  });
});

describe('tables that another program has changed', () => {
  const changes: readonly (readonly [string, (place: FilledPlace) => void | Promise<void>])[] = [
    ['in place', ({ path }) => forge(path, 'UPDATE log.rollouts SET reward = 0.99')],
    [
      'with its times restored',
      async ({ path }) => {
        const { atime, mtime } = lstatSync(path);
        await forge(path, 'UPDATE log.rollouts SET reward = 0.99');
        utimesSync(path, atime, mtime);
      },
    ],
    [
      'by replacing the file',
      async ({ path, folder }) => {
        const other = join(folder, 'other.duckdb');
        copyFileSync(path, other);
        await forge(other, 'UPDATE log.rollouts SET reward = 0.99');
        renameSync(other, path);
      },
    ],
    ['by a log next to the file', ({ path }) => writeFileSync(`${path}.wal`, 'a log')],
    ['by another kind of log', ({ path }) => writeFileSync(`${path}.wal.checkpoint`, 'a log')],
    ['by a link to a foreign log', ({ path }) => symlinkSync(canary, `${path}.wal`)],
    ['by emptying the file', ({ path }) => writeFileSync(path, '')],
    ['by extending the file with zeros', ({ path }) => truncateSync(path, 2 ** 40)],
    [
      'by a link',
      ({ path }) => {
        rmSync(path);
        symlinkSync(canary, path);
      },
    ],
    [
      'by a dangling link',
      ({ path }) => {
        rmSync(path);
        symlinkSync(join(outside, 'none'), path);
      },
    ],
    [
      'by a hard link',
      ({ path }) => {
        rmSync(path);
        linkSync(canary, path);
      },
    ],
    [
      'by a FIFO',
      ({ path }) => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
    ],
    [
      'by a folder',
      ({ path }) => {
        rmSync(path);
        mkdirSync(join(path, 'deep'), { recursive: true });
      },
    ],
  ];

  it.each(changes)('are not opened: changed %s', async (_, change) => {
    const place = await filledPlace();
    await change(place);
    expect(await lookInto(place.ledger, place.path, {})).toMatchObject({ is: 'refused' });
  });

  it.each(changes.filter(([how]) => /in place|hard link|FIFO/.test(how)))(
    'are rebuilt: changed %s',
    async (_, change) => {
      const place = await filledPlace();
      const { ledger, tables, path, events } = place;
      await change(place);
      expect(await eventsAsked(ledger, tables)).toBe(events);
      expect(await lookInto(ledger, generationPath(tables, 2), {})).toMatchObject({ is: 'fit', events });
      expect(existsSync(path)).toBe(false);
    },
  );

  it('are replaced even if their number is the highest possible', async () => {
    const { ledger, tables, events } = await filledPlace();
    writeFileSync(join(tables, 'tables-999999999999.duckdb'), 'planted');
    expect(await eventsAsked(ledger, tables)).toBe(events);
    expect(generationIn(tables)).toBe(2);
  });
});

describe('files next to the tables', () => {
  it('redirect no writes', async () => {
    const { ledger, tables, path } = await filledPlace();
    for (const name of [`${path}.at`, `${path}.tmp`, stagingFolder(path)]) {
      rmSync(name, { recursive: true, force: true });
      symlinkSync(name === `${path}.at` ? canary : outside, name);
    }
    await writeRollouts(ledger, 9000, 5);
    expect(await project(ledger, tables)).toMatchObject({ built: null, added: 5 });
    expect(lstatSync(`${path}.at`).isSymbolicLink()).toBe(false);
  });

  it('do not block a query: a hint that is a FIFO', async () => {
    const { ledger, tables, path, events } = await filledPlace();
    rmSync(`${path}.at`);
    execFileSync('mkfifo', [`${path}.at`]);
    expect(await eventsAsked(ledger, tables)).toBe(events);
  });

  it('are not used: partial files of unknown origin, and logs of missing files', async () => {
    const { ledger, tables } = await variedPlace();
    mkdirSync(tables);
    writeFileSync(`${buildingPath(tables, 1)}.wal`, 'a log');
    expect(await project(ledger, tables)).toMatchObject({ path: generationPath(tables, 1) });
    symlinkSync(canary, buildingPath(tables, 2));
    expect(await project(ledger, tables, { rebuild: true })).toMatchObject({ path: generationPath(tables, 2) });
  });

  it('are not handed out as a copy unless icecore made them', async () => {
    const { ledger, tables } = await filledPlace();
    const copy = snapshotPath(tables);
    const planted: readonly (() => void)[] = [() => symlinkSync(canary, copy), () => linkSync(canary, copy)];
    for (const plant of planted) {
      plant();
      symlinkSync(canary, `${copy}.wal`);
      expect(await snapshotOf(ledger, tables)).toMatchObject({ path: copy, behind: 0 });
      expect(lstatSync(copy).isFile()).toBe(true);
      expect(existsSync(`${copy}.wal`)).toBe(false);
      rmSync(copy);
    }
    await snapshotOf(ledger, tables);
    const made = lstatSync(copy).ino;
    await snapshotOf(ledger, tables);
    expect(lstatSync(copy).ino).toBe(made);
  });
});

describe('a folder of tables that is a link', () => {
  it('is refused unless the user named it', async () => {
    const { ledger, tables } = await variedPlace();
    const far = mkdtempSync(join(tmpdir(), 'icecore-far-'));
    onTestFinished(() => rmSync(far, { recursive: true }));
    symlinkSync(far, tables);
    await expect(eventsAsked(ledger, tables)).rejects.toMatchObject({
      kind: 'untrusted',
      remedy: expect.stringContaining('ICECORE_TABLES=FOLDER'),
    });
    expect(existsSync(generationPath(far, 1))).toBe(false);
    expect(await eventsAsked(ledger, tables, { trust: named })).toBeGreaterThan(0);
    const shard = join(tables, 'shards', 'lab', 'evidence-0');
    await expect(project(ledger, shard)).rejects.toMatchObject({ kind: 'untrusted' });
  });
});

describe('the user’s records', () => {
  it('may be unwritable: queries are still answered, with a remedy', async () => {
    const { ledger, tables, events } = await filledPlace();
    const notes: string[] = [];
    const blocked = join(mkdtempSync(join(tmpdir(), 'icecore-user-')), 'settings');
    writeFileSync(blocked, 'no folder');
    const options = {
      trust: { env: { XDG_CONFIG_HOME: blocked }, isNamed: false },
      onNote: (note: string) => void notes.push(note),
    };
    expect(await eventsAsked(ledger, tables, options)).toBe(events);
    expect(notes.some((note) => note.includes('ICECORE_TABLES=FOLDER'))).toBe(true);
    expect(await eventsAsked(ledger, tables, options)).toBe(events);
    expect(generationIn(tables)).toBe(2);
    rmSync(join(blocked, '..'), { recursive: true });
  });

  it('recognise a file that a killed process of this user left while writing: no rebuild', async () => {
    const { ledger, tables, path } = await filledPlace();
    leaveAsKilled(ledger, path);
    writeFileSync(`${path}.wal`, 'what it had not written to the file');
    expect(await lookInto(ledger, path, {})).toEqual({ is: 'interrupted' });
    await writeRollouts(ledger, 9000, 5);
    expect(await project(ledger, tables)).toMatchObject({ path, built: null, added: 5 });
  });

  it('distinguish another file from one that a killed process left', async () => {
    const { ledger, tables, path } = await filledPlace();
    leaveAsKilled(ledger, path);
    copyFileSync(path, `${path}.other`);
    renameSync(`${path}.other`, path);
    expect(await lookInto(ledger, path, {})).toMatchObject({ is: 'refused' });
    expect((await project(ledger, tables)).built).toBe('it is not the file icecore made here');
  });

  it('are removed with their files', async () => {
    const trust = elsewhere();
    const { ledger, tables } = await variedPlace();
    for (let round = 0; round < 2; round++) await project(ledger, tables, { trust, rebuild: true });
    const { folder } = new Provenance(ledger.id, trust);
    expect(execFileSync('ls', [folder], { encoding: 'utf8' }).trim().split('\n')).toHaveLength(1);
  });
});

/** Updates the file, whatever it contains. */
async function fillAsItIs(ledger: Ledger, path: string, isUnrecorded = true): Promise<void> {
  const held = await hold(path, fillingIn(path));
  try {
    await catchUp(await held.connect(), { source: ledger, path, folder: stagingFolder(path), isUnrecorded });
  } finally {
    held.release();
  }
}

/** The record of a process that is killed while it writes to the file. */
function leaveAsKilled(ledger: Ledger, path: string): void {
  const provenance = fileURLToPath(new URL('./provenance.ts', import.meta.url));
  const program = `const { Provenance } = await import(${JSON.stringify(provenance)});
    new Provenance(${JSON.stringify(ledger.id)}).noteWriting(${JSON.stringify(path)});`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program]);
}
