// The arithmetic example as one plugin.
import { definePlugin } from 'icecore/plugins';
import { arithmetic } from './environment.ts';
import { practice } from './trainer.ts';

export const plugin = definePlugin({ name: 'arithmetic-example', environments: [arithmetic], trainers: [practice] });
