import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { readMember } from './manifest.ts';
import { endOfTar, headerOf } from './tar.ts';
import {
  type Fitting,
  type Opened,
  putTogether,
  sealedAnew,
  takenApart,
  unpacked,
  withLines,
} from './testing/forging.ts';
import { bundleOfRun, refusal as refused } from './testing/place.ts';

let whole: Buffer;
let parts: Opened;

beforeAll(async () => {
  whole = await bundleOfRun();
  parts = await takenApart(whole);
});

const fitting = async (change: (opened: Opened) => Opened, more: Fitting = {}): Promise<string> =>
  refused(await putTogether(change(parts), more));

function without(name: RegExp): (opened: Opened) => Opened {
  return ({ manifest, members }) => ({ manifest, members: members.filter((member) => !name.test(member.name)) });
}

describe('a file that is not a valid bundle', () => {
  it.each([
    ['an empty file', () => Buffer.alloc(0), /it is empty/],
    ['a short text', () => Buffer.from('hello'), /no bundle of icecore's/],
    ['a long text', () => Buffer.alloc(100_000, 'hello'), /no bundle of icecore's: it does not begin as one/],
    ['half of a bundle', () => whole.subarray(0, whole.length / 2), /cut off|does not end|cannot be unpacked/],
    ['a bundle without its last byte', () => whole.subarray(0, -1), /does not end|cannot be unpacked/],
    ['a bundle with an extra byte', () => Buffer.concat([whole, Buffer.from('x')]), /does not end|cannot be unpacked/],
    ['two concatenated bundles', () => Buffer.concat([whole, whole]), /not those that were written/],
  ])('is refused: %s', async (_, bytes, why) => {
    expect(await refused(bytes())).toMatch(why);
  });

  it('is refused whichever byte is altered', async () => {
    const flip = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(flip, async ([at, by]) => {
        const altered = Buffer.from(whole);
        altered.writeUInt8(altered.readUInt8(at) ^ by, at);
        expect(await refused(altered)).toMatch(/^(?:BundleRefused|NoBundle|NewerBundle|BundleTooLarge): /);
      }),
      { numRuns: 12 },
    );
  });

  it('is refused if its seal or the end of its compressed data was altered', async () => {
    for (const at of [whole.length - 1, whole.length - 33, whole.length - 41, whole.length - 46]) {
      const altered = Buffer.from(whole);
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
      expect(await refused(altered)).toMatch(/^BundleRefused: /);
    }
    const anew = await sealedAnew(await unpacked(whole));
    expect(await refused(anew)).toMatch(/it was taken for a bundle/);
  });

  it('is refused with a second compressed frame, even under a matching seal', async () => {
    const frames = Buffer.concat([whole.subarray(0, -40), zstdCompressSync(Buffer.from('more'))]);
    const seal = Buffer.concat([Buffer.from('502a4d1820000000', 'hex'), createHash('sha256').update(frames).digest()]);
    expect(await refused(Buffer.concat([frames, seal]))).toMatch(
      /^BundleRefused: .*(?:after its end|cannot be unpacked)/,
    );
  });

  it('is refused if it contains some other tar archive', async () => {
    const hello = Buffer.concat([headerOf('hello', 512), Buffer.alloc(512), endOfTar]);
    expect(await refused(await sealedAnew(hello))).toMatch(/its first member is another/);
    expect(await refused(await sealedAnew(endOfTar))).toMatch(/its first member is another/);
  });
});

describe('a bundle with wrong members', () => {
  it('is refused if one is missing, and the error names it', async () => {
    const [, ...written] = parts.members;
    expect(await fitting((all) => all, { written })).toMatch(/blobs\/\w{64}: it should come here .* there is "/);
  });

  it('is refused if one was added', async () => {
    const written = [...parts.members, { name: 'events/000000002.ndjson', bytes: Buffer.from('') }];
    expect(await fitting((all) => all, { written })).toMatch(/holds a member that its list does not name/);
  });

  it('is refused if two were swapped or one is repeated', async () => {
    const [first, second, ...rest] = parts.members;
    if (first === undefined || second === undefined) throw new Error('there are two');
    expect(await fitting((all) => all, { written: [second, first, ...rest] })).toMatch(/should come here/);
    const twice = (members: Opened['members']) => fitting(({ manifest }) => ({ manifest, members }));
    expect(await twice([first, first, ...rest])).toMatch(/is named twice/);
    expect(await twice([second, first, ...rest])).toMatch(/members.ndjson: blobs\/\w+ comes after/);
  });

  it('is refused if one has the bytes of another', async () => {
    const [first, second, ...rest] = parts.members;
    if (first === undefined || second === undefined) throw new Error('there are two');
    const swapped = [{ ...first, bytes: second.bytes }, second, ...rest];
    expect(await fitting((all) => all, { written: swapped })).toMatch(/should come here/);
    expect(await fitting(({ manifest }) => ({ manifest, members: swapped }))).toMatch(/its digest is/);
  });

  it.each(['../../etc/passwd', '/etc/passwd', 'events/../../x', 'blobs/x', 'events/1.ndjson', 'C:\\x'])(
    'is refused if one is named %s',
    async (name) => {
      const members = [...parts.members, { name, bytes: Buffer.from('x') }];
      expect(await fitting(({ manifest }) => ({ manifest, members }))).toMatch(/members.ndjson: name/);
      expect(await fitting((all) => all, { written: members })).toMatch(/its list does not name/);
    },
  );

  it('is refused if a line of its list names no member', () => {
    expect(() => readMember('hello', '')).toThrow(/members.ndjson: "hello" names no member/);
  });

  it('is refused if it has a blob that no event references', async () => {
    const bytes = Buffer.from('nobody asked for this');
    const members = [...parts.members, { name: `blobs/${sha256(bytes)}`, bytes }].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    expect(await fitting(({ manifest }) => ({ manifest, members }))).toMatch(/no event in the bundle names it/);
  });

  it('is refused without a blob that an event references, even if list and manifest match', async () => {
    expect(await fitting(without(/^blobs/))).toMatch(/does not verify: blob-missing evidence-a-1-0-0@2/);
  });

  it('is refused if it claims more than the disk can hold, or unpacks to 1000 times its size', async () => {
    const count = parts.members.length;
    const members = { count, bytes: 1e15, listBytes: 10, sha256: sha256('') };
    expect(await fitting((all) => all, { manifest: { members } })).toMatch(/room for/);
    const zeros = Buffer.alloc(64 * 1024 * 1024);
    const bomb = [{ name: `blobs/${sha256(zeros)}`, bytes: zeros }];
    expect(await fitting(({ manifest }) => ({ manifest, members: bomb }))).toMatch(/1000 times as large/);
  });
});

describe('a bundle that was repacked with a matching list, manifest and seal', () => {
  const said = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>;
  const isAt =
    (stream: string, revision: number) =>
    (line: string): boolean =>
      said(line)['stream'] === stream && said(line)['revision'] === revision;

  /** The events that match happened at another time, under a matching digest. */
  const atAnotherTime = (isMeant: (line: string) => boolean): Opened =>
    withLines(parts, (line) => {
      if (!isMeant(line)) return line;
      const { recordedAt, digest: _, ...event } = said(line);
      const body = canonicalJson({ ...event, at: '2020-01-01T00:00:00.000Z' });
      return `${body.slice(0, -1)},"recordedAt":"${recordedAt}","digest":"${sha256(body)}"}`;
    });

  it('is accepted if nothing was changed', async () => {
    expect(await fitting((all) => all)).toMatch(/it was taken for a bundle/);
  });

  it('is refused if an event was changed under its old digest', async () => {
    const altered = withLines(parts, (line) => line.replace('"the a"', '"the A"'));
    expect(await fitting(() => altered)).toMatch(/run-a@0: its bytes hash to/);
  });

  it('is refused if a run event was changed and has a new digest: the chain breaks', async () => {
    expect(await fitting(() => atAnotherTime(isAt('run-a', 0)))).toMatch(/run-a@0 is another event here/);
  });

  it('is refused if evidence was changed and has a new digest: the seal breaks', async () => {
    const altered = atAnotherTime(isAt('evidence-a-1-0-0', 1));
    expect(await fitting(() => altered)).toMatch(/does not verify: seal-broken evidence-a-1-0-0/);
  });

  it('is refused if evidence is not canonical JSON, even with a matching digest', async () => {
    const altered = withLines(parts, (line) => {
      if (!isAt('evidence-a-1-0-0', 1)(line)) return line;
      const { recordedAt, digest: _, ...event } = said(line);
      const body = canonicalJson(event).replace('"causes":[]', '"causes":[ ]').replace('"reward":1', '"reward":1.0');
      return `${body.slice(0, -1)},"recordedAt":"${recordedAt}","digest":"${sha256(body)}"}`;
    });
    expect(await fitting(() => altered)).toMatch(/evidence-a-1-0-0@1: its bytes are not canonical JSON/);
  });

  it('is refused if an event is missing', async () => {
    const dropped = (isMeant: (line: string) => boolean) => withLines(parts, (line) => (isMeant(line) ? null : line));
    expect(await fitting(() => dropped(isAt('run-a', 0)))).toMatch(/stream run-a: expected last revision 0/);
    expect(await fitting(() => dropped(isAt('evidence-a-1-0-0', 3)))).toMatch(/does not verify|no event .* names it/);
  });

  it('is refused if an event is repeated or invalid', async () => {
    const first = (change: (line: string) => string) =>
      fitting(() => withLines(parts, (line, at) => (at === 0 ? change(line) : line)));
    expect(await first((line) => `${line}\n${line}`)).toMatch(/twice/);
    expect(await first(() => '{"id":1}')).toMatch(/line 1 is no event/);
    expect(await first((line) => line.replace(/"recordedAt":"[^"]*"/, '"recordedAt":"now"'))).toMatch(
      /line 1 is no event/,
    );
  });

  it('is refused if the manifest and the events disagree about runs', async () => {
    const saying = (manifest: object) => fitting((all) => all, { manifest });
    const run = { run: 'zz', name: 'the best' };
    expect(await saying({ run })).toMatch(/manifest.json: it names the run zz, of which there are no events/);
    expect(await saying({ run: { run: 'a', name: 'the best' } })).toMatch(
      /it calls the run a "the best", but its events call it "the a"/,
    );
    expect(await saying({ ancestors: [run] })).toMatch(/it names the run zz, of which there are no events/);
    expect(await fitting(({ manifest }) => ({ manifest, members: [] }))).toMatch(/of which there are no events/);
  });

  it('is refused if the manifest miscounts streams, blobs or lost blobs', async () => {
    const saying = (manifest: object) => fitting((all) => all, { manifest });
    expect(await saying({ streams: 9 })).toMatch(/manifest.json: it says 9 streams, and the bundle has 5/);
    expect(await saying({ blobs: 9 })).toMatch(/manifest.json: it says 9 blobs, and the bundle has 2/);
    const dropped = fitting(without(/^blobs/), { manifest: { lost: 1 } });
    expect(await dropped).toMatch(/manifest.json: it counts lost blobs as 1, and 2 are not there/);
  });

  it('is refused if the manifest has a wrong event count, root, format or field', async () => {
    const saying = (manifest: object) => fitting((all) => all, { manifest });
    expect(await saying({ events: 3 })).toMatch(/manifest.json: it says 3 events, and the bundle has 10/);
    expect(await saying({ root: sha256('another') })).toMatch(/manifest.json: it says the root/);
    expect(await saying({ format: 'icecore-bundle/2' })).toMatch(/^NewerBundle/);
    expect(await saying({ extra: true })).toMatch(/manifest.json: /);
  });
});
