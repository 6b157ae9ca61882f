// Who may ask: the names by which the server may be called, pages of other origins, and headers that bind browsers.
import { RequestRefused } from './errors.ts';

/** Names of this machine that no other one has. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** The names in the header Host that are answered; null: any, for a server that demands tokens on every address. */
export function allowedNames(host: string, others: readonly string[]): readonly string[] | null {
  if (host === '0.0.0.0' || host === '::') return null;
  const own = host.includes(':') ? `[${host}]` : host;
  const names = [...(isLoopback(host) ? loopbackNames : []), own, ...others].map((name) => name.toLowerCase());
  return [...new Set(names)];
}

/**
 * Refuses what a page of another origin could send from a browser on this machine. A name that an attacker's DNS leads here
 * (DNS rebinding) is not among the allowed names; a port may differ, as it does through a tunnel.
 */
export function requireOwnOrigin(headers: Headers, names: readonly string[] | null): void {
  const host = headers.get('host')?.toLowerCase() ?? '';
  const name = host.replace(/:\d*$/, '');
  if (names !== null && !names.includes(name))
    throw new RequestRefused(421, 'untrusted', `Host: found ${JSON.stringify(name)}, allowed: ${names.join(', ')}`, {
      facts: { field: 'Host', found: name, allowed: names },
      remedy: 'Use one of these names, or start the server with --allow-host NAME.',
    });
  const origin = headers.get('origin');
  if (origin !== null && originHost(origin) !== host) throw foreign('Origin', origin);
  const site = headers.get('sec-fetch-site');
  // A link on another site may lead here; everything else another site starts is refused.
  const isLink = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  if ((site === 'cross-site' || site === 'same-site') && !isLink) throw foreign('Sec-Fetch-Site', site);
}

function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host.toLowerCase() : null;
}

function foreign(field: string, found: string): RequestRefused {
  return new RequestRefused(
    403,
    'untrusted',
    `${field}: found ${JSON.stringify(found)}, allowed: this server's own pages`,
    {
      facts: { field, found },
      remedy: 'Pages of other origins get no answer.',
    },
  );
}

/** On every answer. Nothing of an answer may run, be framed, or be read by another origin. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};
