// Common parts of the URLs of stores on servers: settings after the question mark, and the rule that possible secrets are not
// shown.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearest } from '../../../schemas/nearest.ts';

/** Parses the value of a setting; null: invalid. */
export type ReadSetting<Settings> = (value: string) => Partial<Settings> | null;

export function oneOf<Value extends string, Settings>(
  allowed: readonly Value[],
  as: (value: Value) => Partial<Settings>,
): ReadSetting<Settings> {
  return (text) => {
    const value = allowed.find((one) => one === text);
    return value === undefined ? null : as(value);
  };
}

export function upTo<Settings>(most: number, as: (value: number) => Partial<Settings>): ReadSetting<Settings> {
  return (text) => (/^[1-9][0-9]{0,5}$/.test(text) && Number(text) <= most ? as(Number(text)) : null);
}

/** The form of the URLs of one kind of server. */
export interface UrlForm<Settings> {
  readonly server: string;
  /** The advice for an invalid URL. */
  readonly example: string;
  readonly readers: ReadonlyMap<string, ReadSetting<Settings>>;
  readonly defaults: Settings;
  /** The advice for a secret in a setting; null: treat it like any unknown setting. */
  readonly secretRemedy: string | null;
}

const secretName = /user|pass|secret|token|key|credential|sasl/i;

/** Throws BadServerUrl. */
export function settingsIn<Settings extends { readonly tls: boolean; readonly ca: string | null }>(
  form: UrlForm<Settings>,
  url: string,
  query: string,
): Settings {
  const refuse = (what: string, remedy?: string) => badServerUrl(form, withoutUnknown(form, url), what, remedy);
  let settings = form.defaults;
  for (const [name, value] of new URLSearchParams(query)) {
    const read = form.readers.get(name);
    if (read === undefined) {
      const near = nearest(name, form.readers.keys());
      const advice = near === null ? `There are ${[...form.readers.keys()].join(', ')}.` : `Did you mean "${near}"?`;
      throw refuse(`the setting "${name}"`, (secretName.test(name) ? form.secretRemedy : null) ?? advice);
    }
    const setting = read(value);
    if (setting === null) throw refuse(`${name}=${value}`);
    settings = { ...settings, ...setting };
  }
  if (settings.ca !== null && !settings.tls)
    throw refuse(form.defaults.tls ? 'ca with tls=false' : 'ca without tls=true');
  return settings;
}

/** An unknown setting may be a secret. */
export function withoutUnknown<Settings>({ readers }: UrlForm<Settings>, url: string): string {
  return url.replace(/([?&])([^=&]*)=[^&]*/g, (all, before: string, name: string) =>
    readers.has(name) ? all : `${before}${name}=…`,
  );
}

/** Any text that was meant as a URL, without a login that has a password and without settings that may be secrets. */
export function withoutSecrets(url: string): string {
  return url
    .replace(/(:\/+).*:.*@/s, '$1…@')
    .replace(/([?&])([^=&]*)=[^&+]*/g, (all, before: string, name: string) =>
      secretName.test(name) ? `${before}${name}=…` : all,
    );
}

/** `url` is the part that may be shown. */
export function badServerUrl(
  { server, example }: Pick<UrlForm<never>, 'server' | 'example'>,
  url: string,
  what: string,
  remedy = example,
): IcecoreError {
  return new IcecoreError('usage', `"${url}" is not the URL of a ledger in ${server}: ${what}`, {
    name: 'BadServerUrl',
    facts: { url, what },
    remedy,
  });
}
