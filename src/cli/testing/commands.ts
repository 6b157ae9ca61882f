// All commands that tests look at: icecore's own and those of the testbed.
import { testbed } from '../../../testbed/plugin.ts';
import { commandsOf } from '../../library/plugins/commands.ts';
import { Commands } from '../registry.ts';

export const commands: Commands = new Commands(commandsOf([testbed]), testbed.commandHelp);
