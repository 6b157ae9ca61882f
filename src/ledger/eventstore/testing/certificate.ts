// A self-signed certificate for localhost, made on demand, so that no key is in the repository and nothing expires. It is not for
// 127.0.0.1, since Node refuses an IP address where a host name is expected.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  /** In PEM. */
  readonly key: string;
  readonly certificate: string;
}

const tags = { integer: 0x02, bits: 0x03, utf8: 0x0c, time: 0x17, sequence: 0x30, set: 0x31 } as const;
/** Object identifiers, encoded. */
const commonName = Buffer.from('0603550403', 'hex');
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');
const dayMs = 24 * 60 * 60 * 1000;

/** Of version 1, which has no extensions. */
export function makeCertificate(): Certificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(der(tags.set, sequence(commonName, der(tags.utf8, Buffer.from('localhost')))));
  const content = sequence(
    der(tags.integer, Buffer.from([1])),
    sequence(ecdsaWithSha256),
    subject,
    sequence(time(Date.now() - dayMs), time(Date.now() + dayMs)),
    subject,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = sequence(content, sequence(ecdsaWithSha256), der(tags.bits, Buffer.from([0]), signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), certificate: pem(certificate) };
}

function time(ms: number): Buffer {
  return der(tags.time, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/gu, '')}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(tags.sequence, ...parts);
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/gu) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
