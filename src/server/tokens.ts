// Tokens: a file of its owner alone names them, and the server reads it again when it changes, so that tokens can be replaced
// without a restart. A file that is missing, unsafe or wrong allows nothing.
import { createHash, timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { IcecoreError } from '../../schemas/errors.ts';
import { jsonOrUndefined } from '../../schemas/json-text.ts';
import { moment } from '../../schemas/primitives.ts';
import { RequestRefused } from './errors.ts';
import { type Access, accesses } from './route.ts';

const tokensFile = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(100),
        access: z.enum(accesses),
        // 32 characters of hexadecimal have 128 random bits.
        token: z.string().regex(/^[\x21-\x7e]{32,512}$/),
        expires: moment.optional(),
      }),
    )
    .min(1),
});

/** A token as it is kept: not the token itself. */
interface Token {
  readonly name: string;
  readonly access: Access;
  readonly digest: Buffer;
  readonly expiresMs: number;
}

const maxBytes = 1_000_000;
const betweenLooksMs = 1_000;

export class Tokens {
  readonly #path: string;
  readonly #onChange: (text: string) => void;
  #tokens: readonly Token[] = [];
  #version = '';
  #lookedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();

  private constructor(path: string, onChange: (text: string) => void) {
    this.#path = path;
    this.#onChange = onChange;
  }

  /** Throws if the file cannot be used. */
  static async open(path: string, onChange: (text: string) => void): Promise<Tokens> {
    const tokens = new Tokens(path, onChange);
    await tokens.#read();
    return tokens;
  }

  /** The name of the token. Throws if the header has none, or one that does not allow this. */
  async require(access: Access, header: string | null): Promise<string> {
    const token = await this.#tokenIn(header);
    if (accesses.indexOf(token.access) < accesses.indexOf(access))
      throw new RequestRefused(
        403,
        'untrusted',
        `the token ${token.name} allows ${token.access}, this needs ${access}`,
        {
          facts: { found: token.access, allowed: access },
        },
      );
    return token.name;
  }

  /** What the token allows. Throws if the header has none. */
  async accessOf(header: string | null): Promise<Access> {
    return (await this.#tokenIn(header)).access;
  }

  async #tokenIn(header: string | null): Promise<Token> {
    await this.#look();
    const [, sent] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header ?? '') ?? [];
    if (sent === undefined) throw unauthorized('the request has no token');
    const digest = sha256(sent);
    // Every token is compared, so that time tells nothing.
    const found = this.#tokens.filter((token) => timingSafeEqual(token.digest, digest));
    const [token] = found;
    if (token === undefined) throw unauthorized('the token is not valid');
    if (token.expiresMs <= Date.now()) throw unauthorized(`the token ${token.name} has expired`);
    return token;
  }

  /** Looks once a second whether the file has changed. Requests that arrive meanwhile wait, or the old tokens would open for them. */
  #look(): Promise<void> {
    const now = performance.now();
    if (now - this.#lookedMs >= betweenLooksMs) {
      this.#looking = this.#readIfUsable();
      this.#lookedMs = now;
    }
    return this.#looking;
  }

  async #readIfUsable(): Promise<void> {
    try {
      await this.#read();
    } catch (fault) {
      const had = this.#tokens.length;
      this.#tokens = [];
      this.#version = '';
      if (had > 0) this.#onChange(`no token is valid any more: ${fault instanceof Error ? fault.message : fault}`);
    }
  }

  async #read(): Promise<void> {
    // Not through a link, and not a FIFO, which would never open.
    const file = await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile() || found.size > maxBytes)
        throw unusable(this.#path, 'it is not a regular file of at most 1 MB');
      if ((found.mode & 0o077) !== 0 || (process.getuid !== undefined && found.uid !== process.getuid()))
        throw unusable(this.#path, 'others may read it, or it belongs to somebody else', `chmod 600 ${this.#path}`);
      const version = `${found.ino}-${found.mtimeMs}-${found.size}`;
      if (version === this.#version) return;
      const read = tokensFile.safeParse(jsonOrUndefined(await file.readFile('utf8')));
      if (!read.success) throw unusable(this.#path, z.prettifyError(read.error).replaceAll('\n', ' '));
      const isFirst = this.#lookedMs === Number.NEGATIVE_INFINITY;
      this.#tokens = read.data.tokens.map(({ name, access, token, expires }) => ({
        ...{ name, access, digest: sha256(token) },
        expiresMs: expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires),
      }));
      this.#version = version;
      if (!isFirst) this.#onChange(`read ${this.#tokens.length} tokens again`);
    } finally {
      await file.close();
    }
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function unauthorized(message: string): RequestRefused {
  return new RequestRefused(401, 'untrusted', message, {
    remedy: 'Send the header Authorization: Bearer TOKEN.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function unusable(path: string, what: string, fix = ''): IcecoreError {
  const example = '{"tokens": [{"name": "me", "access": "admin", "token": "..."}]}';
  return new IcecoreError('bad-input', `${path}: ${what}`, {
    facts: { path },
    remedy: fix === '' ? `Write ${example}, with a token of at least 32 characters (openssl rand -hex 32).` : `${fix}`,
  });
}
