// A listener of a test broker that requires encryption and authentication.
import { certificate, keystore, keystorePassword } from './certificate.ts';

const user = 'ada';
const password = 'lovelace';

export interface Guarded {
  /** `host:port`. */
  readonly broker: string;
  /** The file with the certificate to trust. */
  readonly ca: string;
  readonly user: string;
  readonly password: string;
}

export function guardedAt(port: number): Guarded {
  return { broker: `127.0.0.1:${port}`, ca: certificate, user, password };
}

const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule';
const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule';

export const guarding: Readonly<Record<string, string>> = {
  'listener.name.guarded.ssl.keystore.type': 'PKCS12',
  'listener.name.guarded.ssl.keystore.location': keystore,
  'listener.name.guarded.ssl.keystore.password': keystorePassword,
  'listener.name.guarded.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
  'listener.name.guarded.plain.sasl.jaas.config': `${plain} required user_${user}="${password}";`,
  'listener.name.guarded.scram-sha-256.sasl.jaas.config': `${scram} required;`,
  'listener.name.guarded.scram-sha-512.sasl.jaas.config': `${scram} required;`,
};

/** What the folder of the broker must contain before the first start. */
export const formattedWith: readonly string[] = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => {
  return ['--add-scram', `${mechanism}=[name=${user},password=${password}]`];
});
