import type { Handler } from '../../cli.ts';
import { messageSurface } from '../../talk/message-surface.ts';
import { talk } from '../../talk/talk.ts';

export const run: Handler = (cli, input) => talk(cli, input, messageSurface);
