// A self-signed certificate for localhost, made on demand, so that no key is in the repository and nothing expires. It is not for
// 127.0.0.1, since Node refuses an IP address where a host name is expected.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  /** In PEM. */
  readonly key: string;
  readonly certificate: string;
}

const tags = { integer: 0x02, bits: 0x03, octets: 0x04, utf8: 0x0c, time: 0x17, sequence: 0x30, set: 0x31 } as const;
const host = 'localhost';
/** Object identifiers, encoded: a subject's common name, ECDSA with SHA-256, alternative names, and whether it may sign others. */
const commonName = Buffer.from('0603550403', 'hex');
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');
const alternativeNames = Buffer.from('0603551d11', 'hex');
const basicConstraints = Buffer.from('0603551d13', 'hex');
const trueValue = Buffer.from('0101ff', 'hex');

export function makeCertificate(): Certificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(der(tags.set, sequence(commonName, der(tags.utf8, Buffer.from(host)))));
  const day = 24 * 60 * 60 * 1000;
  const content = sequence(
    der(0xa0, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, Buffer.from([1])),
    sequence(ecdsaWithSha256),
    subject,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    subject,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(hostExtension(), issuerExtension())),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = sequence(content, sequence(ecdsaWithSha256), der(tags.bits, Buffer.from([0]), signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), certificate: pem(certificate) };
}

function hostExtension(): Buffer {
  return sequence(alternativeNames, der(tags.octets, sequence(der(0x82, Buffer.from(host)))));
}

function issuerExtension(): Buffer {
  return sequence(basicConstraints, trueValue, der(tags.octets, sequence(trueValue)));
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
