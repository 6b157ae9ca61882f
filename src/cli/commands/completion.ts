// icecore completion: the script that lets a shell complete icecore's command lines.
import { Argument } from 'commander';
import type { CommandModule } from '../command.ts';

const notes = `
To have it in every new shell:
  bash   echo 'source <(icecore completion bash)' >> ~/.bashrc
  zsh    echo 'source <(icecore completion zsh)' >> ~/.zshrc   (after compinit)
  fish   icecore completion fish > ~/.config/fish/completions/icecore.fish
`;

export const command: CommandModule = {
  notes,
  examples: [['source <(icecore completion bash)', 'For this bash']],
  declare: (command) => command.addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish'])),
  run: async (context, command) => {
    const { scripts } = await import('../completion/scripts.ts');
    const shell = command.args[0] as keyof typeof scripts;
    const script = scripts[shell];
    if (context.flags.json) await context.printJson({ shell, script });
    else await context.print(script);
    return 0;
  },
};
