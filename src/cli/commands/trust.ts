// icecore trust: what files that were found here may do in this user's name.
import type { CommandModule } from '../command.ts';

const notes = `
Flags and the environment are your own word. An icecore.config.json or a .icecore that icecore finds, here or in a folder
above, may be somebody else's: until you allow it once, no host that it names gets a credential, no server other than one on
this machine is connected to, and nothing outside of its folder is touched. What belongs to another user, or can be changed
by others, is not used at all.

A ledger may name programs: environments, trainers, engineers. They run with your permissions, so those that you did not type
yourself run only after you allowed their command lines, for this ledger and this folder.

Without a path, this is about the icecore.config.json, the .icecore and the ledger in use here. Settings are trusted as they are: when their
content changes, icecore asks again. A host that is trusted by its name may get keys called *_API_KEY, over TLS, from every
settings file.

What you trust is kept in your own settings folder: $XDG_CONFIG_HOME/icecore or ~/.config/icecore. Where nobody can be asked,
as in jobs and containers, ICECORE_TRUST names what is trusted: paths and hosts with commas between them, or * for everything.
`;

export const command: CommandModule = {
  notes,
  examples: [
    ['icecore trust', 'Show what the settings found here ask for, and allow it after a question'],
    ['icecore trust /srv/lab/icecore.config.json --yes', 'Allow a file without a question'],
    ['icecore trust --ledger sqlite:theirs.db', 'Also allow the programs that a ledger names'],
    ['icecore trust --host api.openai.com', 'Let settings files send *_API_KEY to a host'],
    ['icecore trust --host vllm.internal:8000 --without-tls', 'The same where the host has no TLS'],
    ['icecore trust --list', 'Everything that was allowed'],
    ['icecore trust --revoke', 'Allow what was found here no longer'],
    ['icecore trust --revoke --ledger sqlite:theirs.db', 'Allow the programs of a ledger no longer'],
    ['ICECORE_TRUST=/work,api.openai.com icecore run --engineer gpt', 'In a job or a container'],
  ],
  declare: (command) =>
    command
      .argument('[path]', 'a settings file, a workspace, or a folder with either')
      .option('--host <name>', 'a host: NAME, NAME:PORT or a URL')
      .option('--without-tls', 'with --host: also where everybody on the way can read what is sent')
      .option('--yes', 'allow it without a question')
      .option('--list', 'list what is allowed')
      .option('--revoke', 'allow it no longer'),
  run: async (context, command) => {
    const { trust } = await import('../consent/trust.ts');
    return await trust(context, command.args[0], command.opts());
  },
};
