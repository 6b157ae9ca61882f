import { choice } from '../../library/plugins/values.ts';
import { argument, defineCommand } from '../command.ts';

export const command = defineCommand({
  notes: `
To have it in every new shell:
  bash   echo 'source <(icecore completion bash)' >> ~/.bashrc
  zsh    echo 'source <(icecore completion zsh)' >> ~/.zshrc   (after compinit)
  fish   icecore completion fish > ~/.config/fish/completions/icecore.fish
`,
  examples: [['source <(icecore completion bash)', 'In this bash']],
  args: { shell: argument('<shell>', 'the shell', choice(['bash', 'zsh', 'fish'])) },
  run: async (context, { shell }) => {
    const { scripts } = await import('../completion/scripts.ts');
    const script = scripts[shell];
    if (context.flags.json) await context.printJson({ shell, script });
    else await context.print(script);
    return 0;
  },
});
