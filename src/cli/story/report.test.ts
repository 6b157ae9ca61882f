import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { placeWith } from '../runs/testing/looking.ts';
import { json } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { defaultFile } from './place.ts';

const terminal = { terminal: 80 };

describe('icecore report', () => {
  it('writes on a terminal a page named after the run, and prints its size', async () => {
    const { cwd, within } = await placeWith(wholeRun());
    const wrote = await within(terminal)('report');
    expect(wrote).toMatchObject({ code: 0, stdout: '' });
    const file = join(cwd, 'quiet-otter.html');
    expect(wrote.stderr).toMatch(/^wrote \S+quiet-otter\.html, [0-9.]+ KiB\n$/);
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>\n<html lang="en">.*<\/html>\n$/s);
    expect(readdirSync(cwd).filter((name) => name !== '.icecore')).toEqual(['quiet-otter.html']);
  });

  it('replaces an older report of the same run, and other files only with --output', async () => {
    const { cwd, within } = await placeWith(wholeRun(), wholeRun('another', 'quiet-otter'));
    const file = join(cwd, 'quiet-otter.html');
    for (const _ of [1, 2]) expect(await within(terminal)('report', 'k3v9q2m8x1tz')).toMatchObject({ code: 0 });
    const other = await within(terminal)('report', 'another');
    expect(other).toMatchObject({ code: 1 });
    expect(other.stderr).toContain(
      'quiet-otter.html is there already and is no report of this run\n  Name the file with --out',
    );
    writeFileSync(file, 'my own page');
    expect(await within(terminal)('report', 'k3v9q2m8x1tz')).toMatchObject({ code: 1 });
    expect(readFileSync(file, 'utf8')).toBe('my own page');
    expect(await within(terminal)('report', 'another', '--output', file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('icecore report of another');
  });

  it('writes to standard output if that is a pipe, or with --output -', async () => {
    const { cwd, look, within } = await placeWith(wholeRun());
    for (const ran of [await look('report'), await within(terminal)('report', '--output', '-')]) {
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toMatch(/^<!doctype html>/);
    }
    expect(readdirSync(cwd)).toEqual(['.icecore']);
  });

  it('writes Markdown with --format md, or to a .md file', async () => {
    const { cwd, look } = await placeWith(wholeRun());
    expect((await look('report', '--format', 'md')).stdout).toMatch(/^# quiet-otter\n\nlake · gpt · combined\n/);
    expect((await look('report', '--output', join(cwd, 'story.md'))).code).toBe(0);
    expect(readFileSync(join(cwd, 'story.md'), 'utf8')).toContain('## What happened, and why\n');
  });

  it('chooses the format by the file extension, and rejects other extensions without --format', async () => {
    const { cwd, look } = await placeWith(wholeRun());
    expect((await look('report', '--output', join(cwd, 'story.json'))).code).toBe(0);
    expect(faultsAgainst('report', JSON.parse(readFileSync(join(cwd, 'story.json'), 'utf8')))).toEqual([]);
    const refused = await look('report', '--output', 'story.pdf');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(
      '--output: found "story.pdf", and a report is no .pdf file\n  Give it one of the endings .html, .htm, .md, .json',
    );
    expect(existsSync(join(cwd, 'story.pdf'))).toBe(false);
    expect((await look('report', '--output', join(cwd, 'story.txt'), '--format', 'md')).code).toBe(0);
    expect(readFileSync(join(cwd, 'story.txt'), 'utf8')).toMatch(/^# quiet-otter/);
  });

  it('prints JSON that matches its schema', async () => {
    const { look } = await placeWith(wholeRun());
    const result = await look('report', '--json');
    expect(faultsAgainst('report', json(result))).toEqual([]);
    expect(result.stderr).toBe('');
    expect(json(await look('report', '--format', 'json'))).toMatchObject({ run: json(result)['run'] });
    expect((await look('show', '--format', 'json')).stderr).toContain(
      '--format: found "json", allowed: text, md\n  For programs: --json.',
    );
  });

  it('rejects a stage, an unknown run, two formats, and an output path that is missing or empty', async () => {
    const { cwd, look } = await placeWith(wholeRun());
    const stage = await look('report', 'quiet-otter@2');
    expect(stage.code).toBe(2);
    expect(stage.stderr).toContain('icecore why quiet-otter@2 tells of the stage');
    expect((await look('report', 'quiet-oter')).stderr).toContain('quiet-otter');
    expect(await look('report', '--format', 'md', '--json')).toMatchObject({ code: 2 });
    const missing = await look('report', '--output', join(cwd, 'no', 'such', 'folder.html'));
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.stderr).toMatch(/folder\.html cannot be written: there is no folder \S+such\n/);
    const empty = await look('report', '--output', '');
    expect(empty).toMatchObject({ code: 2 });
    expect(empty.stderr).toContain('--output is empty and names no file');
  });

  it('writes to a device without replacing it', async () => {
    const { look } = await placeWith(wholeRun());
    expect(await look('report', '--output', '/dev/null')).toMatchObject({ code: 0 });
    expect(existsSync('/dev/null.part')).toBe(false);
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
  });
});

describe('the default file name of a report', () => {
  it.each([
    ['quiet-otter', 'quiet-otter.html'],
    ['../../etc/passwd', 'etc-passwd.html'],
    ['.hidden', 'hidden.html'],
    ['größer als zuvor', 'größer-als-zuvor.html'],
    ['<script>', 'script.html'],
    ['///', 'id.html'],
    ['x'.repeat(300), 'id.html'],
  ])('is safe for the run name %s', (name, file) => {
    expect(defaultFile('folder', { name, run: 'id' })).toBe(join('folder', file));
  });
});
