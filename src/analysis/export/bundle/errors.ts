// What keeps a bundle from being opened, or from being made. Whatever is refused here was refused before anything was
// written to a ledger.
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Finding } from '../../../ledger/verify/findings.ts';

/** It is no bundle, or not the one that was made. */
export class BundleRefused extends IcecoreError {
  override readonly name = 'BundleRefused';

  /** `where` is the member that is at fault, or `the file`. */
  constructor(where: string, what: string, options: { readonly cause?: unknown; readonly remedy?: string } = {}) {
    const { cause, remedy = 'Nothing was imported. Get the file anew from where it was made.' } = options;
    super('damaged', `the bundle is not as it was made: ${where}: ${what}`, { facts: { where, what }, remedy, cause });
  }
}

export class NoBundle extends IcecoreError {
  override readonly name = 'NoBundle';

  constructor(what: string) {
    super('bad-input', `this is no bundle of icecore's: ${what}`, {
      facts: { found: what },
      remedy: 'icecore export bundle RUN makes one.',
    });
  }
}

export class NewerBundle extends IcecoreError {
  override readonly name = 'NewerBundle';

  constructor(found: string, known: string) {
    super('newer-format', `the bundle has the format ${found}, this icecore knows ${known}`, {
      facts: { found, known },
      remedy: 'Open it with a newer icecore.',
    });
  }
}

/** It claims to be far larger than its file, or than there is room for. */
export class BundleTooLarge extends IcecoreError {
  override readonly name = 'BundleTooLarge';

  constructor(what: string, facts: Readonly<Record<string, unknown>>, remedy: string) {
    super('bad-input', `the bundle is not opened: ${what}`, { facts, remedy });
  }
}

/** Every member is what the manifest says, and what they hold contradicts itself. */
export class BundleUnsound extends IcecoreError {
  override readonly name = 'BundleUnsound';

  constructor(findings: readonly Finding[], faults: number) {
    const [first] = findings;
    const more = faults > 1 ? `, and ${faults - 1} more` : '';
    const said = first === undefined ? '' : `: ${first.kind} ${first.where}: ${first.says}`;
    super('damaged', `what is in the bundle does not verify${said}${more}`, {
      facts: { faults, findings: findings.slice(0, 100) },
      remedy: 'Nothing was imported. It was altered before it was packed, or by somebody who packed it again.',
    });
  }
}

/** What a bundle was made of changed between the two times it was read. */
export class ChangedMeanwhile extends IcecoreError {
  override readonly name = 'ChangedMeanwhile';

  constructor(member: string) {
    super('conflict', `${member} changed while the bundle was written`, {
      facts: { member },
      remedy: 'A text was erased meanwhile, or something was altered. Make the bundle again.',
    });
  }
}

/** Only a part of it is in the ledger it was made from. */
export class BundleOfThisLedger extends IcecoreError {
  override readonly name = 'BundleOfThisLedger';

  constructor(url: string, stream: string) {
    super('conflict', `${url} is the ledger the bundle was made from, or a copy of it, and lacks some of ${stream}`, {
      facts: { url, stream },
      remedy:
        'Nothing was imported: events in another order than the original has them would make it no copy any more. Bring it up to date with icecore ledger copy, or import into another ledger.',
    });
  }
}
