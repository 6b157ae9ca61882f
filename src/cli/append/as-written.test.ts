import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evidenceStream, ndjson, notesStream, sentNote } from '../testing/events.ts';
import { icecore, lines, type Ran, temporaryFolder } from '../testing/harness.ts';

function append(cwd: string, stdin: string, ...argv: string[]): Promise<Ran> {
  return icecore(['event', 'append', ...argv], { cwd, stdin: [stdin] });
}

describe('an error in a CloudEvent', () => {
  const { id, type, actor, data } = sentNote(0);
  const sound = { specversion: '1.0', id, type: `icecore.${type}`, source: actor, subject: notesStream, data };

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ id: 'ABC' }, 'id: found "ABC" (a string)'],
    [{ source: 'ada%21' }, 'source: found "ada%21" (a string), allowed: the actor'],
    [{ source: undefined }, 'source: found nothing, allowed: the actor'],
    [{ subject: 'lake' }, 'subject: found "lake" (a string), allowed: run-<run>'],
    [{ subject: undefined }, 'subject: found nothing, allowed: the name of a stream'],
    [{ subject: evidenceStream }, 'subject: found a stream of kind evidence, allowed: notes-<run>'],
    [{ time: 'now' }, 'time: found "now" (a string), allowed: a moment'],
    [{ schemaversion: '9' }, 'schemaversion: found "9" (a string), allowed: 1'],
    [{ type: 'icecore.RunAnotated' }, 'type: found "icecore.RunAnotated" (a string)'],
    [{ run: 'another' }, 'run: found "another" (a string)'],
    [{ causes: '[{"event":"x"}]' }, 'causes[0].event: found "x" (a string)'],
    [{ data: { note: 5 } }, 'data.note: found 5 (a number)'],
  ])('%j is reported by its attribute, with the original value', async (spoilt, said) => {
    const { stderr } = await append(temporaryFolder(), ndjson([{ ...sound, ...spoilt }]));
    expect(stderr).toContain(`icecore: line 1: ${said}`);
  });

  it('names the attribute in rejects and conflicts too', async () => {
    const cwd = temporaryFolder();
    await append(cwd, ndjson([sound]));
    const other = { ...sound, source: 'human/eve' };
    expect((await append(cwd, ndjson([other]))).stderr).toMatch(/which differs in source;/);
    await append(cwd, ndjson([other, { ...sound, source: 'ada', time: 'now' }]), '--rejects', 'bad.ndjson');
    const errors = lines(readFileSync(join(cwd, 'bad.ndjson'), 'utf8')).map((line) => JSON.parse(line).error);
    expect(errors).toMatchObject([
      { differs: ['source'] },
      { field: 'time', issues: [{ field: 'time' }, { field: 'source' }] },
    ]);
  });

  it('may be a missing specversion, and the advice shows how to write it', async () => {
    const { stderr } = await append(temporaryFolder(), ndjson([{ ...sound, specversion: undefined }]));
    expect(stderr).toContain('source: found the unknown field "source"');
    expect(stderr).toContain('"specversion": "1.0"');
  });

  it('concerns attributes that the help documents', async () => {
    const { stdout } = await icecore(['event', 'append', '--help'], { cwd: temporaryFolder() });
    for (const attribute of ['specversion', 'id', 'type', 'source', 'subject', 'data', 'time']) {
      expect(stdout).toMatch(new RegExp(`CloudEvent .*\\b${attribute}\\b`, 's'));
    }
  });
});

describe('an invalid id', () => {
  it('is reported as it was written', async () => {
    const { stderr } = await append(temporaryFolder(), ndjson([{ ...sentNote(0), id: 'ABC' }]));
    expect(stderr).toContain('icecore: line 1: id: found "ABC" (a string)');
  });
});
