import { path, text } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';

export const command = defineCommand({
  notes: `
Allow what settings files and ledgers ask for. Flags and environment variables come from you and need no permission. An
icecore.config file or .icecore that icecore finds here or in a parent folder may come from someone else. Until you allow it once,
no host it names gets a credential, no server on another machine is connected to, nothing outside its folder is touched, and the
code of an icecore.config.ts does not run. Files that belong to another user, or that others can change, are never used.

A ledger can name programs: environments, trainers, engineers. They run with your permissions, so a program that you did not type
yourself runs only after you allowed its command line for this ledger and this folder.

Without a path, the command covers the icecore.config file, the .icecore and the ledger in use here. Settings are trusted with
their present content: when it changes, icecore asks again. Code runs once as soon as it is trusted, so that commands that only
read know its ledger. A host that is trusted by name can get keys named *_API_KEY, over TLS, from every settings file.

What you trust is recorded in your own settings folder: $XDG_CONFIG_HOME/icecore or ~/.config/icecore. In jobs and containers
without a terminal, ICECORE_TRUST names what is trusted: paths and hosts separated by commas, or * for everything.
`,
  examples: [
    ['icecore trust', 'Show which programs and hosts the settings found here need, and allow them after a question'],
    ['icecore trust /srv/lab/icecore.config.json --yes', 'Allow a file without a question'],
    ['icecore trust --ledger sqlite:theirs.db', 'Allow the programs that a ledger names, too'],
    ['icecore trust --host api.openai.com', 'Let settings files send *_API_KEY to a host'],
    ['icecore trust --host vllm.internal:8000 --without-tls', 'The same for a host without TLS'],
    ['icecore trust --list', 'Everything that is allowed'],
    ['icecore trust --revoke', 'No longer allow what was found here'],
    ['icecore trust --revoke --ledger sqlite:theirs.db', 'No longer allow the programs of a ledger'],
    ['ICECORE_TRUST=/work,api.openai.com icecore run --engineer gpt', 'In a job or a container'],
  ],
  args: { path: argument('[path]', 'a settings file, a workspace, or a folder with either', path) },
  options: {
    host: option('--host <name>', 'a host: NAME, NAME:PORT or a URL', text),
    withoutTls: flag('--without-tls', 'with --host: even where others on the network can read what is sent'),
    yes: flag('--yes', 'allow it without a question'),
    list: flag('--list', 'list what is allowed'),
    revoke: flag('--revoke', 'no longer allow it'),
  },
  run: async (context, { path }, options) => (await import('../consent/trust.ts')).trust(context, path, options),
});
