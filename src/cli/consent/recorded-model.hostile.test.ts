// A ledger names the server that a run asks. Neither prompts nor keys go to a server that this user does not trust.
import { describe, expect, it } from 'vitest';
import { modelEntriesOf } from '../../lab/models/entries.ts';
import { Consents } from '../../library/consent/consents.ts';
import { projectModels } from '../../library/opening/models.ts';
import { temporaryFolder } from '../testing/harness.ts';

type Env = Readonly<Record<string, string>>;

function refusal(url: string, key: string | null, env: Env = {}): string | null {
  const model = { url, model: 'qwen:{checkpoint}', ...(key === null ? {} : { key }) };
  const entry = modelEntriesOf({ pupil: model }).get('pupil');
  if (entry === undefined) throw new Error('there is no entry');
  const io = { env: { XDG_CONFIG_HOME: temporaryFolder(), ...env }, cwd: temporaryFolder() };
  try {
    projectModels(io, 'the ledger', null).permit(entry);
    return null;
  } catch (fault) {
    return (fault as Error).message;
  }
}

describe('a model that a ledger recorded', () => {
  it.each([
    ['https://evil.example/v1', 'OPENAI_API_KEY'],
    ['https://evil.example/v1', null],
    ['http://localhost:8000/v1', 'OPENAI_API_KEY'],
    ['http://localhost.evil.example/v1', null],
    ['http://169.254.169.254/v1', null],
  ])('is refused at %s with the key %s', (url, key) => {
    expect(refusal(url, key)).toContain(new URL(url).host);
  });

  it.each(['http://localhost:8000/v1', 'http://127.0.0.1:8000/v1', 'http://[::1]:8000/v1'])(
    'is permitted on this machine without a key: %s',
    (url) => expect(refusal(url, null)).toBeNull(),
  );

  it('is permitted if the user trusts its host', () => {
    const XDG_CONFIG_HOME = temporaryFolder();
    new Consents({ XDG_CONFIG_HOME }).give({ kind: 'host', host: 'gpu-7:8000', withoutTls: true });
    expect(refusal('http://gpu-7:8000/v1', 'LAB_API_KEY', { XDG_CONFIG_HOME })).toBeNull();
    expect(refusal('http://gpu-7:8001/v1', 'LAB_API_KEY', { XDG_CONFIG_HOME })).not.toBeNull();
    expect(refusal('http://gpu-7:8000/v1', 'LAB_API_KEY', { ICECORE_TRUST: 'x, gpu-7:8000' })).toBeNull();
  });

  it('receives no variable but a model key, even if everything is trusted', () => {
    for (const key of ['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'ICECORE_EVENTSTORE_PASSWORD']) {
      expect(refusal('https://gpu-7/v1', key, { ICECORE_TRUST: '*' })).toContain(key);
    }
  });
});
