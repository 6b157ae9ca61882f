// Access control: encrypted connections, untrusted servers, unknown users.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { note, notesStream } from '../contract/samples.ts';
import { type Certificate, makeCertificate } from './testing/certificate.ts';
import { Ledgers } from './testing/ledgers.ts';
import type { TestServer } from './testing/server.ts';

let ledgers: Ledgers;
let server: TestServer;
let tls: Certificate;
let ca: string;

const users = { ada: 'secret' };
const at = (login: string, settings: string): string =>
  `esdb://${login}localhost:${server.address.split(':')[1]}/safe?patience=1${settings}`;

beforeEach(async () => {
  ledgers = new Ledgers();
  tls = makeCertificate();
  server = await ledgers.server({ tls, users });
  ca = join(ledgers.folder, 'ca.pem');
  writeFileSync(ca, tls.certificate);
});
afterEach(async () => {
  delete process.env['ICECORE_EVENTSTORE_USER'];
  delete process.env['ICECORE_EVENTSTORE_PASSWORD'];
  await ledgers.close();
});

it('a ledger is written and read over TLS by the user in the URL', async () => {
  const ledger = await ledgers.open(at('ada:secret@', `&ca=${ca}`));
  await ledger.append(notesStream, [note(0)], { expect: 'none' });
  expect((await ledger.head()).events).toBe(1);
  expect(ledger.url).not.toContain('secret');
});

it('a ledger is read over TLS by the user in the environment', async () => {
  process.env['ICECORE_EVENTSTORE_USER'] = 'ada';
  process.env['ICECORE_EVENTSTORE_PASSWORD'] = 'secret';
  const ledger = await ledgers.open(at('', `&ca=${ca}`));
  expect((await ledger.head()).events).toBe(0);
});

it('a server with a certificate of an unknown authority is not trusted', async () => {
  await expect(ledgers.open(at('ada:secret@', ''))).rejects.toMatchObject({ name: 'ServerUntrusted' });
});

it('a wrong password is refused with advice', async () => {
  await expect(ledgers.open(at('ada:wrong@', `&ca=${ca}`))).rejects.toMatchObject({
    name: 'ServerRefused',
    remedy: expect.stringContaining('ICECORE_EVENTSTORE_PASSWORD'),
  });
});

it('a user without a password is refused before anything is sent', async () => {
  await expect(ledgers.open(at('ada@', `&ca=${ca}`))).rejects.toMatchObject({ name: 'ServerRefused' });
});

it('a server with TLS is refused without a user, before anything is sent', async () => {
  await expect(ledgers.open(at('', `&ca=${ca}`))).rejects.toMatchObject({ name: 'ServerRefused' });
});
